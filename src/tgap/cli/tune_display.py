"""What a search looks like in a terminal: the best trials so far, and how far the one at hand is.

Where the output is not a terminal there is a line whenever a trial begins or ends.
"""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console
from rich.table import Table

from tgap.cli.live_table import LiveTable
from tgap.cli.train_display import TrainingNote, duration
from tgap.training.events import Listener

_SHOWN = 8  # best trials that are kept in sight


class TuneDisplay(LiveTable):
    """A ``Watcher`` for people."""

    def __init__(self, console: Console, metric: str) -> None:
        super().__init__(console)
        self._metric = metric
        self._ended: list[tuple[float, str, str]] = []  # result, trial, its settings
        self._settings: dict[int, str] = {}
        self._now = _Now(metric)
        self._now.begin("", "")
        self._told_waiting = False

    def begun(self, number: int, values: dict[str, Any]) -> Listener:
        """Show the trial."""
        self._told_waiting = False
        self._settings[number] = "  ".join(f"{name}={_short(value)}" for name, value in values.items())
        self._now.begin(f"trial {number}", self._settings[number])
        self._say(f"trial {number}: {self._settings[number]}")
        return self._now

    def ended(self, number: int, state: str, result: float | None) -> None:
        """Keep its result."""
        text = "" if result is None else f" {result:.4f}"
        self._say(f"trial {number}: {state}{text}")
        if state == "done" and result is not None:
            self._ended.append((result, f"trial {number}", self._settings[number]))
        self._now.begin("", "")

    def waiting(self) -> None:
        """Say it once."""
        if not self._told_waiting:
            self._say("waiting for trials of other processes")
        self._told_waiting = True
        self._now.begin("", "waiting for trials of other processes")

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        for name in ("Trial", "State", self._metric, "Settings"):
            table.add_column(name, justify="right" if name == self._metric else "left")
        for result, trial, settings in sorted(self._ended, reverse=True)[:_SHOWN]:
            table.add_row(trial, "done", f"{result:.4f}", settings)
        table.add_row(*self._now.cells())
        return table


class _Now(TrainingNote):
    """The trial at hand."""

    def begin(self, trial: str, settings: str) -> None:
        """Another trial."""
        self.forget()
        self._trial, self._settings, self._begun = trial, settings, time.monotonic()

    def cells(self) -> tuple[str, str, str, str]:
        """A line of the table."""
        spent = duration(time.monotonic() - self._begun) if self._trial else ""
        return self._trial, f"{self.note} {spent}".strip(), self.result, self._settings


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
