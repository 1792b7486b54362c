"""Timelines: units found from texts, instants in and out, displacements in words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.data import UNITS, Timeline
from tgap.data.time import Times, Unit, read_times
from tgap.data.time.instants import read_instants
from tgap.errors import DataError, QueryError


def counted(*texts: str, unit: Unit | None = None) -> Times:
    return read_times(list(texts), unit)


@pytest.mark.parametrize(
    ("texts", "unit", "instants"),
    [
        (["2014-01-01", "2014-01-03", "2014-03-01"], "day", [0, 2, 59]),
        (["0025", "0781", "2020"], "year", [0, 756, 1995]),
        (["-44", "0014", "-0753"], "year", [709, 767, 0]),
        (["0", "17", "3"], "integer", [0, 17, 3]),
        (["-5", "100000"], "integer", [0, 100005]),
        (["20140513", "20140514"], "day", [0, 1]),
        (["2014-05", "2015-01"], "month", [0, 8]),
        (["2014-W01", "2014-W03"], "week", [0, 2]),
        (["2014-05-13T07:00", "2014-05-14T06:00"], "hour", [0, 23]),
        (["2014-05-13 07:30:00", "2014-05-13 08:00:00"], "minute", [0, 30]),
        (["2014-05-13 00:00:00", "2014-05-15 00:00:00"], "day", [0, 2]),
        (["2014-05-13T07:30+02:00", "2014-05-13T07:30Z", "2014-05-13T07:30-0030"], "minute", [0, 120, 150]),
        ([f"{year}-01-01" for year in range(2001, 2008)], "year", list(range(7))),
        ([f"2001-{month:02d}-01" for month in range(1, 8)], "month", list(range(7))),
        ([f"2001-01-{day:02d}" for day in (2, 9, 16, 23, 30)], "week", list(range(5))),
        (["2014", "2014-03-01"], "day", [0, 59]),
    ],
)
def test_unit_and_instants_are_found(texts: list[str], unit: str, instants: list[int]) -> None:
    result = counted(*texts)
    assert result.timeline.unit == unit
    assert result.good.all()
    assert result.instant.tolist() == instants
    assert result.timeline.span == max(instants)
    assert result.timeline.length == max(instants) + 1


@pytest.mark.parametrize(
    "texts",
    [
        ["2014-01-01", "2014-01-03"],
        ["0025", "2020"],
        ["-0044", "0014"],
        ["7", "12"],
        ["007", "012"],
        ["20140513", "20150101"],
        ["2014-05", "2015-01"],
        ["2014-W01", "2020-W53"],
        ["2014-05-13T07", "2014-05-13T09"],
        ["2014-05-13T07:30", "2014-05-14T00:00"],
        ["2014-05-13 07:30:00", "2014-05-14 00:00:00"],
        ["2014-05-13T07:30:00Z", "2014-05-14T00:00:00Z"],
        ["-0044-03-15", "-0043-12-07"],
        [f"2001-01-{day:02d}" for day in (2, 9, 16, 23, 30)],
        [f"{year}-01-01" for year in range(2001, 2008)],
    ],
)
def test_printing_keeps_the_style_of_the_data(texts: list[str]) -> None:
    result = counted(*texts)
    printed = [result.timeline.format(int(instant)) for instant in result.instant]
    assert printed == texts
    assert [result.timeline.parse(text) for text in texts] == result.instant.tolist()


@pytest.mark.parametrize(
    "text", ["", " ", "soon", "2014-02-30", "2014-13-01", "2014-5-32", "2014-05-13T25:00", "1.5", "²"]
)
def test_nonsense_is_not_a_time(text: str) -> None:
    assert not read_instants([text]).good[0]
    result = counted("2014-01-01", text, "2014-01-02")
    assert result.good.tolist() == [True, False, True]


def test_stray_kinds_are_bad_not_fatal() -> None:
    assert counted("2014-01-01", "2014-01-02", "12").good.tolist() == [True, True, False]
    assert counted("1", "2", "12", "2014-01-01").good.tolist() == [True, True, True, False]
    assert not counted("no", "time").good.any()


def test_units_can_be_overridden() -> None:
    years = counted("2014-05-13", "2016-01-01", unit="year")
    assert (years.timeline.format(0), years.instant.tolist(), years.cut.sum()) == ("2014", [0, 2], 1)
    weeks = counted("2014-05-13", "2014-05-20", "2014-05-22", unit="week")
    assert (weeks.timeline.format(1), weeks.instant.tolist()) == ("2014-05-19", [0, 1, 1])
    steps = counted("2014", "2016", unit="integer")
    assert steps.timeline.describe(2) == "2 steps after"
    days = counted("5", "9", unit="day")
    assert (days.timeline.describe(4), days.timeline.format(4)) == ("4 days after", "9")
    assert counted("20140513", "20160101", unit="year").instant.tolist() == [0, 2]
    seconds = counted("2014-05-13T07:30:10", "2014-05-13T07:31:00")
    assert (seconds.timeline.unit, seconds.cut.sum()) == ("minute", 1)
    with pytest.raises(DataError, match="the unit integer needs plain whole numbers"):
        counted("2014-05-13", unit="integer")
    with pytest.raises(DataError, match="span 999,999,999,999,999 integer units"):
        counted("0", "999999999999999")


def test_questions_may_lie_outside_the_data() -> None:
    days = counted("2014-01-01", "2014-12-31").timeline
    assert days.parse("2013-12-31") == -1
    assert days.parse("2015-01-01") == 365
    assert days.parse(" 2014-01-02T13:45 ") == 1
    assert days.format(-1) == "2013-12-31"
    years = counted("0025", "2020").timeline
    assert years.parse("-1") == -26
    assert years.parse("2014-05-13") == 1989
    assert years.format(-26) == "-0001"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("May", "'May' is not a time of this dataset; write it like 2014-12-31"),
        ("2014", "'2014' is a year; this dataset counts days, write 2014-12-31"),
        ("2014-05", "'2014-05' is a month; this dataset counts days"),
        ("17", "'17' is not a time of this dataset"),
    ],
)
def test_bad_questions_are_told(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        counted("2014-01-01", "2014-12-31").timeline.parse(text)


def test_displacements_in_words() -> None:
    words = [Timeline("day", 0, 9).describe(number) for number in (-7, -1, 0, 1, 3)]
    assert words == ["7 days before", "1 day before", "the same day", "1 day after", "3 days after"]
    assert Timeline("year", 0, 9).describe(-1500) == "1,500 years before"
    assert Timeline("integer", 0, 9).describe(0) == "the same time"


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(UNITS), st.integers(-3000, 3000), st.integers(-5000, 5000))
def test_format_and_parse_are_inverse(unit: Unit, first: int, instant: int) -> None:
    styles = {"year": "%04d", "month": "%Y-%m", "hour": "%Y-%m-%dT%H:%M", "minute": "%Y-%m-%dT%H:%M", "integer": "%d"}
    line = Timeline(unit, first, first + 10, styles.get(unit, "%Y-%m-%d"))
    assert line.parse(line.format(instant)) == instant


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=12), min_size=1, max_size=5))
def test_any_text_can_be_looked_at(texts: list[str]) -> None:
    result = counted(*texts)
    assert result.instant.dtype == np.int64
    assert len(result.good) == len(texts)
