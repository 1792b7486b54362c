"""Commands in real processes that start at once.

Each is forked from a process that has loaded the libraries and done nothing else: to load them takes several seconds,
nearly all that a test of kill -9 or Ctrl-C would spend. What only a new interpreter shows (imports, encodings, machine
code on disk) is tested with one.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LOADED = ("torch._dynamo", "tgap.cli.train", "tgap.cli.tune_display", "tgap.methods.tgap", "tgap.tuning.session")
_CONTEXT: Any = multiprocessing.get_context("forkserver" if sys.platform != "win32" else "spawn")


class Started:
    """A process at work on a function."""

    def __init__(self, log: Path, function: Callable[..., object], *arguments: object) -> None:
        if sys.platform != "win32":
            _CONTEXT.set_forkserver_preload(list(_LOADED))
        self._log = log
        self._process = _CONTEXT.Process(target=_work, args=(str(log), function, arguments), daemon=True)
        self._process.start()

    @property
    def output(self) -> str:
        """What it has printed up to now, errors included."""
        return self._log.read_text(encoding="utf-8") if self._log.exists() else ""

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return bool(self._process.is_alive())

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        os.kill(self._process.pid, number)

    def wait_until(self, condition: Callable[[], object], seconds: float = 240) -> None:
        """Wait for something that it does; it must not end before."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert self.running, self.output
            assert time.monotonic() < deadline, self.output
            time.sleep(0.02)

    def finish(self, code: int = 0, seconds: float = 240) -> str:
        """Wait for the end, which must come with this exit code (less than 0: a signal). What was printed."""
        self._process.join(seconds)
        assert self._process.exitcode == code, self.output
        return self.output


def start(log: Path, *arguments: str | Path) -> Started:
    """Start ``tgap ARGUMENTS``; what it prints goes to the file ``log``."""
    return Started(log, _command, *map(str, arguments))


def _command(*arguments: str) -> None:
    from tgap.cli.main import main
    from tgap.training import curve

    curve.draw_curve = lambda *_: b""  # the picture is not the point, and takes longer than the rest
    main(arguments)


def _work(log: str, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells may ignore it
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for standard in (1, 2):
        os.dup2(written, standard)
    function(*arguments)
