"""Which timeline a column of times speaks: the unit found from the texts, and the style that prints them again.

Rules, in this order. Numbers only (or mostly): all eight digits and real dates -> compact dates; all four digits, or
negative -> years; else steps. Otherwise dates: the finest of minute, hour, day that some text needs; where at least
five different dates all fall on 1 January, on the first of a month, or on one weekday, the unit is the year, the
month or the week. A unit given by the user is taken as it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from tgap.data.calendar import MONDAY, Int64Array, date_from_days
from tgap.data.instants import (
    DAY,
    HOUR,
    MINUTE,
    MONTH,
    NUMBER,
    WEEK,
    YEAR,
    Instants,
    as_dates,
    compact_dates,
    plain_years,
)
from tgap.data.timeline import Timeline, Unit
from tgap.errors import DataError

LONGEST = 2**30  # units between the first and the last instant: ids of time fit 32 bits with room for questions
_ENOUGH = 5  # different dates that must share a pattern before it is taken for the unit
_CANONICAL = {"year": "%Y", "month": "%Y-%m", "week": "%Y-%m-%d", "day": "%Y-%m-%d", "hour": "%Y-%m-%dT%H:%M"}


class Counted(NamedTuple):
    """Times of a column on their timeline. ``first`` and ``last`` of the timeline are those of the good texts."""

    timeline: Timeline
    instant: Int64Array  # units since the first instant, one a text
    good: np.ndarray[tuple[int], np.dtype[np.bool_]]
    cut: int  # good texts that say more than the unit can hold (seconds in a timeline of minutes)
    vague: int  # good texts that say less than the unit (a year among days)


def count_instants(found: Instants, texts: list[str], unit: Unit | None = None) -> Counted:
    """Times of different texts on a timeline of their own; ``unit`` overrides what would be found.

    Raises ``DataError`` if the unit does not fit the texts.
    """
    good = found.good
    if not good.any():
        return Counted(Timeline("integer", 0, 0, "%d"), found.number, good, 0, 0)
    numbers = found.precision == NUMBER
    compact = bool(numbers.any()) and bool((compact_dates(found) | ~numbers).all()) and unit != "integer"
    numeric = 2 * int(numbers.sum()) > int(good.sum()) and not compact
    if unit == "integer" and not numeric:
        raise DataError("unit 'integer' needs plain whole numbers; these times are dates, choose day, hour or so")
    if numeric:
        years = bool((plain_years(found) | ~numbers).all())
        timeline = Timeline(unit or ("year" if years else "integer"), 0, 0, _number_style(texts, numbers))
        cut = int((good & ~numbers).sum()) if timeline.unit == "year" else 0
        vague = 0
    else:
        timeline, cut, vague = _date_timeline(as_dates(found), texts, unit)
    ordinal, fits = timeline.count(found, vague=True)
    first, last = int(ordinal[fits].min()), int(ordinal[fits].max())
    if last - first > LONGEST:
        raise DataError(
            f"the times span {last - first:,} {timeline.unit} units, at most {LONGEST:,} are supported; "
            "choose a coarser unit, or mend a stray time"
        )
    placed = Timeline(timeline.unit, first, last, timeline.style, timeline.week_start)
    return Counted(placed, ordinal - first, fits, cut, vague)


def _date_timeline(dates: Instants, texts: list[str], unit: Unit | None) -> tuple[Timeline, int, int]:
    """Timeline without ends for dates, how many are cut to its unit, and how many are less exact than it."""
    good = dates.take(dates.good)
    unit = unit or _date_unit(good)
    level = {"year": YEAR, "month": MONTH, "week": WEEK, "day": DAY, "hour": HOUR, "minute": MINUTE}[unit]
    week_start = int((good.day[0] + MONDAY) % 7) if len(good.day) and unit == "week" else 0
    if unit == "week" and not ((good.day + MONDAY) % 7 == week_start).all():
        week_start = 0
    _, month, day = date_from_days(good.day)
    late = good.second % {"hour": 3600, "minute": 60}.get(unit, 86_400) != 0
    if unit == "year":
        late |= (month > 1) | (day > 1)
    elif unit == "month":
        late |= day > 1
    elif unit == "week":
        late |= (good.day + MONDAY) % 7 != week_start
    vague = int((good.precision < level).sum()) if unit != "week" else 0
    finest = int(np.argmax(np.where(dates.good, dates.precision, -1)))
    style = _date_style(texts[finest])
    expressive = int(dates.precision[finest]) >= level or unit in ("week", "month", "year")
    if late.any() or not expressive:
        style = _CANONICAL.get(unit, _CANONICAL["hour"])
    return Timeline(unit, 0, 0, style, week_start), int(late.sum()), vague


def _date_unit(good: Instants) -> Unit:
    """The unit that dates speak; see the module's rules."""
    if (good.second % 3600 != 0).any():
        return "minute"
    if (good.second != 0).any():
        return "hour"
    finest = int(good.precision.max())
    if finest in (YEAR, MONTH):
        return "year" if finest == YEAR else "month"
    if (good.precision == WEEK).all():
        return "week"
    days = np.unique(good.day)
    if len(days) < _ENOUGH:
        return "day"
    _, month, day = date_from_days(days)
    if (day == 1).all():
        return "year" if (month == 1).all() else "month"
    return "week" if len(np.unique(days % 7)) == 1 else "day"


def _number_style(texts: list[str], numbers: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    """Width of zero-padded numbers, if any is padded."""
    padded = [text.lstrip("+-") for text, number in zip(texts, numbers, strict=True) if number]
    width = max((len(text) for text in padded if text.startswith("0") and len(text) > 1), default=0)
    return f"%0{width}d" if width else "%d"


def _date_style(text: str) -> str:
    """The marks that print a date the way ``text`` is written."""
    for pattern, style in (
        (r"[+-]?[0-9]{8}", "%Y%m%d"),
        (r"[+-]?[0-9]{1,4}", "%Y"),
        (r"[+-]?[0-9]+-[0-9]{2}", "%Y-%m"),
        (r"[+-]?[0-9]+-W[0-9]{2}", "%G-W%V"),
        (r"[+-]?[0-9]+-[0-9]{2}-[0-9]{2}", "%Y-%m-%d"),
    ):
        if re.fullmatch(pattern, text):
            return style
    zone = re.search(r"(Z|[+-][0-9]{2}:?([0-9]{2})?)$", text[11:])
    clock = text[11 : len(text) - len(zone.group()) if zone else None]
    marks = ("%H", "%H:%M", "%H:%M:%S")[min(clock.count(":"), 2)]
    return f"%Y-%m-%d{'T' if 'T' in text else ' '}{marks}{'Z' if zone else ''}"
