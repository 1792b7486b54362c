"""Calendar arithmetic against Python's own dates, and beyond where those end."""

from datetime import date, timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.data.time.calendar import date_from_days, days_from_date, days_from_week, real_date, week_from_days


def _days(when: date) -> int:
    return (when - date(1970, 1, 1)).days


@settings(deadline=None)
@given(st.dates())
def test_agrees_with_python_dates(when: date) -> None:
    year, month, day = (np.array([part]) for part in (when.year, when.month, when.day))
    assert days_from_date(year, month, day)[0] == _days(when)
    assert [int(part[0]) for part in date_from_days(np.array([_days(when)]))] == [when.year, when.month, when.day]


@settings(deadline=None)
@given(st.dates(min_value=date(2, 1, 1)))
def test_agrees_with_iso_weeks(when: date) -> None:
    week_year, week, weekday = when.isocalendar()
    assert [int(part[0]) for part in week_from_days(np.array([_days(when)]))] == [week_year, week]
    monday = when - timedelta(days=weekday - 1)
    assert days_from_week(np.array([week_year]), np.array([week]))[0] == _days(monday)


@settings(deadline=None)
@given(st.integers(-400_000, 400_000), st.integers(1, 12), st.integers(1, 28))
def test_round_trip_in_any_year(year: int, month: int, day: int) -> None:
    days = days_from_date(np.array([year]), np.array([month]), np.array([day]))
    assert [int(part[0]) for part in date_from_days(days)] == [year, month, day]


def test_impossible_dates_are_found() -> None:
    years = np.array([2014, 2014, 2016, 2100, -4, 2014, 2014])
    months = np.array([2, 2, 2, 2, 2, 13, 0])
    days = np.array([30, 28, 29, 29, 29, 1, 1])
    assert real_date(years, months, days).tolist() == [False, True, True, False, True, False, False]
