"""Read a column of times: the one entry function from texts to instants on a timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tgap.data.facts import BoolArray, Int64Array
from tgap.data.time.ambiguity import Order, Zones, settle_order, settle_zones
from tgap.data.time.instants import HOUR, NUMBER, UNKNOWN, Instants, read_instants
from tgap.data.time.numbers import as_dates, compact_dates, epoch_of, from_epoch
from tgap.data.time.style import CANONICAL
from tgap.data.time.timeline import Timeline, Unit
from tgap.data.time.units import LEVELS, date_timeline, mostly, needed_precision, number_timeline
from tgap.errors import DataError

if TYPE_CHECKING:
    import polars as pl

LONGEST = 2**30  # units between the first and the last instant: time ids fit 32 bits with room for questions
EXPECTED = "2014-05-13, 2014-05-13T07:30, 2014 or 17"


@dataclass(frozen=True)
class Times:
    """Distinct time texts as instants on a timeline, and what was decided on the way. Masks are over the texts.

    ``first`` and ``last`` of the timeline are those of the good texts.
    """

    timeline: Timeline
    instant: Int64Array  # units since the first instant
    good: BoolArray  # texts that were read
    unknown: BoolArray  # texts that say that the time is unknown
    cut: BoolArray  # good texts that are finer than the unit (seconds in a timeline of minutes)
    vague: BoolArray  # good texts that are coarser than the unit (a year among days)
    odd: BoolArray  # texts of another kind than the others, too rare to decide the unit
    deciding: BoolArray  # texts that made the unit as fine as it is, where they are the minority
    needed: Int64Array  # precision that each text needs
    away: BoolArray  # texts in a time zone other than UTC
    zones: Zones = ""  # what was done with those: converted to UTC, or local dates kept
    order: Order = ""  # what 01/02/2018 starts with, and whether any text proves it
    epoch: str = ""  # what numbers count since 1970: seconds, milliseconds ...
    unzoned: BoolArray | None = None  # texts with a time of day and no zone, where others have one

    def finest_unit(self, texts: BoolArray) -> Unit:
        """Return the unit that the finest of these texts needs."""
        return _unit_of(int(self.needed[texts].max()))

    def common_unit(self, texts: BoolArray, rows: Int64Array) -> Unit | None:
        """Return the unit that most rows with these texts need; None if it is not a calendar unit."""
        level = int(np.bincount(self.needed[texts], rows[texts]).argmax())
        return _unit_of(level) if level in LEVELS.values() else None


def read_times(
    texts: Sequence[str] | pl.Series,
    unit: Unit | None = None,
    *,
    rows: Int64Array | None = None,
    time_format: str = "",
    day_first: bool | None = None,
) -> Times:
    """Read distinct time texts onto a timeline of their own.

    ``unit`` overrides the unit that would be chosen. ``rows`` says how many rows have each text (default: one each).
    ``time_format`` (``%d.%m.%Y``, ``hours since 2018-01-01``) replaces the known forms. ``day_first`` says how
    01/02/2018 is meant. Raises ``DataError`` if the unit does not fit the texts.

    >>> read_times(["2014-05-13", "2014-05-20"]).instant.tolist()
    [0, 7]
    """
    found = read_instants(texts, time_format)
    rows = np.ones(len(texts), dtype=np.int64) if rows is None else rows
    unknown: BoolArray = found.precision == UNKNOWN
    found, order = settle_order(found, rows, day_first)
    epoch = "" if unit == "integer" else _epoch(found, rows)
    found = from_epoch(found, epoch) if epoch else found
    found, zones = settle_zones(found, rows)
    none = np.zeros(len(texts), dtype=bool)
    if not found.good.any():
        blank = found.number
        return Times(Timeline("integer", 0, 0, "%d"), blank, none, unknown, none, none, none, none, blank, none)
    numbers = found.precision == NUMBER
    compact = numbers.any() and mostly(compact_dates(found), numbers, rows) and unit != "integer"
    numeric = 2 * rows[numbers].sum() > rows[found.good].sum() and not compact
    if unit == "integer" and not numeric:
        raise DataError("the unit integer needs plain whole numbers, but these times are dates; choose day or hour")
    if numeric:
        timeline, odd = number_timeline(found, list(texts), rows, unit)
        cut = found.good & ~numbers if timeline.unit == "year" else none
        vague = deciding = none
        needed = found.precision.astype(np.int64)
    else:
        dates = as_dates(found)
        needed = needed_precision(dates)
        timeline, odd, deciding, cut, vague = date_timeline(dates, needed, list(texts), rows, unit)
        if zones == "local" and timeline.unit in CANONICAL:
            timeline = replace(timeline, style=CANONICAL[timeline.unit])
    ordinal, fits = timeline.count(found, vague=True)
    first, last = int(ordinal[fits].min()), int(ordinal[fits].max())
    if last - first > LONGEST:
        raise DataError(
            f"the times span {last - first:,} {timeline.unit} units, at most {LONGEST:,} are supported; "
            "choose a coarser unit, or correct a wrong time"
        )
    return Times(
        timeline=replace(timeline, first=first, last=last),
        instant=ordinal - first,
        good=fits,
        unknown=unknown,
        cut=cut & fits,
        vague=vague & fits,
        odd=odd & fits,
        deciding=deciding & fits,
        needed=needed,
        away=found.zoned & (found.away != 0) & fits,
        zones=zones,
        order=order,
        epoch=epoch,
        unzoned=(found.precision >= HOUR) & ~found.zoned & fits if found.zoned[fits].any() and not epoch else None,
    )


def are_times(texts: Sequence[str], time_format: str = "") -> BoolArray:
    """Return which texts are times, or say that the time is unknown."""
    precision = read_instants(texts, time_format).precision
    result: BoolArray = (precision >= 0) | (precision == UNKNOWN)
    return result


def are_dates(texts: Sequence[str]) -> BoolArray:
    """Return which texts are dates; a plain number may be a name and does not count."""
    result: BoolArray = read_instants(texts).precision > NUMBER
    return result


def _unit_of(level: int) -> Unit:
    return next(unit for unit, own in LEVELS.items() if own == level)


def _epoch(found: Instants, rows: Int64Array) -> str:
    numbers = found.precision == NUMBER
    return epoch_of(found) if 2 * rows[numbers].sum() > rows[found.good].sum() else ""
