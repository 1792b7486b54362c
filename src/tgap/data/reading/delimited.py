"""Tables of text: separated by tabs, commas, semicolons or bars, with or without a header, quoted or not.

Text goes through polars at full speed. Only when a file is not a clean table (a line with too few or too many fields,
broken UTF-8, blank lines) a second, slower reading by Python goes line by line and tells which lines are bad. Files
with quotation marks around fields are read by Python's csv module: its reading of quotes is strict, exact and known
by line number, while polars leaves malformed quotes undefined. In tab files a quotation mark is a letter like any
other, unless the layout says otherwise.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from tgap.data.reading.blanks import is_blank_separated, with_tabs
from tgap.data.reading.columns import Layout, has_header
from tgap.data.reading.raw_table import RawTable
from tgap.data.reading.rejects import Reject
from tgap.data.reading.sources import TableSource
from tgap.data.reading.typed import empty_as_null
from tgap.errors import DataError

if TYPE_CHECKING:
    import polars as pl

_HEAD = 1 << 16  # bytes looked at to find the number of columns ...
_SAMPLE = 200  # ... and records of these


def read_text(source: TableSource, content: bytes, layout: Layout) -> RawTable:
    """The rows of a table of text."""
    import polars as pl  # noqa: PLC0415

    blanks = not layout.separator and source.suffix not in ("csv", "tsv", "tab") and is_blank_separated(content)
    if blanks:
        content = with_tabs(content)
    separator = "\t" if blanks else layout.separator or _separator(source.suffix, content)
    enclosed = separator != "\t" if layout.quotes is None else layout.quotes
    quoted = enclosed and b'"' in content
    beginning = [record for _, record in islice(_records(_head(content), separator, quoted), _SAMPLE)]
    sample = [record for record in beginning if isinstance(record, list)]
    if not sample:
        raise DataError(f"{source.name}: no line of the file is readable text; expected a table in UTF-8")
    named = _first_names(source.name, layout, beginning[0], sample)
    width = len(sample[0]) if named else Counter(map(len, sample)).most_common(1)[0][0]
    kind = (
        "separated by blanks"
        if blanks
        else {"\t": "tab separated", ",": "comma separated"}.get(separator, f"separated by {separator!r}")
    )
    header = sample[0] if named else None
    table = RawTable(source.name, pl.DataFrame(), header, kind, content=content, enclosed=enclosed)
    frame = None if quoted else _read_fast(content, separator, width, named)
    if frame is not None:
        table.frame = frame
    else:
        _read_slowly(table, width, separator, quoted)
    return table


def _first_names(file: str, layout: Layout, first: list[str] | str, sample: list[list[str]]) -> bool:
    """Whether the first record names the columns; it must be readable if it has to."""
    if isinstance(first, list):
        return has_header(layout, first, sample[1] if len(sample) > 1 else [])
    if has_header(layout, [], []):
        raise DataError(f"{file}: the header cannot be read: {first}")
    return False


def _head(content: bytes) -> bytes:
    """Enough whole lines to see what kind of table it is."""
    if len(content) <= _HEAD:
        return content
    end = content.rfind(b"\n", 0, _HEAD)
    return content[:end] if end > 0 else content


def _separator(suffix: str, content: bytes) -> str:
    """Tab, comma, semicolon or bar, by the file's name and what its first line has."""
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


def _read_slowly(table: RawTable, width: int, separator: str, quoted: bool) -> None:
    """Line by line: good rows into the table, the others into its rejects."""
    import polars as pl  # noqa: PLC0415

    records = _records(table.content, separator, quoted)
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
    table.frame = empty_as_null([pl.Series(str(at), column, pl.String) for at, column in enumerate(columns)])
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
