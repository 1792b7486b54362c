"""A table of events: columns of text, whatever the form of the file, every value byte for byte as it stands there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgap.data.reading.rejects import Reject

if TYPE_CHECKING:
    import polars as pl


@dataclass
class RawTable:
    """A file's rows as text columns, and the rows that do not fit its shape."""

    file: str
    frame: pl.DataFrame  # String columns named by position; null is an empty field
    header: list[str] | None
    kind: str  # the form of the file in words
    place: str = "line"  # what a row's number counts
    numbers: NDArray[np.int64] | None = None  # first and last line of each row; None: one a line, after the header
    rejects: list[Reject] = field(default_factory=list)
    content: bytes = b""  # the text of the file, to quote bad rows from
    unreadable: dict[int, str] = field(default_factory=dict)  # columns that hold no text, with their type
    encoding: str = ""  # of the text, where it is not UTF-8
    enclosed: bool = False  # whether quotation marks were taken as marks around a field, not as letters

    def reject(self, reasons: dict[int, str]) -> list[Reject]:
        """Bad rows with their reasons, as they stand in the file."""
        if not reasons:
            return []
        lines = self.content.split(b"\n") if self.place == "line" else []
        result = []
        for row, reason in sorted(reasons.items()):
            first, last = self.lines_of(row)
            if self.place == "line":
                raw = b"\n".join(lines[first - 1 : last]).removesuffix(b"\r")
            else:
                raw = "\t".join(value or "" for value in self.frame.row(row)).encode()
            result.append(Reject(self.file, self.place, first, reason, raw))
        return result

    def lines_of(self, row: int) -> tuple[int, int]:
        """First and last line (or the row's number in Parquet), from 1."""
        if self.numbers is not None:
            return int(self.numbers[row, 0]), int(self.numbers[row, 1])
        line = row + 1 + (self.header is not None and self.place == "line")
        return line, line
