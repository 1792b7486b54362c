"""Rows of events as texts by role, each with where it came from, until every one is checked and has ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tgap.data.encode import Encoded
from tgap.data.facts import BoolArray, Int64Array
from tgap.data.near_copies import SINCE, UNTIL
from tgap.data.reading import Layout, RawTable
from tgap.data.time import EXPECTED, Unit

if TYPE_CHECKING:
    import polars as pl

_ROW_BITS = 40
_ROW_MASK = (1 << _ROW_BITS) - 1
SPLIT = "split"  # the column of that name, beside those of the roles
_UNDATED = "the time is not known"


class Origin(NamedTuple):
    """Where a row came from: the table's place in the list, and the row in it. Packed into one number in arrays."""

    table: int
    row: int

    @classmethod
    def of(cls, packed: int) -> Origin:
        """From the packed form."""
        return cls(packed >> _ROW_BITS, packed & _ROW_MASK)


class Texts(NamedTuple):
    """Columns of text by role, and for each row its origin, packed."""

    frame: pl.DataFrame
    origin: Int64Array

    @property
    def table(self) -> Int64Array:
        """The table that each row came from."""
        return self.origin >> _ROW_BITS

    def keep(self, mask: BoolArray) -> Texts:
        """Only these rows."""
        import polars as pl  # noqa: PLC0415

        return Texts(self.frame.filter(pl.Series(mask)), self.origin[mask])

    def without(self, bad: BoolArray) -> Texts:
        """The rows left when the bad ones go, and with them the other fact of the same interval."""
        return self.keep(~np.isin(self.origin, self.origin[bad]))


class Checked(NamedTuple):
    """Rows with ids, and those that have none, by packed origin with the reason."""

    encoded: Encoded | None  # None if no row is left
    texts: Texts
    unreadable: dict[int, str]  # the time cannot be read
    backwards: Int64Array  # of rows that are left: the interval ends before it starts
    undated: dict[int, str]  # the row says itself that the time is not known


def texts_of(
    table: RawTable,
    index: int,
    places: dict[str, int],
    missing: tuple[str, ...],
    split: int | None = None,
    relation_name: str = "",
) -> tuple[Texts, dict[int, str]]:
    """The columns of a table by role, without rows that have an empty field, modifiers merged; those rows' reasons.

    ``split`` is the place of the column that says which split a row belongs to; ``relation_name`` is the relation of
    every row where no column has it.
    """
    import polars as pl  # noqa: PLC0415

    if split is not None:
        places = places | {SPLIT: split}
    frame = table.frame.select(pl.col(str(place)).alias(role) for role, place in places.items())
    if missing:
        frame = frame.select(pl.when(~pl.all().is_in(list(missing))).then(pl.all()))
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
    if relation_name:
        frame = frame.with_columns(pl.lit(relation_name).alias("relation"))
    if "modifier" in places:
        merged = pl.concat_str("relation", "modifier", separator="-").alias("relation")
        frame = frame.with_columns(merged).drop("modifier")
    return Texts(frame, rows + (index << _ROW_BITS)), reasons


def ends_apart(texts: Texts) -> Texts:
    """Intervals as two facts, ``-since`` at the start and ``-until`` at the end; all starts before all ends."""
    import polars as pl  # noqa: PLC0415

    frame, origin = texts
    more = [pl.col(SPLIT)] if SPLIT in frame.columns else []
    sides = []
    for side, suffix in (("time", SINCE), ("end", UNTIL)):
        given = frame[side].is_not_null()
        fact = [pl.col("subject"), pl.col("relation") + suffix, pl.col("object"), pl.col(side).alias("time")]
        sides.append(Texts(frame.filter(given).select(fact + more), origin[given.to_numpy()]))
    return Texts(pl.concat([side.frame for side in sides]), np.concatenate([side.origin for side in sides]))


def check(texts: Texts, layout: Layout, unit: Unit | None, intervals: bool) -> Checked:
    """Ids of the rows whose time can be read; the others are taken out with their reasons.

    Everything is found again without those rows, so that they leave no trace in names, timeline and counts.
    """
    unreadable: dict[int, str] = {}
    undated: dict[int, str] = {}
    while texts.frame.height:
        encoded = Encoded(texts.frame, unit, layout.time_format, layout.day_first)
        unknown = encoded.unknown
        if unknown.any():
            left = texts.keep(~unknown)  # the known end of an interval stays
            gone = np.setdiff1d(texts.origin, left.origin)
            undated |= dict.fromkeys(gone.tolist(), _UNDATED)
            texts = left
            continue
        wrong = ~encoded.good
        if wrong.any():
            example = encoded.timeline.format(0) if encoded.good.any() else EXPECTED
            rows = np.flatnonzero(wrong)
            for origin, text in zip(texts.origin[rows].tolist(), texts.frame["time"][rows], strict=True):
                unreadable[origin] = not_a_time(text, example, layout)
        if not wrong.any():
            backwards = _backwards(texts.origin, encoded.facts.time) if intervals else np.empty(0, dtype=np.int64)
            return Checked(encoded, texts, unreadable, backwards, undated)
        texts = texts.without(wrong)
    return Checked(None, texts, unreadable, np.empty(0, dtype=np.int64), undated)


def not_a_time(text: str, example: str, layout: Layout) -> str:
    """Words for a text that is no time, or none of the kind that the others are."""
    expected = f"in the format {layout.time_format!r}" if layout.time_format else f"like {example}"
    return f"{text!r} is not a time {expected}"


def _backwards(origin: Int64Array, instant: Int64Array) -> Int64Array:
    """Rows whose interval ends before it starts. All starts stand before all ends."""
    order = np.argsort(origin, kind="stable")
    key, instant = origin[order], instant[order]
    found: Int64Array = key[1:][(key[1:] == key[:-1]) & (instant[1:] < instant[:-1])]
    return found
