"""Rows that cannot become facts: where they stand, why, and what they held. Nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tgap.data.atomic import write_atomically
from tgap.errors import DataError

SHOWN = 20


class Reject(NamedTuple):
    """One bad row. ``place`` is ``line`` for text files and ``row`` for Parquet; ``raw`` is the row as it stood."""

    file: str
    place: str
    number: int
    reason: str
    raw: bytes

    def __str__(self) -> str:
        return f"{self.file}, {self.place} {self.number}: {self.reason}"


class BadRowsError(DataError):
    """Some rows of the input are bad; ``rejects`` has them all, the message the first twenty."""

    def __init__(
        self,
        rejects: Sequence[Reject],
        remedy: str = "",
    ) -> None:
        self.rejects = tuple(rejects)
        count = len(self.rejects)
        rows, them = ("row", "it") if count == 1 else ("rows", "them")
        remedy = remedy or f"nothing was written, mend {them} or skip {them} with --skip-bad FILE"
        lines = [f"{count:,} bad {rows} in the input; {remedy}"]
        lines += [f"  {reject}" for reject in self.rejects[:SHOWN]]
        if count > SHOWN:
            lines.append(f"  and {count - SHOWN:,} more")
        super().__init__("\n".join(lines))


def write_rejects(path: Path, rejects: Sequence[Reject]) -> None:
    """Every bad row with its reason, tab separated: file, line, reason, then the row byte for byte.

    ``cut -f4-`` gives back the rows, to be mended and imported.
    """
    lines = [f"{reject.file}\t{reject.number}\t{reject.reason}\t".encode() + reject.raw for reject in rejects]
    write_atomically(path, b"".join(line + b"\n" for line in lines))
