"""Tables of events to ids: columns found, every row checked, and how all of it was understood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np

from tgap.data.encode import Encoded
from tgap.data.facts import Facts, Int64Array
from tgap.data.reading import ROLES, BadRowsError, Columns, Layout, RawTable, Reject, Sources, columns_of, read_table
from tgap.data.remarks import Remark, lookalikes, name_remarks, shape_remarks, time_remarks
from tgap.data.texts import SPLIT, Origin, Texts, check, ends_apart, texts_of
from tgap.data.time import Timeline, Unit
from tgap.data.vocabulary import Vocabulary
from tgap.errors import DataError, Message, Option

_NONE_GOOD = Message(
    "there is no good one, so nothing was written; is ",
    Option("time"),
    " the right column, is the file what it should be?",
)
_SPLIT_WORDS = {"train": 0, "training": 0, "valid": 1, "validation": 1, "val": 1, "dev": 1, "test": 2, "testing": 2}
_NAMED = 8  # unused columns that a remark names
_SAMPLE = 500  # rows looked at to tell what a column holds


@dataclass(frozen=True)
class EventTables:
    """What some tables say, as ids: facts by part, the rows that gave none, and how the tables were understood."""

    encoded: Encoded
    texts: Texts  # the rows that the facts came from
    tables: Sequence[RawTable]
    columns: Sequence[Columns]  # of each table
    parts: list[Facts]
    rejects: list[Reject]  # bad rows
    undated: list[Reject]  # rows that say themselves that their time is not known
    backwards: Int64Array  # rows whose interval ends before it starts; both ends are kept as they stand

    @property
    def entities(self) -> Vocabulary:
        """Names of subjects and objects."""
        return self.encoded.entities

    @property
    def relations(self) -> Vocabulary:
        """Names of relations."""
        return self.encoded.relations

    @property
    def timeline(self) -> Timeline:
        """Times of all parts."""
        return self.encoded.timeline

    @property
    def column_names(self) -> dict[str, str]:
        """Header name or position of the column for each role, in the first table."""
        table, places = self.tables[0], self.columns[0].places
        names = table.header or [str(index + 1) for index in range(table.frame.width)]
        return {role: names[places[role]] for role in ROLES if role in places}

    @property
    def forms(self) -> list[str]:
        """The forms of the tables in words, each once: tab separated, Parquet ..., with the name of a known table."""
        named = (
            table.kind + (f", {columns.known_as}" if columns.known_as else "")
            for table, columns in zip(self.tables, self.columns, strict=True)
        )
        return list(dict.fromkeys(named))

    @cached_property
    def remarks(self) -> list[Remark]:
        """What a reader of the data should know; counts are of the rows that gave facts."""
        passed = dict.fromkeys(columns.passed_over for columns in self.columns if columns.passed_over)
        remarks = [Remark(f"{words}: passed over") for words in passed]
        encodings = dict.fromkeys(table.encoding for table in self.tables if table.encoding)
        remarks += [Remark(f"the text is {encoding}, read as such") for encoding in encodings]
        remarks += self._unused_columns()
        remarks += time_remarks(self.encoded, self._where)
        if "end" in self.columns[0].places:
            single = int((np.unique(self.texts.origin, return_counts=True)[1] == 1).sum())
            if single:
                noun = "interval has" if single == 1 else "intervals have"
                remarks.append(Remark(f"{single:,} {noun} only a start or only an end: one fact each"))
        if len(self.backwards):
            noun = "interval ends" if len(self.backwards) == 1 else "intervals end"
            where = self._where_packed(int(self.backwards[0]))
            text = (
                f"{len(self.backwards):,} {noun} before the start (first in {where}): both ends are kept as they stand"
            )
            remarks.append(Remark(f"{text}; mend the file if they are wrong", serious=True))
        if self.undated:
            noun = "row says" if len(self.undated) == 1 else "rows say"
            remarks.append(Remark(f"{len(self.undated):,} {noun} that the time is not known: left out"))
        remarks += shape_remarks(self.encoded, self.tables[0].header, self.columns[0].places["time"])
        return remarks + name_remarks(self.encoded, all(table.enclosed for table in self.tables))

    def lookalikes(self, relations: bool = False) -> list[tuple[str, str]]:
        """Names that differ from another only in case or outer blanks, each with the one that is used most."""
        facts = self.encoded.facts
        used = facts.relation if relations else np.concatenate([facts.subject, facts.object])
        names = self.relations if relations else self.entities
        return lookalikes(names, np.bincount(used, minlength=len(names)))

    def _unused_columns(self) -> list[Remark]:
        """Columns of the first table that have no role."""
        table, columns = self.tables[0], self.columns[0]
        if table.header is None or columns.known_as:
            return []
        used = {*columns.places.values(), columns.split}
        unused = [name for place, name in enumerate(table.header) if place not in used]
        if not unused:
            return []
        rest = f" and {len(unused) - _NAMED} more" if len(unused) > _NAMED else ""
        noun = "column is" if len(unused) == 1 else "columns are"
        return [Remark(f"{len(unused)} {noun} not used: {', '.join(unused[:_NAMED])}{rest}")]

    def _where(self, row: int) -> str:
        """File and line of a row that gave a fact."""
        return self._where_packed(int(self.texts.origin[row]))

    def _where_packed(self, packed: int) -> str:
        """File and line of a row by its packed origin."""
        origin = Origin.of(packed)
        table = self.tables[origin.table]
        return f"{table.file}, {table.place} {table.lines_of(origin.row)[0]}"


def read_events(
    sources: Sources,
    layout: Layout | None = None,
    unit: Unit | None = None,
    skip_bad: bool = False,
    split_column: bool = True,
) -> EventTables:
    """Read tables of one layout together, so that their ids and times agree.

    A column called split that holds nothing but train, valid and test divides the rows, if the tables are not divided
    already and ``split_column`` is True. Raises ``BadRowsError`` with file, line and reason if any row is bad, unless
    ``skip_bad``; then the bad rows are returned as ``rejects`` beside the good ones.
    """
    layout = layout or Layout()
    with ThreadPoolExecutor(min(len(sources.sources), 8)) as readers:
        tables = list(readers.map(read_table, sources.sources, repeat(layout)))
    columns = [_columns(table, layout) for table in tables]
    rejects = [reject for table in tables for reject in table.rejects]
    by_column = split_column and not sources.divided and _have_splits(tables, columns)
    found = []
    for index, (table, places) in enumerate(zip(tables, columns, strict=True)):
        split = places.split if by_column else None
        texts, empty = texts_of(table, index, places.places, layout.missing, split, layout.relation_name)
        rejects += table.reject(empty)
        found.append(texts)
    texts = _together(tables, found)
    intervals = "end" in texts.frame.columns
    if intervals:
        texts = ends_apart(texts)
    if not texts.frame.height:
        raise BadRowsError(rejects, _NONE_GOOD) if rejects else DataError(f"{tables[0].file}: there are no facts in it")
    try:
        checked = check(texts, layout, unit, intervals)
    except DataError as error:
        raise DataError(f"{tables[0].file}: ", error.message) from error
    rejects += _rejects(tables, _with_header_hint(checked.unreadable, tables))
    rejects.sort(key=lambda reject: (reject.file, reject.number))
    undated = _rejects(tables, checked.undated)
    if checked.encoded is None:
        raise BadRowsError(rejects or undated, _NONE_GOOD)
    if rejects and not skip_bad:
        raise BadRowsError(rejects)
    part = _part_by_column(checked.texts) if by_column else np.array(sources.part)[checked.texts.table]
    parts = checked.encoded.parts(part, 3 if by_column else max(sources.part) + 1)
    return EventTables(checked.encoded, checked.texts, tables, columns, parts, rejects, undated, checked.backwards)


def _columns(table: RawTable, layout: Layout) -> Columns:
    """Where the roles stand in a table."""
    sample = [[text or "" for text in row] for row in table.frame.head(_SAMPLE).rows()]
    columns = columns_of(layout, table.header, sample, table.frame.width, table.file)
    for role, place in columns.places.items():
        if place in table.unreadable:
            raise DataError(f"{table.file}: the column for {role} holds {table.unreadable[place]}, expected text")
    return columns


def _have_splits(tables: Sequence[RawTable], columns: Sequence[Columns]) -> bool:
    """Whether all tables have a column that says of every row which split it belongs to, and no split is missing."""
    found: set[int | None] = set()
    for table, places in zip(tables, columns, strict=True):
        if places.split is None:
            return False
        values = table.frame[str(places.split)].unique()
        found |= {_SPLIT_WORDS.get((value or "").lower()) for value in values}
    return found == {0, 1, 2}


def _part_by_column(texts: Texts) -> Int64Array:
    """0, 1 and 2 for the rows of train, valid and test."""
    import polars as pl  # noqa: PLC0415

    return texts.frame[SPLIT].str.to_lowercase().replace_strict(_SPLIT_WORDS, return_dtype=pl.Int64).to_numpy()


def _together(tables: Sequence[RawTable], found: Sequence[Texts]) -> Texts:
    """The rows of all tables, which must have the same roles."""
    import polars as pl  # noqa: PLC0415

    first = sorted(found[0].frame.columns)
    for table, texts in zip(tables, found, strict=True):
        if sorted(texts.frame.columns) != first:
            raise DataError(
                f"{tables[0].file} and {table.file} have different columns; name them with ",
                Option("subject"),
                ", ",
                Option("time"),
                " and so on",
            )
    frames = [texts.frame.select(found[0].frame.columns) for texts in found]
    return Texts(pl.concat(frames), np.concatenate([texts.origin for texts in found]))


def _rejects(tables: Sequence[RawTable], reasons: Mapping[int, str]) -> list[Reject]:
    """Rows by packed origin, as they stand in their tables."""
    own: list[dict[int, str]] = [{} for _ in tables]
    for packed, reason in reasons.items():
        origin = Origin.of(packed)
        own[origin.table][origin.row] = reason
    return [reject for table, rows in zip(tables, own, strict=True) for reject in table.reject(rows)]


def _with_header_hint(unreadable: Mapping[int, str], tables: Sequence[RawTable]) -> dict[int, str]:
    """A first row without a time may be a header that was not known as one."""
    hinted = dict(unreadable)
    for packed, reason in unreadable.items():
        origin = Origin.of(packed)
        if origin.row == 0 and tables[origin.table].header is None:
            hinted[packed] = Message(f"{reason}; if this line is the header, say so with ", Option("header"))
    return hinted
