"""Compiled functions that are kept on disk: ``@kernel`` is numba's ``njit`` with a store that notices every change.

Numba compares the file of a function with the one that stored machine code was made of. Ours also call and inline
functions of other files and read tuples whose fields are declared there, and numba does not look at those. So all code
lies in a folder named by a digest of the files in ``SOURCES``; a kernel that stands in no such file may use only what
its own file and these files define (a test holds that). A change in any of them means another folder, a change in any
other file means nothing.

The folder stands in ``NUMBA_CACHE_DIR`` if that is set, else beside this file, else (an installation that may not be
written) in the user's cache; if none can be written, every process compiles its own. Nothing is read, made or removed
on disk before a kernel is called for the first time.
"""

# mypy: disable-error-code="no-untyped-call,assignment,list-item,misc"

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple, TypeVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, UserProvidedCacheLocator
from platformdirs import user_cache_path

PACKAGE = Path(__file__).parent
SOURCES = (  # what machine code is made of, besides the file of the function itself
    "jit.py",
    "kernels/layout.py",
    "kernels/simd.py",
    "kernels/structure.py",
    "kernels/compiled_rows.py",
    "kernels/compiled_score.py",
    "kernels/compiled_messages.py",
    "kernels/flow_records.py",
    "kernels/compiled_transition.py",
    "kernels/compiled_flow.py",
    "kernels/compiled_flow_backward.py",
    "kernels/compiled_blocks.py",
    "graph/hashing.py",
    "graph/sampling.py",
    "graph/subgraph.py",
    "graph/capping.py",
    "graph/crossing.py",
    "graph/resolve.py",
    "universal/event_index.py",
    "universal/counting.py",
)
Function = TypeVar("Function", bound=Callable[..., Any])
_config: Any = numba.config  # its names come from the environment
_PREFIX = "kernels-"
_FORGET_AFTER = 30 * 86400  # seconds after which folders of other versions are removed


def kernel(**options: Any) -> Callable[[Function], Function]:
    """Decorator: compile for this processor when first called, without the GIL, and keep the result.

    To the type checker the function stays what it is, so calls of kernels are checked like any other.
    """

    def decorate(function: Function) -> Function:
        dispatcher: Any = numba.njit(nogil=True, **options)(function)
        dispatcher._cache = _Store(function)  # what numba's cache=True sets, but that makes folders at once
        compiled: Function = dispatcher
        return compiled

    return decorate


@cache
def cache_folder() -> Path | None:
    """Make the folder where machine code of exactly these sources is kept; None if no place can be written."""
    for folder in _places():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue  # the next place
        if os.access(folder, os.W_OK):
            _forget_others(folder)
            return folder
    return None


def _places() -> Iterator[Path]:
    """Where the folder may stand, the best place first."""
    places = [Path(_config.CACHE_DIR)] if _config.CACHE_DIR else [PACKAGE / "__pycache__", user_cache_path("tgap")]
    for place in places:
        yield place / (_PREFIX + _digest())


@cache
def _digest() -> str:
    """Of the sources; numba's own version and the processor are part of what it stores."""
    total = hashlib.sha256()
    for name in SOURCES:
        total.update(name.encode() + (PACKAGE / name).read_bytes())
    return total.hexdigest()[:16]


def _forget_others(folder: Path) -> None:
    """Remove folders of other versions that have not been written to for long."""
    for other in folder.parent.glob(_PREFIX + "*"):
        if other != folder and time.time() - other.stat().st_mtime > _FORGET_AFTER:
            rmtree(other, ignore_errors=True)  # another process may be doing the same


class _Store(NullCache):
    """Machine code of one function: looked for in every place, kept in the first that can be written."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Code for a signature, or None."""
        for folder in _places():
            if folder.is_dir():
                found = _FolderCache(self._function, folder).load_overload(sig, target_context)
                if found is not None:
                    return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep code that was just compiled."""
        folder = cache_folder()
        if folder is not None:
            kept = _FolderCache(self._function, folder)
            Path(kept.cache_path).mkdir(exist_ok=True)
            kept.save_overload(sig, data)


class _FolderCache(FunctionCache):
    """Numba's cache of one function, with its files in a folder of ours."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._impl_class = lambda _: _Files(function, folder)
        super().__init__(function)


class _Files(CompileResultCacheImpl):
    """How numba stores machine code, told where."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._locator_classes = [_Place(folder)]
        super().__init__(function)


class _Place(NamedTuple):
    """Stands where numba expects a class that knows a place, or not, for the code of a file."""

    folder: Path

    def from_function(self, function: Callable[..., Any], file: str) -> _Locator:
        return _Locator(function, file, self.folder)


class _Locator(UserProvidedCacheLocator):
    """Numba's rule for names within a folder, without making it."""

    def __init__(self, function: Callable[..., Any], file: str, folder: Path) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno
        self._cache_path = str(folder / self.get_suitable_cache_subpath(file))
