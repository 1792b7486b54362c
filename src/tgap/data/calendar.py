"""Whole-number calendar arithmetic on arrays, for any year: days since 1970-01-01 in the proleptic Gregorian calendar.

Python's and most libraries' dates begin at year 1; facts about Rome do not. The formulas count in eras of 400 years
(146,097 days) that begin on 1 March, so that the leap day is the last day of its year.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int64Array = NDArray[np.int64]

ERA_DAYS = 146_097
_EPOCH = 719_468  # days from 0000-03-01 to 1970-01-01
MONDAY = 3  # 1970-01-01 was a Thursday: day number + 3 is a multiple of 7 on Mondays


def days_from_date(year: Int64Array, month: Int64Array, day: Int64Array) -> Int64Array:
    """Day number of a date. Year 0 exists (astronomical counting); -44 is the year so written."""
    shifted = year - (month <= 2)
    era = shifted // 400
    year_of_era = shifted - era * 400
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era: Int64Array = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * ERA_DAYS + day_of_era - _EPOCH


def date_from_days(days: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Year, month and day of a day number."""
    shifted = days + _EPOCH
    era = shifted // ERA_DAYS
    day_of_era = shifted - era * ERA_DAYS
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    march_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * march_month + 2) // 5 + 1
    month = (march_month + 2) % 12 + 1
    return year_of_era + era * 400 + (month <= 2), month, day


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
    again = date_from_days(days_from_date(year, np.where(plausible, month, 1), np.where(plausible, day, 1)))
    plausible &= (again[1] == month) & (again[2] == day)
    return plausible
