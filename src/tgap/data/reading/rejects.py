"""Rows that cannot become facts: where they stand, why, and what they held. Nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tgap.data.atomic import write_atomically
from tgap.data.display import shown
from tgap.errors import DataError, Message, Option

SHOWN = 20  # lines of an error message
_NUMBERS = 5  # rows named of those with one reason


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
    """Some rows of the input are bad; ``rejects`` has them all, the message their reasons, equal ones together."""

    def __init__(
        self,
        rejects: Sequence[Reject],
        remedy: str = "",
    ) -> None:
        self.rejects = tuple(rejects)
        count = len(self.rejects)
        rows, them = ("row", "it") if count == 1 else ("rows", "them")
        remedy = remedy or Message(f"nothing was written, mend {them} or skip {them} with ", Option("skip_bad"))
        groups = grouped(self.rejects)
        lines = [Message(f"{count:,} bad {rows} in the input; ", remedy)]
        lines += [Message("\n  ", _words(group)) for group in groups[:SHOWN]]
        if len(groups) > SHOWN:
            lines.append(Message(f"\n  and {sum(len(group) for group in groups[SHOWN:]):,} more"))
        super().__init__(*lines)


def grouped(rejects: Sequence[Reject]) -> list[list[Reject]]:
    """Rejects of one file with one reason together, in the order in which each group begins."""
    groups: dict[tuple[str, str], list[Reject]] = {}
    for reject in rejects:
        groups.setdefault((reject.file, reject.reason), []).append(reject)
    return list(groups.values())


def _words(group: list[Reject]) -> Message:
    """``e.txt, line 5: the subject is empty``, or the first lines of many."""
    first = group[0]
    numbers = ", ".join(str(reject.number) for reject in group[:_NUMBERS])
    rest = f" and {len(group) - _NUMBERS:,} more" if len(group) > _NUMBERS else ""
    many = "s" if len(group) > 1 else ""
    words = Message(f"{first.file}, {first.place}{many} {numbers}{rest}: ", first.reason)
    return Message(*(shown(part) if isinstance(part, str) else part for part in words.parts))


def write_rejects(path: Path, rejects: Sequence[Reject]) -> None:
    """Every bad row with its reason, tab separated: file, line, reason, then the row byte for byte.

    ``cut -f4-`` gives back the rows, to be mended and imported.
    """
    lines = [f"{reject.file}\t{reject.number}\t{reject.reason}\t".encode() + reject.raw for reject in rejects]
    write_atomically(path, b"".join(line + b"\n" for line in lines))
