"""Compiled functions that are kept on disk: ``@kernel`` is numba's ``njit`` with a cache that notices every change.

Numba looks only at the file of a function itself to decide whether stored machine code is still true. Ours call and
inline one another across files, so all code lies in a folder named by a digest of every file that has kernels: a change
in any of them means another folder. It stands in ``NUMBA_CACHE_DIR`` if that is set, else beside this file, else (an
installation that may not be written) in the user's cache; if none can be written, every process compiles its own.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any

import numba
from platformdirs import user_cache_path

_config: Any = numba.config  # its names come from the environment
_PACKAGE = Path(__file__).parent
_SIGNS = (b"from tgap.jit import", b"from numba", b"import numba")
_PREFIX = "kernels-"
_FORGET_AFTER = 30 * 86400  # seconds after which folders of other versions are removed


def kernel(**options: Any) -> Any:
    """Decorator: compile for this processor when first called, without the GIL, and keep the result."""

    def decorate(function: Callable[..., Any]) -> Any:
        folder = cache_folder()
        before, _config.CACHE_DIR = _config.CACHE_DIR, str(folder or "")
        try:
            return numba.njit(nogil=True, cache=folder is not None, **options)(function)
        finally:
            _config.CACHE_DIR = before

    return decorate


@cache
def cache_folder() -> Path | None:
    """Where machine code of exactly these sources is kept; None if no place can be written."""
    places = [Path(_config.CACHE_DIR)] if _config.CACHE_DIR else [_PACKAGE / "__pycache__", user_cache_path("tgap")]
    for place in places:
        folder = place / (_PREFIX + _digest())
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue  # the next place
        if os.access(folder, os.W_OK):
            _forget_others(folder)
            return folder
    return None


def _digest() -> str:
    """Of all files that machine code is made of: those that use numba or this module, and the layout of vectors."""
    total = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_bytes()
        if path.name == "layout.py" or any(sign in text for sign in _SIGNS):
            total.update(path.name.encode() + text)
    return total.hexdigest()[:16]


def _forget_others(folder: Path) -> None:
    """Remove folders of other versions that have not been written to for long."""
    for other in folder.parent.glob(_PREFIX + "*"):
        if other != folder and time.time() - other.stat().st_mtime > _FORGET_AFTER:
            rmtree(other, ignore_errors=True)  # another process may be doing the same
