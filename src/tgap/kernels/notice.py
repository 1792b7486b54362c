"""Say so when kernels are compiled: the first use on a machine waits for it, later ones load them from disk."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from numba.core import event

_log = logging.getLogger("tgap.kernels")


class _Notice(event.Listener):
    """Hears of compilations only, never of kernels found in the cache; speaks once."""

    def __init__(self) -> None:
        self._said = False

    def on_start(self, event: Any) -> None:
        """A function is about to be compiled."""
        ours = event.data["dispatcher"].py_func.__module__.partition(".")[0] == "tgap"
        if ours and not self._said:
            self._said = True
            _log.warning("Compiling kernels for this processor: once, up to a minute ...")

    def on_end(self, event: Any) -> None:
        """Nothing to say."""


@cache
def announce_compilation() -> None:
    """From now on, the first compilation of this process leaves a line in the log (on stderr if nobody set it up)."""
    event.register("numba:compile", _Notice())
