"""Round instants to label a time axis with: firsts of months and years, or round numbers, from coarse to fine.

The page shows the finest level that has room; which instants are round and how they are called is decided here, where
the calendar is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.asking.record import Record
from tgap.data import Timeline
from tgap.data.time import MONDAY


class Tick(Record):
    """A round instant, in units after the first, and its label on an axis."""

    instant: int
    text: str


_MOST = 400  # ticks of a level; a finer one is left out
_MONTHS = (1200, 600, 240, 120, 60, 24, 12, 6, 3, 2, 1)  # months between ticks where times are dates
_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PER_DAY = {"day": 1, "hour": 24, "minute": 24 * 60}


def tick_levels(line: Timeline) -> list[list[Tick]]:
    """Levels of ticks, coarse to fine, each with at least two; equal levels once."""
    levels: list[list[Tick]] = []
    for level in _numbers(line) if line.numeric or line.unit == "integer" else _dates(line):
        if 2 <= len(level) <= _MOST and (not levels or len(level) > len(levels[-1])):
            levels.append(level)
    return levels


def _numbers(line: Timeline) -> list[list[Tick]]:
    """Multiples of 1, 2, 5, 10, ... of plain numbers."""
    digits = len(str(line.span)) + 1
    found = []
    for step in (lead * 10**power for power in range(digits, -1, -1) for lead in (5, 2, 1)):
        first = -(-line.first // step) * step
        if (line.last - first) // step < _MOST:
            values = range(first, line.last + 1, step)
            found.append([_tick(value - line.first, line.format(value - line.first)) for value in values])
    return found


def _dates(line: Timeline) -> list[list[Tick]]:
    """Firsts of months that begin within the timeline, by how many months lie between two of them."""
    instants, months = _firsts(line)
    found = []
    for every in _MONTHS:
        chosen = months % every == 0
        if int(chosen.sum()) <= _MOST:
            pairs = zip(instants[chosen].tolist(), months[chosen].tolist(), strict=True)
            found.append([_tick(instant, _month(month, every)) for instant, month in pairs])
    return found


def _firsts(line: Timeline) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Instants at which a month begins, and that month as a count from year 0."""
    if line.unit in ("year", "month"):
        per = 12 if line.unit == "year" else 1
        instants = np.arange(line.length, dtype=np.int64)
        return instants, (instants + line.first) * per
    if line.unit == "week":
        begins = (line.first + np.arange(line.length, dtype=np.int64)) * 7 - MONDAY + line.week_start
        months = begins.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12
        new = (np.flatnonzero(np.diff(months)) + 1).astype(np.int64)  # the first whole week of a month
        return new, months[new]
    per_day = _PER_DAY[line.unit]
    ends = np.array([line.first // per_day, line.last // per_day], dtype=np.int64)
    first, last = ends.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    months = np.arange(first, last + 1, dtype=np.int64)
    instants = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) * per_day - line.first
    inside = (instants >= 0) & (instants <= line.span)
    return instants[inside], months[inside] + 1970 * 12


def _month(month: int, every: int) -> str:
    year, place = divmod(month, 12)
    text = ("-" if year < 0 else "") + f"{abs(year):04d}"
    return text if every % 12 == 0 else f"{_NAMES[place]} {text}"


def _tick(instant: int, text: str) -> Tick:
    return Tick(instant=int(instant), text=text)
