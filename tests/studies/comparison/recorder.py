"""A watcher that writes down what it hears."""

from __future__ import annotations

from collections.abc import Callable

from tgap.studies.comparison.plan import Entry
from tgap.studies.comparison.session import Outcome
from tgap.training.events import Listener
from tgap.training.interruption import Interruption


class Recorder:
    """Keeps what happens as words; may ask for a stop when a method is scored."""

    def __init__(self, interruption: Interruption | None = None, stop_at: str = "") -> None:
        self.heard: list[str] = []
        self._interruption = interruption
        self._stop_at = stop_at

    def training(self, entry: Entry) -> Listener:
        self.heard.append(f"train {entry.name}")
        return Listener()

    def scoring(self, entry: Entry) -> Callable[[int, int], None]:
        self.heard.append(f"score {entry.name}")
        if self._interruption is not None and entry.name == self._stop_at:
            self._interruption.request()
        return lambda _done, _total: None

    def done(self, entry: Entry, outcome: Outcome) -> None:
        assert outcome.entry is entry
        self.heard.append(f"done {entry.name}")
