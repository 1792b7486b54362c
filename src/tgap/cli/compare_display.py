"""What a comparison looks like in a terminal: a line per method with what it is doing, how long, and how well.

Where the output is not a terminal there is a plain line whenever a method begins or ends something.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from tgap.cli.live_table import LiveTable
from tgap.cli.terminal import make_console
from tgap.cli.train_display import TrainingNote, duration
from tgap.studies.comparison.plan import Entry, Plan
from tgap.studies.comparison.session import Outcome
from tgap.training.events import Listener


class PlanDisplay(LiveTable):
    """A ``Watcher`` that shows the whole plan."""

    def __init__(self, plan: Plan, console: Console | None = None) -> None:
        super().__init__(console or make_console())
        self._lines = {entry.name: Line(entry) for entry in plan.entries}

    def training(self, entry: Entry) -> Listener:
        """The method's line follows the loop."""
        line = self._lines[entry.name]
        line.begin("training")
        self._say(f"{entry.title}: training")
        return line

    def scoring(self, entry: Entry) -> Callable[[int, int], None]:
        """The method's line counts queries."""
        line = self._lines[entry.name]
        line.begin("ranking")
        self._say(f"{entry.title}: ranking")
        return line.counted

    def done(self, entry: Entry, outcome: Outcome) -> None:
        """The method's line keeps its result."""
        mrr = outcome.evaluation.report.headline.mrr
        self._lines[entry.name].end(mrr)
        self._say(f"{entry.title}: MRR {mrr:.3f}")

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        for name, justify in (("Method", "left"), ("State", "left"), ("Time", "right"), ("MRR", "right")):
            table.add_column(name, justify=justify)  # type: ignore[arg-type]
        for line in self._lines.values():
            table.add_row(*line.cells())
        return table


class Line(TrainingNote):
    """What one method is doing."""

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self._title = entry.title
        self._doing = ""
        self._begun: float | None = None
        self._spent = 0.0

    def begin(self, doing: str) -> None:
        """Something new."""
        self._stop_clock()
        self._doing, self.note, self._begun = doing, "", time.monotonic()

    def end(self, mrr: float) -> None:
        """All of it is done."""
        self._stop_clock()
        self._doing, self.note, self.result = "done", "", f"{mrr:.3f}"

    def counted(self, done: int, total: int) -> None:
        """Queries ranked so far."""
        self.note = f"{done / total:.0%} of {total:,} queries"

    def cells(self) -> tuple[str, str, str, str]:
        """Method, state, time and MRR; that of validation in brackets."""
        spent = self._spent + (0.0 if self._begun is None else time.monotonic() - self._begun)
        state = f"{self._doing} {self.note}".strip() or "waiting"
        return self._title, state, duration(spent) if spent else "", self.result

    def _stop_clock(self) -> None:
        if self._begun is not None:
            self._spent += time.monotonic() - self._begun
        self._begun = None
