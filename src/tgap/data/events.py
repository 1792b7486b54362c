"""Files of events to ids: columns found, every row checked, modifiers merged, intervals cut into two facts."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.data.encode import Encoded
from tgap.data.facts import Facts, Int64Array
from tgap.data.instants import EXPECTED
from tgap.data.layout import ROLES, Layout, columns_of
from tgap.data.near_copies import SINCE, UNTIL
from tgap.data.rejects import BadRowsError, Reject
from tgap.data.tables import Table, read_table
from tgap.data.timeline import Timeline, Unit
from tgap.data.vocabulary import Vocabulary
from tgap.errors import DataError

if TYPE_CHECKING:
    import polars as pl


_NONE_GOOD = "there is no good one, so nothing was written; is --time the right column, is the file what it should be?"
_ROW_BITS = 40
_ROW_MASK = (1 << _ROW_BITS) - 1


@dataclass(frozen=True)
class Events:
    """What some files say, as ids: one part of facts for each file, and how the files were understood."""

    entities: Vocabulary
    relations: Vocabulary
    timeline: Timeline
    parts: list[Facts]
    rejects: list[Reject]
    forms: list[str]  # in words, for each file: tab separated, Parquet ...
    columns: dict[str, str]  # role -> header name or position
    cut: int  # distinct times that said more than the unit holds
    vague: int  # distinct times that said less
    zoned: int  # distinct times with a time zone, converted to UTC
    open_intervals: int  # intervals with only a start or only an end


def read_events(
    paths: Sequence[Path], layout: Layout | None = None, unit: Unit | None = None, skip_bad: bool = False
) -> Events:
    """Read files of one layout together, so that their ids and times agree.

    Raises ``BadRowsError`` with file, line and reason if any row is bad, unless ``skip_bad``; then the bad rows are
    returned as ``rejects`` beside the good ones.
    """
    import polars as pl  # noqa: PLC0415

    layout = layout or Layout()
    with ThreadPoolExecutor(len(paths)) as readers:
        tables = list(readers.map(read_table, paths, repeat(layout)))
    rejects = [reject for table in tables for reject in table.rejects]
    frames, origins = [], []
    columns: dict[str, str] = {}
    for index, table in enumerate(tables):
        places, named = _columns(table, layout)
        columns = columns or named
        frame, rows, empty = _named(table, places)
        rejects += table.reject(empty)
        frames.append(frame)
        origins.append(rows + (index << _ROW_BITS))
    if len({tuple(frame.columns) for frame in frames}) > 1:
        raise DataError(f"{paths[0]} and {paths[1]} have different columns; name them with --subject, --time and so on")
    texts = Texts(pl.concat(frames), np.concatenate(origins))
    intervals = "end" in texts.frame.columns
    given = texts.frame.height
    if intervals:
        texts = _instants_apart(texts)
    opened = 2 * given - texts.frame.height if intervals else 0
    if not texts.frame.height:
        raise BadRowsError(rejects, _NONE_GOOD) if rejects else DataError(f"{paths[0]}: there are no facts in it")
    try:
        encoded, texts, bad = _encode(texts, unit, intervals)
    except DataError as error:
        raise DataError(f"{paths[0]}: {error}") from error
    for index, table in enumerate(tables):
        own = {key & _ROW_MASK: reason for key, reason in bad.items() if key >> _ROW_BITS == index}
        rejects += table.reject(own)
    rejects.sort(key=lambda reject: (reject.file, reject.number))
    if not texts.frame.height:
        raise BadRowsError(rejects, _NONE_GOOD)
    if rejects and not skip_bad:
        raise BadRowsError(rejects)
    return Events(
        entities=encoded.entities,
        relations=encoded.relations,
        timeline=encoded.timeline,
        parts=encoded.parts(texts.origin >> _ROW_BITS, len(tables)),
        rejects=rejects,
        forms=[table.kind for table in tables],
        columns=columns,
        cut=encoded.counted.cut,
        vague=encoded.counted.vague,
        zoned=encoded.zoned,
        open_intervals=opened,
    )


class Texts(NamedTuple):
    """Columns of text by role, and for each row where it came from: file << 40 | row."""

    frame: pl.DataFrame
    origin: Int64Array

    def without(self, bad: NDArray[np.bool_]) -> Texts:
        """The rows left when the bad ones go, and with them the other fact of the same interval."""
        import polars as pl  # noqa: PLC0415

        keep = ~np.isin(self.origin, self.origin[bad])
        return Texts(self.frame.filter(pl.Series(keep)), self.origin[keep])


def _columns(table: Table, layout: Layout) -> tuple[dict[str, int], dict[str, str]]:
    """Where the roles stand in a table, and what to call those columns."""
    sample = [text or "" for text in table.frame.row(0)] if table.frame.height else [""] * table.frame.width
    places = columns_of(layout, table.header, sample, table.file)
    for role, place in places.items():
        if place in table.unreadable:
            raise DataError(f"{table.file}: the column for {role} holds {table.unreadable[place]}, expected text")
    names = table.header or [str(index + 1) for index in range(table.frame.width)]
    return places, {role: names[places[role]] for role in ROLES if role in places}


def _named(table: Table, places: dict[str, int]) -> tuple[pl.DataFrame, Int64Array, dict[int, str]]:
    """The columns by role and the index of each row, without rows that have an empty field; those rows' reasons."""
    import polars as pl  # noqa: PLC0415

    frame = table.frame.select(pl.col(str(place)).alias(role) for role, place in places.items())
    rows: Int64Array = np.arange(frame.height)
    needed = [role for role in places if role not in (("time", "end") if "end" in places else ("end",))]
    reasons: dict[int, str] = {}
    for role in needed:
        for row in frame[role].is_null().arg_true() if frame[role].null_count() else ():
            reasons.setdefault(row, f"the {role} is empty")
    if "end" in places:
        for row in (frame["time"].is_null() & frame["end"].is_null()).arg_true():
            reasons.setdefault(row, "neither start nor end is given")
    if reasons:
        rows = np.delete(rows, list(reasons))
        frame = frame[rows]
    if "modifier" in places:
        merged = pl.concat_str("relation", "modifier", separator="-").alias("relation")
        frame = frame.with_columns(merged).drop("modifier")
    return frame, rows, reasons


def _instants_apart(texts: Texts) -> Texts:
    """Intervals as two facts, ``-since`` at the start and ``-until`` at the end; all starts before all ends."""
    import polars as pl  # noqa: PLC0415

    frame, origin = texts
    sides = []
    for side, suffix in (("time", SINCE), ("end", UNTIL)):
        given = frame[side].is_not_null()
        columns = ("subject", pl.col("relation") + suffix, "object", pl.col(side).alias("time"))
        sides.append(Texts(frame.filter(given).select(*columns), origin[given.to_numpy()]))
    return Texts(pl.concat([side.frame for side in sides]), np.concatenate([side.origin for side in sides]))


def _encode(texts: Texts, unit: Unit | None, intervals: bool) -> tuple[Encoded, Texts, dict[int, str]]:
    """Ids of the rows whose time can be read; the others are taken out and returned as origin -> reason.

    Everything is found again without the bad rows, so that they leave no trace in names and timeline.
    """
    bad: dict[int, str] = {}
    while True:
        encoded = Encoded(texts.frame, unit)
        wrong = ~encoded.good
        backwards = not wrong.any()
        if backwards and intervals:
            wrong = _backwards(texts.origin, encoded.facts.time)
        if not wrong.any():
            return encoded, texts, bad
        example = encoded.timeline.format(0) if encoded.good.any() else EXPECTED
        rows = np.flatnonzero(wrong)
        for origin, text in zip(texts.origin[rows].tolist(), texts.frame["time"][rows], strict=True):
            bad[origin] = "the interval ends before it starts" if backwards else not_a_time(text, example)
        texts = texts.without(wrong)


def not_a_time(text: str, example: str) -> str:
    """Words for a text that is no time, or none of the kind that the others are."""
    return f"{text!r} is not a time like {example}"


def _backwards(origin: Int64Array, instant: Int64Array) -> NDArray[np.bool_]:
    """Facts of intervals that end before they start. All starts stand before all ends."""
    order = np.argsort(origin, kind="stable")
    key, instant = origin[order], instant[order]
    first = np.flatnonzero((key[1:] == key[:-1]) & (instant[1:] < instant[:-1]))
    result = np.zeros(len(origin), dtype=bool)
    result[order[first]] = result[order[first + 1]] = True
    return result
