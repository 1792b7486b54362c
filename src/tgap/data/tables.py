"""Files of events as columns of text: tab, comma, gzip, Parquet. Every value byte for byte as it stands in the file.

Text goes through polars at full speed. Only when a file is not a clean table (a line with too few or too many fields,
broken UTF-8, blank lines) a second, slower reading by Python goes line by line and tells which lines are bad. Comma
files that hold a quotation mark are read by Python's csv module: its reading of quotes is strict, exact and known by
line number, while polars leaves malformed quotes undefined. In tab files a quotation mark is a letter like any other.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgap.data.layout import Layout, has_header
from tgap.data.rejects import Reject
from tgap.errors import DataError

if TYPE_CHECKING:
    import polars as pl

_HEAD = 1 << 16  # bytes looked at to find the number of columns ...
_SAMPLE = 200  # ... and records of these


@dataclass
class Table:
    """A file's rows as text columns, and the rows that do not fit its shape."""

    file: str
    frame: pl.DataFrame  # String columns named by position; null is an empty field
    header: list[str] | None
    place: str = "line"  # what a row's number counts
    numbers: NDArray[np.int64] | None = None  # first and last line of each row; None: one a line, after the header
    rejects: list[Reject] = field(default_factory=list)
    content: bytes = b""  # the text of the file, to quote bad rows from
    separator: str = "\t"
    unreadable: dict[int, str] = field(default_factory=dict)  # columns that hold no text (Parquet), with their type

    @property
    def kind(self) -> str:
        """The form of the file in words."""
        return {"\t": "tab separated", ",": "comma separated", "": "Parquet"}.get(
            self.separator, f"separated by {self.separator!r}"
        )

    def reject(self, reasons: dict[int, str]) -> list[Reject]:
        """Bad rows with their reasons, as they stand in the file."""
        if not reasons:
            return []
        lines = self.content.split(b"\n") if self.place == "line" else []
        result = []
        for row, reason in sorted(reasons.items()):
            first, last = self._lines(row)
            if self.place == "line":
                raw = b"\n".join(lines[first - 1 : last]).removesuffix(b"\r")
            else:
                raw = "\t".join(value or "" for value in self.frame.row(row)).encode()
            result.append(Reject(self.file, self.place, first, reason, raw))
        return result

    def _lines(self, row: int) -> tuple[int, int]:
        """First and last line (or the row's number in Parquet), from 1."""
        if self.numbers is not None:
            return int(self.numbers[row, 0]), int(self.numbers[row, 1])
        line = row + 1 + (self.header is not None and self.place == "line")
        return line, line


def read_table(path: Path, layout: Layout) -> Table:
    """The rows of a file; raises ``DataError`` when there is no table in it at all."""
    content = _content(path)
    if content[:4] == b"PAR1":
        return _read_parquet(path, content)
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content or (content[:1] in (b"\n", b"\r") and not content.strip(b"\r\n")):
        raise DataError(f"{path}: the file is empty")
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{path}: the file is UTF-16; save it as UTF-8")
    if content[:4] == b"PK\x03\x04":
        raise DataError(f"{path}: the file is a zip archive or a spreadsheet; unpack it, or save it as CSV")
    separator = layout.separator or _separator(path, content)
    quoted = separator != "\t" and b'"' in content
    beginning = [record for _, record in islice(_records(_head(content), separator, quoted), _SAMPLE)]
    sample = [record for record in beginning if isinstance(record, list)]
    if not sample:
        raise DataError(f"{path}: no line of the file is readable text; expected a table in UTF-8")
    named = _first_names(path, layout, beginning[0], sample)
    width = len(sample[0]) if named else Counter(map(len, sample)).most_common(1)[0][0]
    table = Table(str(path), _no_rows(), sample[0] if named else None, content=content, separator=separator)
    frame = None if quoted else _read_fast(content, separator, width, named)
    if frame is not None:
        table.frame = frame
    else:
        _read_slowly(table, width, quoted)
    return table


def _first_names(path: Path, layout: Layout, first: list[str] | str, sample: list[list[str]]) -> bool:
    """Whether the first record names the columns; it must be readable if it has to."""
    if isinstance(first, list):
        return has_header(layout, first, sample[1] if len(sample) > 1 else [])
    if has_header(layout, [], []):
        raise DataError(f"{path}: the header cannot be read: {first}")
    return False


def _head(content: bytes) -> bytes:
    """Enough whole lines to see what kind of table it is."""
    if len(content) <= _HEAD:
        return content
    end = content.rfind(b"\n", 0, _HEAD)
    return content[:end] if end > 0 else content


def _content(path: Path) -> bytes:
    """The bytes of a file, unpacked if it is gzip."""
    if path.is_dir():
        raise DataError(f"{path} is a directory; expected a file of events")
    try:
        content = path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path}: the gzip file is broken ({error}); fetch or pack it again") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # a path with a NUL in it
        raise DataError(f"{str(path)!r} is not a path: {error}") from error
    return content


def _separator(path: Path, content: bytes) -> str:
    """Tab, comma, semicolon or bar, by the file's name and what its first line has."""
    suffix = path.name.removesuffix(".gz").lower().rpartition(".")[2]
    line = content[: content.find(b"\n") + 1] or content
    if suffix in ("tsv", "tab") or (b"\t" in line and not (suffix == "csv" and b"," in line)):
        return "\t"
    marks = [mark for mark in (";", "|") if line.count(mark.encode()) >= 3 > line.count(b",")]
    return marks[0] if marks else ","


def _read_fast(content: bytes, separator: str, width: int, named: bool) -> pl.DataFrame | None:
    """The whole file at once, or None if it is not a clean table of ``width`` columns.

    polars cuts carriage returns off any field, passes over an extra field at the end of a line if it is empty, and
    fills missing ones with nulls; where that could matter the file is not clean.
    """
    import polars as pl  # noqa: PLC0415

    returns = content.count(b"\r") if b"\r" in content else 0
    if (returns and returns != content.count(b"\r\n")) or width == 1 or content[:1] in (b"\n", b"\r"):
        return None
    schema = {str(index): pl.String for index in range(width)}
    try:
        frame = pl.read_csv(
            content, separator=separator, has_header=False, skip_rows=int(named), quote_char=None, schema=schema
        )
    except pl.exceptions.PolarsError:
        return None
    start = content.find(b"\n") + 1 if named else 0
    lengths = frame.select(pl.all().str.len_bytes().sum()).row(0)
    marks = frame.height * width - (not content.endswith(b"\n")) + (content.count(b"\r", start) if returns else 0)
    if sum(lengths) + marks != len(content) - start:  # some byte is neither in a field nor between two
        return None
    empty = sum(frame.null_count().row(0))
    return frame if not empty or _even(content, start, separator, width) else None


def _even(content: bytes, start: int, separator: str, width: int) -> bool:
    """Whether every line from ``start`` on has exactly ``width`` fields."""
    letters = np.frombuffer(content, dtype=np.uint8, offset=start)
    marks = np.flatnonzero(letters == ord(separator))
    ends = np.flatnonzero(letters == ord("\n"))
    if letters[-1] != ord("\n"):
        ends = np.append(ends, len(letters))
    counts = np.diff(np.searchsorted(marks, ends), prepend=0)
    return bool((counts == width - 1).all())


def _read_slowly(table: Table, width: int, quoted: bool) -> None:
    """Line by line: good rows into the table, the others into its rejects."""
    import polars as pl  # noqa: PLC0415

    records = _records(table.content, table.separator, quoted)
    if table.header is not None:
        next(records)
    rows, numbers = [], []
    lines = table.content.split(b"\n")
    for (first, last), record in records:
        if isinstance(record, list) and len(record) == width:
            rows.append(record)
            numbers.append((first, last))
            continue
        found = "field" if isinstance(record, list) and len(record) == 1 else "fields"
        reason = f"{len(record)} {found}, expected {width}" if isinstance(record, list) else record
        raw = b"\n".join(lines[first - 1 : last]).removesuffix(b"\r")
        table.rejects.append(Reject(table.file, "line", first, reason, raw))
    columns = zip(*rows, strict=True) if rows else [()] * width
    table.frame = _empty_as_null([pl.Series(str(at), column, pl.String) for at, column in enumerate(columns)])
    table.numbers = np.array(numbers, dtype=np.int64).reshape(-1, 2)


def _records(content: bytes, separator: str, quoted: bool) -> Iterator[tuple[tuple[int, int], list[str] | str]]:
    """Records with their first and last line (from 1): the fields, or the reason why they cannot be read.

    Blank lines hold nothing and are passed over.
    """
    if quoted:
        yield from _quoted_records(content, separator)
        return
    mark = separator.encode()
    for number, line in enumerate(content.split(b"\n"), start=1):
        text = line.removesuffix(b"\r")
        if text:
            try:
                yield (number, number), [part.decode() for part in text.split(mark)]
            except UnicodeDecodeError as error:
                yield (number, number), _broken(error.object[error.start])


def _quoted_records(content: bytes, separator: str) -> Iterator[tuple[tuple[int, int], list[str] | str]]:
    text = content.decode("utf-8", errors="surrogateescape")
    reader = csv.reader((line + "\n" for line in text.split("\n")), delimiter=separator, strict=True)
    while True:
        first = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            never = "unexpected end" in str(error)
            yield (first, reader.line_num), "a quotation mark is never closed" if never else f"bad quoting ({error})"
            continue
        if not record:
            continue
        try:
            "".join(record).encode()
        except UnicodeEncodeError as error:
            yield (first, reader.line_num), _broken(ord(error.object[error.start]) - 0xDC00)
            continue
        yield (first, reader.line_num), record


def _broken(byte: int) -> str:
    return f"not UTF-8 (byte {byte:#x}); save the file as UTF-8"


def _read_parquet(path: Path, content: bytes) -> Table:
    import polars as pl  # noqa: PLC0415

    try:
        frame = pl.read_parquet(io.BytesIO(content))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{path}: the Parquet file is broken ({str(error).splitlines()[0]})") from error
    if not frame.height:
        raise DataError(f"{path}: the file is empty")
    texts = []
    unreadable = {}
    for index, column in enumerate(frame.get_columns()):
        zoned = isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None
        plain = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zoned else column
        try:
            text = plain.cast(pl.String)
        except pl.exceptions.PolarsError:
            unreadable[index] = str(column.dtype)
            text = pl.Series([None] * frame.height, dtype=pl.String)
        texts.append(text.alias(str(index)))
    header = list(frame.columns)
    return Table(str(path), _empty_as_null(texts), header, place="row", separator="", unreadable=unreadable)


def _empty_as_null(columns: list[pl.Series]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415

    return pl.DataFrame(columns).select(pl.when(pl.all() != "").then(pl.all()))


def _no_rows() -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415

    return pl.DataFrame()
