from __future__ import annotations

import pytest

from tgap.asking.ticks import tick_levels
from tgap.data import Timeline


def texts(line: Timeline) -> list[list[str]]:
    return [[tick.text for tick in level] for level in tick_levels(line)]


def test_days_are_labelled_by_firsts_of_months_and_years() -> None:
    line = Timeline("day", 16071, 16435 + 365)  # 2014 and 2015
    coarse, half, quarter, _, month = texts(line)
    assert coarse == ["2014", "2015"]
    assert half == ["Jan 2014", "Jul 2014", "Jan 2015", "Jul 2015"]
    assert len(quarter) == 8
    assert month[:3] == ["Jan 2014", "Feb 2014", "Mar 2014"]
    for level in tick_levels(line):
        for tick in level:
            assert line.format(tick.instant).endswith("-01")


@pytest.mark.parametrize(("unit", "per_day"), [("hour", 24), ("minute", 24 * 60)])
def test_hours_and_minutes_too(unit: str, per_day: int) -> None:
    line = Timeline(unit, 16071 * per_day + 5, 16200 * per_day, "%Y-%m-%dT%H:%M")  # type: ignore[arg-type]
    (level,) = tick_levels(line)[-1:]
    assert [tick.text for tick in level] == ["Feb 2014", "Mar 2014", "Apr 2014", "May 2014"]
    assert line.format(level[0].instant) == "2014-02-01T00:00"


def test_weeks_and_months() -> None:
    weeks = Timeline("week", 2296, 2296 + 30, "%G-W%V")
    assert texts(weeks)[-1][:2] == ["Jan 2014", "Feb 2014"]  # the first week begins on 30 December
    months = Timeline("month", 2014 * 12 + 2, 2016 * 12, "%Y-%m")
    assert texts(months)[0] == ["2015", "2016"]
    assert texts(months)[-1][0] == "Mar 2014"
    assert len(texts(months)[-1]) == 23


def test_numbers_are_labelled_by_round_numbers() -> None:
    years = Timeline("year", 25, 2020, "%04d")
    levels = texts(years)
    assert levels[0] == ["1000", "2000"]
    assert levels[1][:2] == ["0500", "1000"]
    assert levels[-1][:3] == ["0025", "0030", "0035"]  # a finer level would have too many
    steps = Timeline("integer", 0, 9, "%d")
    assert texts(steps)[-1] == [str(number) for number in range(10)]


def test_one_instant_has_no_axis() -> None:
    assert tick_levels(Timeline("day", 16071, 16071)) == []
