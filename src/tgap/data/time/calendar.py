"""Dates of many rows at once, for any year: days since 1970-01-01 in the proleptic Gregorian calendar, by numpy.

numpy's ``datetime64`` knows years before 1, which Python's own dates do not; facts about Rome need them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.data.facts import Int64Array

MONDAY = 3  # 1970-01-01 was a Thursday: day number + 3 is a multiple of 7 on Mondays
_EPOCH = 1970


def days_from_date(year: Int64Array, month: Int64Array, day: Int64Array) -> Int64Array:
    """Day number of a date. Year 0 exists (astronomical counting); -44 is the year so written."""
    months = (12 * (year - _EPOCH) + month - 1).astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64) + day - 1


def date_from_days(days: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Year, month and day of a day number."""
    day = np.asarray(days, dtype=np.int64).astype("datetime64[D]")
    first = day.astype("datetime64[M]")
    months = first.astype(np.int64)
    return months // 12 + _EPOCH, months % 12 + 1, (day - first).astype(np.int64) + 1


def days_from_week(year: Int64Array, week: Int64Array) -> Int64Array:
    """Day number of the Monday of an ISO week: week 1 is the one with 4 January in it."""
    one = np.ones_like(year)
    fourth = days_from_date(year, one, 4 * one)
    return fourth - (fourth + MONDAY) % 7 + 7 * (week - 1)


def week_from_days(days: Int64Array) -> tuple[Int64Array, Int64Array]:
    """ISO year and week of a day number."""
    thursday = days - (days + MONDAY) % 7 + 3
    year, _, _ = date_from_days(thursday)
    one = np.ones_like(year)
    return year, (thursday - days_from_date(year, one, one)) // 7 + 1


def real_date(year: Int64Array, month: Int64Array, day: Int64Array) -> NDArray[np.bool_]:
    """Where (year, month, day) stands in the calendar: no 30 February."""
    plausible: NDArray[np.bool_] = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    _, again, _ = date_from_days(days_from_date(year, np.where(plausible, month, 1), np.where(plausible, day, 1)))
    plausible &= again == month
    return plausible
