"""What plain whole numbers may mean as times: years, dates without hyphens, seconds since 1970, or just steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tgap.data.facts import BoolArray
from tgap.data.time.calendar import days_from_date, real_date
from tgap.data.time.instants import DAY, DAY_SECONDS, MINUTE, NUMBER, UNREADABLE, YEAR, Instants

# Ten digits as seconds, thirteen as milliseconds, and so on: from September 2001 to the year 2106.
_EPOCHS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}
_FIRST, _LAST = 10**9, 2**32


def compact_dates(found: Instants) -> BoolArray:
    """Numbers that read as dates without hyphens, 20140513."""
    number = found.number
    plausible: BoolArray = (found.precision == NUMBER) & (found.digits == 8)
    plausible &= (number >= 10_000_101) & (number <= 29_991_231)
    return plausible & real_date(number // 10_000, number // 100 % 100, number % 100)


def plain_years(found: Instants) -> BoolArray:
    """Numbers that read as years: four digits as in 1914 and 0025, or negative with up to four."""
    years: BoolArray = (found.digits == 4) | ((found.digits < 4) & (found.number < 0))
    years &= found.precision == NUMBER
    return years


def epoch_of(found: Instants) -> str:
    """``seconds``, ``milliseconds`` and so on if every number counts those since 1970; empty if not."""
    numbers = found.number[found.precision == NUMBER]
    for unit, scale in _EPOCHS.items():
        if len(numbers) and bool(((numbers >= _FIRST * scale) & (numbers < _LAST * scale)).all()):
            return unit
    return ""


def from_epoch(found: Instants, unit: str) -> Instants:
    """Numbers turned into the moments that they count since 1970, in UTC."""
    rows = found.precision == NUMBER
    seconds = found.number // _EPOCHS[unit]
    return replace(
        found,
        precision=np.where(rows, np.int8(MINUTE), found.precision),
        day=np.where(rows, seconds // DAY_SECONDS, found.day),
        second=np.where(rows, seconds % DAY_SECONDS, found.second),
    )


def as_dates(found: Instants) -> Instants:
    """Numbers turned into the dates they stand for, years and compact dates; other numbers become bad."""
    precision, day = found.precision.copy(), found.day.copy()
    years, compact = plain_years(found), compact_dates(found)
    precision[found.precision == NUMBER] = UNREADABLE
    precision[years], precision[compact] = YEAR, DAY
    one = np.ones(int(years.sum()), dtype=np.int64)
    day[years] = days_from_date(found.number[years], one, one)
    number = found.number[compact]
    day[compact] = days_from_date(number // 10_000, number // 100 % 100, number % 100)
    return replace(found, precision=precision, day=day)
