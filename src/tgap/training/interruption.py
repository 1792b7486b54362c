"""Ctrl-C and a request to terminate: noted at once, obeyed after the batch at hand, so that a checkpoint is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class InterruptionError(Exception):
    """Raised by ``Interruption.check`` to leave long work; the loop catches it."""


class Interruption:
    """A wish to stop. ``signal_number`` tells which signal it was."""

    def __init__(self) -> None:
        self.signal_number: int | None = None

    @property
    def requested(self) -> bool:
        """Whether somebody wants training to stop."""
        return self.signal_number is not None

    def request(self, number: int = signal.SIGINT) -> None:
        """Ask training to stop after the batch at hand."""
        self.signal_number = number

    def check(self) -> None:
        """Leave long work if a stop was asked for."""
        if self.requested:
            raise InterruptionError

    @contextmanager
    def on_signals(self, heard: Callable[[int], None] | None = None) -> Iterator[None]:
        """Take SIGINT and SIGTERM as requests inside the block; a second one acts as usual. Main thread only.

        ``heard`` is called with the signal's number, inside the signal handler: it must not wait for anything.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        usual = {number: signal.getsignal(number) for number in _SIGNALS}

        def restore() -> None:
            for number, handler in usual.items():
                signal.signal(number, handler)

        def note(number: int, _frame: FrameType | None) -> None:
            self.request(number)
            restore()
            if heard is not None:
                heard(number)

        for number in _SIGNALS:
            signal.signal(number, note)
        try:
            yield
        finally:
            restore()
