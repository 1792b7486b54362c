"""The first sheet of a spreadsheet (.xlsx) as a table of text: dates as 2018-01-05, numbers as they would be typed."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

from tgap.data.reading.raw_table import RawTable
from tgap.data.reading.typed import empty_as_null
from tgap.data.reading.unpack import WORKBOOK
from tgap.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}  # number formats that every program knows
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')  # what stands in a format but is no mark of it
_START = datetime(1899, 12, 30)
_START_1904 = datetime(1904, 1, 1)


def read_spreadsheet(file: str, content: bytes) -> RawTable:
    """The rows of the first sheet; the first row names the columns."""
    import polars as pl  # noqa: PLC0415

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            rows = list(_rows(archive))
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, StopIteration) as error:
        raise DataError(f"{file}: the spreadsheet cannot be read ({error}); save it as CSV") from error
    rows = [(number, cells) for number, cells in rows if any(cells.values())]
    if len(rows) < 2:
        raise DataError(f"{file}: the first sheet has no rows below a header")
    (_, header), *body = rows
    width = 1 + max(max(cells) for _, cells in rows)
    columns = [pl.Series(str(at), [cells.get(at) or None for _, cells in body], pl.String) for at in range(width)]
    numbers = np.array([(number, number) for number, _ in body], dtype=np.int64)
    names = [header.get(at, "") for at in range(width)]
    return RawTable(file, empty_as_null(columns), names, "spreadsheet", place="row", numbers=numbers, enclosed=True)


def _rows(archive: zipfile.ZipFile) -> Iterator[tuple[int, dict[int, str]]]:
    """Number and cells of each row of the first sheet, cells by their column from 0."""
    book = _parsed(archive, WORKBOOK)
    shared, dates = _shared_texts(archive), _date_styles(archive)
    settings = book.find(f"{_MAIN}workbookPr")
    start = _START_1904 if settings is not None and settings.get("date1904") in ("1", "true") else _START
    sheet = _parsed(archive, _first_sheet(archive, book))
    for count, row in enumerate(sheet.iter(f"{_MAIN}row"), start=1):
        cells = {}
        for place, cell in enumerate(row.iter(f"{_MAIN}c")):
            cells[_column(cell.get("r", ""), place)] = _text(cell, shared, dates, start)
        yield int(row.get("r", count)), cells


def _parsed(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    """A part of the spreadsheet. Entities of its own, with which XML can be made to explode, are refused."""
    content = archive.read(name)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ValueError(f"{name} defines XML entities")
    return ElementTree.fromstring(content)  # noqa: S314  see above


def _first_sheet(archive: zipfile.ZipFile, book: ElementTree.Element) -> str:
    wanted = next(book.iter(f"{_MAIN}sheet")).get(_LINK)
    links = _parsed(archive, "xl/_rels/workbook.xml.rels")
    target = next(link.get("Target", "") for link in links if link.get("Id") == wanted)
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _shared_texts(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    root = _parsed(archive, "xl/sharedStrings.xml")
    return ["".join(_texts(item)) for item in root.iter(f"{_MAIN}si")]


def _texts(item: ElementTree.Element) -> Iterator[str]:
    """Pieces of a text, without the reading aids of Japanese."""
    for child in item:
        if child.tag == f"{_MAIN}t":
            yield child.text or ""
        elif child.tag == f"{_MAIN}r":
            yield child.findtext(f"{_MAIN}t") or ""


def _date_styles(archive: zipfile.ZipFile) -> set[int]:
    """Numbers of the cell styles that show a date."""
    if "xl/styles.xml" not in archive.namelist():
        return set()
    root = _parsed(archive, "xl/styles.xml")
    own = {int(form.get("numFmtId", 0)): form.get("formatCode", "") for form in root.iter(f"{_MAIN}numFmt")}
    dates = _DATES | {number for number, code in own.items() if re.search("[ymdhs]", _QUOTED.sub("", code.lower()))}
    styles = root.find(f"{_MAIN}cellXfs")
    found = [] if styles is None else [int(style.get("numFmtId", 0)) for style in styles]
    return {place for place, number in enumerate(found) if number in dates}


def _column(reference: str, place: int) -> int:
    """Column from 0 by a reference like AB12; without one, cells follow one another."""
    letters = reference.rstrip("0123456789")
    if not letters:
        return place
    value = 0
    for letter in letters:
        value = 26 * value + ord(letter) - ord("A") + 1
    return value - 1


def _text(cell: ElementTree.Element, shared: list[str], dates: set[int], start: datetime) -> str:
    kind, value = cell.get("t", "n"), cell.findtext(f"{_MAIN}v") or ""
    inline = cell.find(f"{_MAIN}is")
    if inline is not None:
        return "".join(_texts(inline))
    if kind == "s":
        return shared[int(value)]
    if kind == "n" and value:
        number = float(value)
        if int(cell.get("s", 0)) in dates:
            return _moment(start + timedelta(seconds=round(86_400 * number)))
        return str(int(number)) if number.is_integer() else value
    return value


def _moment(moment: datetime) -> str:
    if moment.hour == moment.minute == moment.second == 0:
        return f"{moment:%Y-%m-%d}"
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")
