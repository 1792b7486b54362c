"""Choose the unit of a timeline from the times in a column.

Plain numbers are years if they are written with four digits or are negative, and steps otherwise. Dates get the finest
of minute, hour, day, month and year that they need. If at least five different dates all fall on 1 January, on the
first of a month or on one weekday, the unit is the year, the month or the week. Fewer than one row in twenty never
decides: such rows are read as well as the unit of the other rows allows, and are reported as ``odd``. A unit that the
user gives is used as it is.
"""

from __future__ import annotations

import numpy as np

from tgap.data.facts import BoolArray, Int64Array
from tgap.data.time.calendar import MONDAY, date_from_days
from tgap.data.time.instants import (
    DAY,
    DAY_SECONDS,
    HOUR,
    MINUTE,
    MONTH,
    NUMBER,
    UNREADABLE,
    WEEK,
    YEAR,
    Instants,
)
from tgap.data.time.numbers import plain_years
from tgap.data.time.style import CANONICAL, date_style
from tgap.data.time.timeline import Timeline, Unit

RARE = 0.05  # rows of one kind below this share do not decide
LEVELS: dict[Unit, int] = {"year": YEAR, "month": MONTH, "week": WEEK, "day": DAY, "hour": HOUR, "minute": MINUTE}
_ENOUGH = 5  # different dates that must share a pattern before it decides the unit
_LAST_YEAR = 2999  # larger numbers are steps, even if most are written like years


def number_timeline(
    found: Instants, texts: list[str], rows: Int64Array, unit: Unit | None
) -> tuple[Timeline, BoolArray]:
    """Return a timeline (first and last still 0) for plain numbers, and a mask of texts written unlike the others."""
    numbers, years = found.precision == NUMBER, plain_years(found)
    far = np.abs(found.number[numbers]).max() > _LAST_YEAR
    as_years = bool(years[numbers].all()) or (not far and mostly(years, numbers, rows))
    odd = numbers & ~years if as_years and unit is None else np.zeros(len(texts), dtype=bool)
    padded = [text.strip().lstrip("+-") for text, usual in zip(texts, numbers & ~odd, strict=True) if usual]
    width = max((len(text) for text in padded if text.startswith("0") and text.isdigit() and len(text) > 1), default=0)
    return Timeline(unit or ("year" if as_years else "integer"), 0, 0, f"%0{width}d" if width else "%d"), odd


def date_timeline(
    dates: Instants, needed: Int64Array, texts: list[str], rows: Int64Array, unit: Unit | None
) -> tuple[Timeline, BoolArray, BoolArray, BoolArray, BoolArray]:
    """Return a timeline (first and last still 0) for dates, and the masks ``odd``, ``deciding``, ``cut``, ``vague``."""
    good = dates.good
    odd = deciding = np.zeros(len(texts), dtype=bool)
    if unit is None:
        unit, odd = _date_unit(dates, needed, rows)
        fine = good & (needed >= LEVELS[unit]) & ~odd
        if unit in ("minute", "hour") and 2 * rows[fine].sum() < rows[good].sum():
            deciding = fine
    usual = good & ~odd
    level = LEVELS[unit]
    weekday = (dates.day + MONDAY) % 7
    week_start = int(weekday[usual][0]) if unit == "week" and (weekday[usual] == weekday[usual][0]).all() else 0
    cut = good & _says_more(dates, unit, week_start)
    vague = good & (dates.precision < level) if unit != "week" else np.zeros(len(texts), dtype=bool)
    finest = int(np.argmax(np.where(usual, dates.precision, -1)))
    style = date_style(texts[finest].strip(), int(dates.precision[finest]))
    expressive = int(dates.precision[finest]) >= level or unit in ("week", "month", "year")
    if not style or cut.any() or not expressive:
        style = CANONICAL.get(unit, CANONICAL["hour"])
    return Timeline(unit, 0, 0, style, week_start), odd, deciding, cut, vague


def _says_more(dates: Instants, unit: Unit, week_start: int) -> BoolArray:
    """Return which dates lie inside a unit rather than at its start."""
    _, month, day = date_from_days(dates.day)
    late: BoolArray = dates.second % {"hour": 3600, "minute": 60}.get(unit, DAY_SECONDS) != 0
    if unit == "year":
        late |= (month > 1) | (day > 1)
    elif unit == "month":
        late |= day > 1
    elif unit == "week":
        late |= (dates.day + MONDAY) % 7 != week_start
    return late


def needed_precision(dates: Instants) -> Int64Array:
    """Return the precision that each date needs; a datetime at midnight needs only the day."""
    needed = np.minimum(dates.precision, DAY).astype(np.int64)
    needed[dates.second != 0] = HOUR
    needed[dates.second % 3600 != 0] = MINUTE
    needed[~dates.good] = UNREADABLE
    return needed


def _date_unit(dates: Instants, needed: Int64Array, rows: Int64Array) -> tuple[Unit, BoolArray]:
    """Return the unit for dates by this module's rules, and a mask of the rare texts that are finer than it."""
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
        if mostly(pattern, usual, rows) and len(np.unique(dates.day[usual & pattern])) >= _ENOUGH:
            return unit, odd | (usual & ~pattern)
    return "day", odd


def _patterns(dates: Instants) -> list[tuple[BoolArray, Unit]]:
    """Return masks of dates that suggest a coarser unit: 1 January, first of a month, most common weekday."""
    _, month, day = date_from_days(dates.day)
    weekday = (dates.day + MONDAY) % 7
    common = np.bincount(weekday[dates.good], minlength=7).argmax()
    return [((month == 1) & (day == 1), "year"), (day == 1, "month"), (weekday == common, "week")]


def mostly(kind: BoolArray, among: BoolArray, rows: Int64Array) -> bool:
    """Return whether nearly all rows of ``among`` are of a kind (all but a share of ``RARE``)."""
    return bool(rows[among & ~kind].sum() < RARE * max(int(rows[among].sum()), 1)) and bool((among & kind).any())
