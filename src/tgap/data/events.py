"""Files of events to ids: columns found, every row checked, modifiers merged, intervals cut into two facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tgap.data.encode import Encoded
from tgap.data.facts import Facts, Int64Array
from tgap.data.instants import EXPECTED
from tgap.data.layout import ROLES, Layout, columns_of
from tgap.data.rejects import BadRowsError, Reject
from tgap.data.tables import Table, read_table
from tgap.data.timeline import Timeline, Unit
from tgap.data.vocabulary import Vocabulary
from tgap.errors import DataError

if TYPE_CHECKING:
    import polars as pl


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
    tables = [read_table(path, layout) for path in paths]
    rejects = [reject for table in tables for reject in table.rejects]
    frames = []
    columns: dict[str, str] = {}
    for index, source in enumerate(tables):
        places, named = _columns(source, layout)
        columns = columns or named
        frame, empty = _named(source, places)
        rejects += source.reject(empty)
        frames.append(frame.with_columns(pl.lit(index, pl.Int32).alias("file")))
    if len({tuple(frame.columns) for frame in frames}) > 1:
        raise DataError(f"{paths[0]} and {paths[1]} have different columns; name them with --subject, --time and so on")
    table, opened = _instants_apart(pl.concat(frames))
    if not table.height:
        raise BadRowsError(rejects) if rejects else DataError(f"{paths[0]}: there are no facts in it")
    try:
        encoded, table, bad = _encode(table, unit, opened is not None)
    except DataError as error:
        raise DataError(f"{paths[0]}: {error}") from error
    for index, source in enumerate(tables):
        rejects += source.reject(bad.get(index, {}))
    rejects.sort(key=lambda reject: (reject.file, reject.number))
    if rejects and not (skip_bad and table.height):
        raise BadRowsError(rejects)
    return Events(
        entities=encoded.entities,
        relations=encoded.relations,
        timeline=encoded.timeline,
        parts=encoded.parts(table["file"].to_numpy(), len(tables)),
        rejects=rejects,
        forms=[source.kind for source in tables],
        columns=columns,
        cut=encoded.counted.cut,
        vague=encoded.counted.vague,
        open_intervals=opened or 0,
    )


def _columns(table: Table, layout: Layout) -> tuple[dict[str, int], dict[str, str]]:
    """Where the roles stand in a table, and what to call those columns."""
    sample = [text or "" for text in table.frame.row(0)] if table.frame.height else [""] * table.frame.width
    places = columns_of(layout, table.header, sample, table.file)
    for role, place in places.items():
        if place in table.unreadable:
            raise DataError(f"{table.file}: the column for {role} holds {table.unreadable[place]}, expected text")
    names = table.header or [str(index + 1) for index in range(table.frame.width)]
    return places, {role: names[places[role]] for role in ROLES if role in places}


def _named(table: Table, places: dict[str, int]) -> tuple[pl.DataFrame, dict[int, str]]:
    """The columns by role with the row's index, without rows that have an empty field, and those rows' reasons."""
    import polars as pl  # noqa: PLC0415

    frame = table.frame.select(pl.col(str(place)).alias(role) for role, place in places.items())
    frame = frame.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("row"))
    needed = [role for role in places if role not in (("time", "end") if "end" in places else ("end",))]
    reasons: dict[int, str] = {}
    for role in needed:
        for row in frame[role].is_null().arg_true() if frame[role].null_count() else ():
            reasons.setdefault(row, f"the {role} is empty")
    if "end" in places:
        for row in (frame["time"].is_null() & frame["end"].is_null()).arg_true():
            reasons.setdefault(row, "neither start nor end is given")
    if reasons:
        frame = frame.filter(~pl.col("row").is_in(list(reasons)))
    if "modifier" in places:
        merged = pl.concat_str("relation", "modifier", separator="-").alias("relation")
        frame = frame.with_columns(merged).drop("modifier")
    return frame, reasons


def _instants_apart(table: pl.DataFrame) -> tuple[pl.DataFrame, int | None]:
    """Intervals as two facts, ``-since`` at the start and ``-until`` at the end; also how many lack one of them."""
    import polars as pl  # noqa: PLC0415

    if "end" not in table.columns:
        return table, None
    since = table.drop("end").with_columns(pl.col("relation") + "-since").drop_nulls("time")
    until = table.drop("time").rename({"end": "time"}).with_columns(pl.col("relation") + "-until")
    until = until.drop_nulls("time").select(since.columns)
    return pl.concat([since, until]), 2 * table.height - since.height - until.height


def _encode(
    table: pl.DataFrame, unit: Unit | None, intervals: bool
) -> tuple[Encoded, pl.DataFrame, dict[int, dict[int, str]]]:
    """Ids of the rows whose time can be read; the others are taken out and returned as file -> row -> reason.

    Everything is found again without the bad rows, so that they leave no trace in names and timeline.
    """
    import polars as pl  # noqa: PLC0415

    bad: dict[int, dict[int, str]] = {}
    while True:
        encoded = Encoded(table, unit)
        good = encoded.good
        backwards = bool(good.all())
        if backwards and intervals:
            good = ~_backwards(table, encoded.facts.time)
        if good.all() or not table.height:
            return encoded, table, bad
        example = encoded.timeline.format(0) if good.any() else EXPECTED
        for file, row, text in table.filter(~pl.Series(good)).select("file", "row", "time").iter_rows():
            reason = "the interval ends before it starts" if backwards else not_a_time(text, example)
            bad.setdefault(file, {})[row] = reason
        key = _row_keys(table)
        table = table.filter(pl.Series(~np.isin(key, key[~good])))


def not_a_time(text: str, example: str) -> str:
    """Words for a text that is no time, or none of the kind that the others are."""
    return f"{text!r} is not a time like {example}"


def _backwards(table: pl.DataFrame, instant: Int64Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Facts of intervals that end before they start. All starts stand before all ends in the table."""
    key = _row_keys(table)
    order = np.argsort(key, kind="stable")
    key, instant = key[order], instant[order]
    wrong = np.flatnonzero((key[1:] == key[:-1]) & (instant[1:] < instant[:-1]))
    result = np.zeros(table.height, dtype=bool)
    result[order[wrong]] = result[order[wrong + 1]] = True
    return result


def _row_keys(table: pl.DataFrame) -> Int64Array:
    """One number for each row of each file."""
    keys: Int64Array = (table["file"].to_numpy().astype(np.int64) << 40) + table["row"].to_numpy()
    return keys
