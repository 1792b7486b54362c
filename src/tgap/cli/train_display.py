"""What training looks like in a terminal: a bar with loss, speed and time left, and a line for every validation.

Where the output is not a terminal there is no bar, but a plain line once a minute.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from tgap.cli.terminal import make_console
from tgap.evaluation.protocols import HEADLINE, RAW, Protocol
from tgap.training.events import Listener, Started, Stepped, Stopped, Validated

if TYPE_CHECKING:
    from tgap.training.state import ProtocolMetrics

_QUIET_SECONDS = 60.0
_NAMES = {"mrr": "MRR", "hits1": "Hits@1", "hits3": "@3", "hits10": "@10"}


def metrics_line(metrics: ProtocolMetrics) -> str:
    """Time-filtered and raw metrics in one line; Hits in percent."""

    def part(protocol: Protocol) -> str:
        values = metrics[protocol.name]
        hits = " ".join(f"{_NAMES[key]} {100 * values[key]:.1f}" for key in ("hits1", "hits3", "hits10"))
        return f"{protocol.title} MRR {values['mrr']:.4f} {hits}"

    return f"{part(HEADLINE)}  |  {part(RAW)}"


def duration(seconds: float) -> str:
    """``1:05:09`` or ``5:09``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class Display(Listener):
    """Progress bar and lines."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or make_console()
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[note]}"),
            console=self._console,
            disable=not self._console.is_terminal,
            refresh_per_second=4,
            transient=True,
        )
        self._task = self._bar.add_task("train", total=1.0, epoch="", note="")
        self._epochs = 0.0
        self._limit = 0.0
        self._from = (0.0, 0.0)  # progress and seconds when this process began
        self._loss: float | None = None  # smoothed
        self._speed = ""
        self._recent = (0.0, 0)  # start of the stretch that speed is measured over, and its queries
        self._printed = time.monotonic()

    def on_start(self, event: Started) -> None:
        """Show the bar; tell what was found."""
        for problem in event.problems:
            self._say(f"Warning: {problem}")
        if event.at.step:
            self._say(f"Going on at step {event.at.step:,}, epoch {event.at.epochs:.3f}.")
        self._epochs = event.epochs
        self._limit = event.limit
        self._from = (event.at.share, event.at.seconds)
        self._recent = (event.at.seconds, 0)
        epoch = f"{event.at.epochs:.2f}/{event.epochs:g}"
        self._bar.update(self._task, completed=event.at.share, epoch=epoch, note="preparing the first step")
        self._bar.start()

    def on_step(self, event: Stepped) -> None:
        """Move the bar."""
        self._loss = event.loss if self._loss is None else 0.95 * self._loss + 0.05 * event.loss
        begun, queries = self._recent[0], self._recent[1] + event.queries
        elapsed = event.at.seconds - begun
        self._recent = (begun, queries)
        if elapsed >= 2.0 or not self._speed:
            self._speed = f"{queries / max(elapsed, 1e-9):,.0f} queries/s"
            self._recent = (event.at.seconds, 0)
        note = f"loss {self._loss:.3f}  {self._speed}  {self._left(event)}"
        epoch = f"{event.at.epochs:.2f}/{self._epochs:g}"
        self._bar.update(self._task, completed=event.at.share, epoch=epoch, note=note)
        if not self._console.is_terminal and time.monotonic() - self._printed >= _QUIET_SECONDS:
            self._printed = time.monotonic()
            self._say(f"epoch {epoch}  {note}")

    def on_validating(self, done: int, total: int) -> None:
        """Show how far validation is."""
        self._bar.update(self._task, note=f"validating {done:,}/{total:,}")
        self._speed = ""  # measured anew after the pause

    def on_validation(self, event: Validated) -> None:
        """Leave a line."""
        best = "  (best)" if event.improved else ""
        own = "".join(f"  {name} {value:.3f}" for name, value in event.metrics.items() if value)
        self._say(
            f"epoch {event.at.epochs:.2f}  {duration(event.at.seconds)}  loss {event.loss:.4f}{own}  "
            f"{metrics_line(event.validation)}{best}"
        )

    def on_stop(self, event: Stopped) -> None:
        """Take the bar away and name the best result."""
        self._bar.stop()
        if event.best is not None:
            self._say(f"Best, after {event.best_epochs:.2f} epochs: {metrics_line(event.best)}")

    def close(self) -> None:
        """Take the bar away, after an error too."""
        self._bar.stop()

    def _left(self, event: Stepped) -> str:
        progress, seconds = event.at.share - self._from[0], event.at.seconds - self._from[1]
        if progress <= 0:
            return ""
        left = seconds / progress * (1.0 - event.at.share)
        if self._limit:
            left = min(left, max(0.0, self._limit - event.at.seconds))
        return f"{duration(left)} left"

    def _say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)


class TrainingNote(Listener):
    """How far a training is, in some words, for displays that show several."""

    def __init__(self, metric: str = "mrr") -> None:
        self._metric = metric
        self._epochs = 0.0
        self.forget()

    def forget(self) -> None:
        """Another training, or none."""
        self.note = self.result = ""

    def on_start(self, event: Started) -> None:
        """Training begins or goes on."""
        self._epochs = event.epochs

    def on_step(self, event: Stepped) -> None:
        """Training has moved."""
        self.note = f"epoch {event.at.epochs:.2f} of {self._epochs:g}, loss {event.loss:.3f}"

    def on_validation(self, event: Validated) -> None:
        """The validation metric stands in brackets until there is a better number."""
        self.result = f"({event.validation[HEADLINE.name][self._metric]:.4f})"
