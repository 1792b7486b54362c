"""Log a notice when kernels are compiled: only the first use on a machine waits for that, later ones load from disk."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from numba.core import event

_log = logging.getLogger("tgap.kernels")


class _Notice(event.Listener):
    """Called for compilations only, not for kernels found in the cache; logs once."""

    def __init__(self) -> None:
        self._logged = False

    def on_start(self, event: Any) -> None:
        """A function is about to be compiled."""
        ours = event.data["dispatcher"].py_func.__module__.partition(".")[0] == "tgap"
        if ours and not self._logged:
            self._logged = True
            _log.warning("Compiling kernels for this processor: once, up to a minute ...")

    def on_end(self, event: Any) -> None:
        """Nothing is logged at the end."""


@cache
def announce_compilation() -> None:
    """From now on, the first compilation of this process is logged (to stderr if logging is not configured)."""
    event.register("numba:compile", _Notice())
