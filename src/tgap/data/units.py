"""Which timeline a column of times speaks: the unit found from the texts, and the style that prints them again.

Rules, in this order. Numbers only (or mostly): eight digits and real dates are dates, ten digits seconds and thirteen
milliseconds since 1970, four digits or negative numbers years; else they are steps. Otherwise dates: the finest of
minute, hour, day, month, year that the texts need; where at least five different dates all fall on 1 January, on the
first of a month, or on one weekday, the unit is the year, the month or the week. In all of this a handful of rows
(fewer than one in twenty) never decides: it is read as well as the unit of the others allows, and reported (``odd``).
A unit given by the user is taken as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tgap.data.calendar import MONDAY, Int64Array, date_from_days
from tgap.data.instants import (
    DAY,
    DAY_FIRST,
    DAY_SECONDS,
    EITHER,
    HOUR,
    MINUTE,
    MONTH,
    MONTH_FIRST,
    NUMBER,
    UNREADABLE,
    WEEK,
    YEAR,
    BoolArray,
    Instants,
)
from tgap.data.number_times import as_dates, compact_dates, epoch_of, from_epoch, plain_years
from tgap.data.timeline import Timeline, Unit
from tgap.errors import DataError

LONGEST = 2**30  # units between the first and the last instant: ids of time fit 32 bits with room for questions
RARE = 0.05  # share of rows below which their kind does not decide
_ENOUGH = 5  # different dates that must share a pattern before it is taken for the unit
_LAST_YEAR = 2999  # numbers beyond are steps, even where most are written like years
_LEVELS: dict[str, int] = {"year": YEAR, "month": MONTH, "week": WEEK, "day": DAY, "hour": HOUR, "minute": MINUTE}
_CANONICAL = {"year": "%Y", "month": "%Y-%m", "week": "%Y-%m-%d", "day": "%Y-%m-%d", "hour": "%Y-%m-%dT%H:%M"}
Zones = Literal["", "utc", "local"]
Order = Literal["", "month", "day", "guessed"]


@dataclass(frozen=True)
class Counted:
    """Times of different texts on their timeline, and what had to be decided; masks and counts are of the texts.

    ``first`` and ``last`` of the timeline are those of the good texts.
    """

    timeline: Timeline
    instant: Int64Array  # units since the first instant
    good: BoolArray
    cut: BoolArray  # good texts that say more than the unit can hold (seconds in a timeline of minutes)
    vague: BoolArray  # good texts that say less than the unit (a year among days)
    odd: BoolArray  # texts that are too rare to decide the unit, and are of another kind than the rest
    deciding: BoolArray  # texts that made the unit as fine as it is, where they are the smaller part
    needed: Int64Array  # how fine a unit each text needs: YEAR .. MINUTE
    away: BoolArray  # texts in a time zone other than UTC
    zones: Zones = ""  # what was done with those: converted to UTC, or their local dates kept
    order: Order = ""  # what 01/02/2018 begins with, and whether anything proves it
    epoch: str = ""  # what numbers count since 1970: seconds or milliseconds


def count_instants(
    found: Instants,
    texts: list[str],
    unit: Unit | None = None,
    rows: Int64Array | None = None,
    day_first: bool | None = None,
) -> Counted:
    """Times of different texts on a timeline of their own; ``unit`` overrides what would be found.

    ``rows`` tells how many rows have each text (one each, if not given); ``day_first`` how 01/02/2018 is meant.
    Raises ``DataError`` if the unit does not fit the texts.
    """
    rows = np.ones(len(texts), dtype=np.int64) if rows is None else rows
    found, order = _settle_order(found, rows, day_first)
    epoch = "" if unit == "integer" else _epoch(found, rows)
    found = from_epoch(found, epoch) if epoch else found
    found, zones = _settle_zones(found, rows)
    none = np.zeros(len(texts), dtype=bool)
    if not found.good.any():
        blank = found.number
        return Counted(Timeline("integer", 0, 0, "%d"), blank, none, none, none, none, none, blank, none)
    numbers = found.precision == NUMBER
    compact = numbers.any() and _mostly(compact_dates(found), numbers, rows) and unit != "integer"
    numeric = 2 * rows[numbers].sum() > rows[found.good].sum() and not compact
    if unit == "integer" and not numeric:
        raise DataError("the unit integer needs plain whole numbers; these times are dates, choose day, hour or so")
    if numeric:
        timeline, odd = _number_timeline(found, texts, rows, unit)
        cut = found.good & ~numbers if timeline.unit == "year" else none
        vague = deciding = none
        needed = found.precision.astype(np.int64)
    else:
        dates = as_dates(found)
        needed = _needed(dates)
        timeline, odd, deciding, cut, vague = _date_timeline(dates, needed, texts, rows, unit)
        if zones == "local" and timeline.unit in _CANONICAL:
            timeline = replace(timeline, style=_CANONICAL[timeline.unit])
    ordinal, fits = timeline.count(found, vague=True)
    first, last = int(ordinal[fits].min()), int(ordinal[fits].max())
    if last - first > LONGEST:
        raise DataError(
            f"the times span {last - first:,} {timeline.unit} units, at most {LONGEST:,} are supported; "
            "choose a coarser unit, or mend a stray time"
        )
    placed = replace(timeline, first=first, last=last)
    away = found.zoned & (found.away != 0) & fits
    return Counted(
        timeline=placed,
        instant=ordinal - first,
        good=fits,
        cut=cut & fits,
        vague=vague & fits,
        odd=odd & fits,
        deciding=deciding & fits,
        needed=needed,
        away=away,
        zones=zones,
        order=order,
        epoch=epoch,
    )


def _settle_order(found: Instants, rows: Int64Array, day_first: bool | None) -> tuple[Instants, Order]:
    """Decide whether day or month comes first in 01/02/2018: as told, else as most of the clear texts have it.

    Texts that can only be meant the other way become bad.
    """
    if not found.order.any():
        return found, ""
    either = found.order == EITHER
    by_month, by_day = (int(rows[found.order == kind].sum()) for kind in (MONTH_FIRST, DAY_FIRST))
    turned = by_day > by_month if day_first is None else day_first
    wrong = found.order == (MONTH_FIRST if turned else DAY_FIRST)
    day = np.where(either, found.other_way, found.day) if turned else found.day
    settled = replace(found, day=day, precision=np.where(wrong, np.int8(UNREADABLE), found.precision))
    if day_first is None and not by_month and not by_day:
        return settled, "guessed" if either.any() else ""
    return settled, "day" if turned else "month"


def _settle_zones(found: Instants, rows: Int64Array) -> tuple[Instants, Zones]:
    """Keep local dates where (nearly) all times with a zone are midnights there; else they stay converted to UTC."""
    zoned = found.zoned & found.good
    if not (found.away[zoned] != 0).any():
        return found, ""
    local = found.day * DAY_SECONDS + found.second + 60 * found.away
    if not _mostly(local % DAY_SECONDS == 0, zoned, rows):
        return found, "utc"
    day, second = np.where(zoned, local // DAY_SECONDS, found.day), np.where(zoned, local % DAY_SECONDS, found.second)
    return replace(found, day=day, second=second), "local"


def _epoch(found: Instants, rows: Int64Array) -> str:
    numbers = found.precision == NUMBER
    return epoch_of(found) if 2 * rows[numbers].sum() > rows[found.good].sum() else ""


def _number_timeline(
    found: Instants, texts: list[str], rows: Int64Array, unit: Unit | None
) -> tuple[Timeline, BoolArray]:
    """Timeline without ends for plain numbers, and the texts that are written unlike the rest."""
    numbers, years = found.precision == NUMBER, plain_years(found)
    far = np.abs(found.number[numbers]).max() > _LAST_YEAR
    mostly = bool(years[numbers].all()) or (not far and _mostly(years, numbers, rows))
    odd = numbers & ~years if mostly and unit is None else np.zeros(len(texts), dtype=bool)
    padded = [text.strip().lstrip("+-") for text, usual in zip(texts, numbers & ~odd, strict=True) if usual]
    width = max((len(text) for text in padded if text.startswith("0") and text.isdigit() and len(text) > 1), default=0)
    return Timeline(unit or ("year" if mostly else "integer"), 0, 0, f"%0{width}d" if width else "%d"), odd


def _date_timeline(
    dates: Instants, needed: Int64Array, texts: list[str], rows: Int64Array, unit: Unit | None
) -> tuple[Timeline, BoolArray, BoolArray, BoolArray, BoolArray]:
    """Timeline without ends for dates, and the masks ``odd``, ``deciding``, ``cut`` and ``vague``."""
    good = dates.good
    odd = deciding = np.zeros(len(texts), dtype=bool)
    if unit is None:
        unit, odd = _date_unit(dates, needed, rows)
        fine = good & (needed >= _LEVELS[unit]) & ~odd
        if unit in ("minute", "hour") and 2 * rows[fine].sum() < rows[good].sum():
            deciding = fine
    usual = good & ~odd
    level = _LEVELS[unit]
    weekday = (dates.day + MONDAY) % 7
    week_start = int(weekday[usual][0]) if unit == "week" and (weekday[usual] == weekday[usual][0]).all() else 0
    cut = good & _says_more(dates, unit, week_start)
    vague = good & (dates.precision < level) if unit != "week" else np.zeros(len(texts), dtype=bool)
    finest = int(np.argmax(np.where(usual, dates.precision, -1)))
    style = _date_style(texts[finest].strip(), int(dates.precision[finest]))
    expressive = int(dates.precision[finest]) >= level or unit in ("week", "month", "year")
    if not style or cut.any() or not expressive:
        style = _CANONICAL.get(unit, _CANONICAL["hour"])
    return Timeline(unit, 0, 0, style, week_start), odd, deciding, cut, vague


def _says_more(dates: Instants, unit: Unit, week_start: int) -> BoolArray:
    """Dates that lie inside a unit rather than at its start."""
    _, month, day = date_from_days(dates.day)
    late: BoolArray = dates.second % {"hour": 3600, "minute": 60}.get(unit, DAY_SECONDS) != 0
    if unit == "year":
        late |= (month > 1) | (day > 1)
    elif unit == "month":
        late |= day > 1
    elif unit == "week":
        late |= (dates.day + MONDAY) % 7 != week_start
    return late


def _needed(dates: Instants) -> Int64Array:
    """How fine a unit each date needs: a datetime at midnight needs no more than the day."""
    needed = np.minimum(dates.precision, DAY).astype(np.int64)
    needed[dates.second != 0] = HOUR
    needed[dates.second % 3600 != 0] = MINUTE
    needed[~dates.good] = UNREADABLE
    return needed


def _date_unit(dates: Instants, needed: Int64Array, rows: Int64Array) -> tuple[Unit, BoolArray]:
    """The unit that dates speak, by the module's rules, and the texts too rare to decide that say more than it."""
    good = dates.good
    total = rows[good].sum()
    level = next(at for at in range(MINUTE, NUMBER, -1) if rows[needed >= at].sum() >= RARE * total)
    odd = needed > level
    usual = good & ~odd
    if level > DAY:
        return "minute" if level == MINUTE else "hour", odd
    if level in (YEAR, MONTH):
        return "year" if level == YEAR else "month", odd
    if (dates.precision[usual] == WEEK).all():
        return "week", odd
    for pattern, unit in _patterns(dates):
        if _mostly(pattern, usual, rows) and len(np.unique(dates.day[usual & pattern])) >= _ENOUGH:
            return unit, odd | (usual & ~pattern)
    return "day", odd


def _patterns(dates: Instants) -> list[tuple[BoolArray, Unit]]:
    """Dates on 1 January, on the first of a month, on the commonest weekday: signs of a coarser unit."""
    _, month, day = date_from_days(dates.day)
    weekday = (dates.day + MONDAY) % 7
    common = np.bincount(weekday[dates.good], minlength=7).argmax()
    return [((month == 1) & (day == 1), "year"), (day == 1, "month"), (weekday == common, "week")]


def _mostly(kind: BoolArray, among: BoolArray, rows: Int64Array) -> bool:
    """Whether all but a handful of the rows of ``among`` are of a kind."""
    return bool(rows[among & ~kind].sum() < RARE * max(int(rows[among].sum()), 1)) and bool((among & kind).any())


def _date_style(text: str, precision: int) -> str:
    """The marks that print a date the way ``text`` is written; empty if it is not one of the ISO ways."""
    for level, pattern, style in (
        (DAY, r"[+-]?[0-9]{8}", "%Y%m%d"),
        (YEAR, r"[+-]?[0-9]{1,4}", "%Y"),
        (MONTH, r"[+-]?[0-9]{4,6}-[0-9]{2}", "%Y-%m"),
        (WEEK, r"[+-]?[0-9]{4,6}-W[0-9]{2}", "%G-W%V"),
        (DAY, r"[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}", "%Y-%m-%d"),
    ):
        if precision == level and re.fullmatch(pattern, text):
            return style
    clock = re.fullmatch(
        r"[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}([T ])([0-9]{2}(?::[0-9]{2}){0,2})(?:[.][0-9]+)?(Z|[+-][0-9:]+)?", text
    )
    if clock is None:
        return ""
    between, hours, zone = clock.groups()
    return f"%Y-%m-%d{between}{('%H', '%H:%M', '%H:%M:%S')[hours.count(':')]}{'Z' if zone else ''}"
