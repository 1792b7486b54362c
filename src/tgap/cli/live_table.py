"""A table that is drawn anew while work goes on; where the output is not a terminal, plain lines stand in for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table


class LiveTable(ABC):
    """Shown inside its ``with`` block, gone after it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(get_renderable=self._table, console=self._console, refresh_per_second=2, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    @abstractmethod
    def _table(self) -> Table:
        """What there is to see now."""

    def _say(self, text: str) -> None:
        """A line for those who do not see the table."""
        if not self._console.is_terminal:
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)
