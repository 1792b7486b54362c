"""Where a service came from, and whether facts have been appended to its dataset since."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tgap.data.catalog import journal_of
from tgap.data.journal import Journal
from tgap.data.stored import is_stored
from tgap.runs.folder import find_run


@dataclass(frozen=True)
class Source:
    """A run, and the version of its dataset's journal when it was loaded."""

    run: str | Path
    journal: Journal | None  # None: the run carries its dataset with it, and nothing can be appended to that
    version: int

    @classmethod
    def of(cls, run: str | Path) -> Source:
        """What a run would be loaded from now."""
        folder = find_run(run)
        journal = None if is_stored(folder.data) else journal_of(folder.config().dataset)
        return cls(run, journal, 0 if journal is None else journal.version)

    @property
    def stale(self) -> bool:
        """Whether the journal has another version now."""
        return self.journal is not None and self.journal.version != self.version
