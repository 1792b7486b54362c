"""Units: a handful of rows never decides, and what is decided for zones, slashes and large numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tgap.data.time import Times, Unit, read_times
from tgap.errors import DataError, QueryError


def counted(
    texts: list[str], rows: list[int] | None = None, unit: Unit | None = None, day_first: bool | None = None
) -> Times:
    weights = None if rows is None else np.array(rows)
    return read_times(texts, unit, rows=weights, day_first=day_first)


def printed(result: Times) -> list[str]:
    return [result.timeline.format(int(instant)) for instant in result.instant]


DAYS = [f"2018-01-{day:02d} 00:00:00" for day in range(1, 32)]


def test_a_few_datetimes_do_not_make_hours_of_days() -> None:
    texts = [*DAYS, "2018-01-05 13:00:00"]
    few = counted(texts, [150] * 31 + [19])
    assert few.timeline.unit == "day"
    assert np.flatnonzero(few.odd).tolist() == np.flatnonzero(few.cut).tolist() == [31]
    assert few.instant[31] == few.instant[4]
    many = counted(texts, [150] * 31 + [1000])
    assert many.timeline.unit == "hour"
    assert many.deciding.sum() == 1
    assert not many.odd.any()
    kept = counted(texts, [150] * 31 + [19], unit="hour")
    assert kept.instant[31] - kept.instant[4] == 13


def test_a_stray_number_does_not_make_steps_of_years() -> None:
    years = [str(year) for year in range(1900, 2000)]
    result = counted([*years, "19"], [750] * 100 + [1])
    assert result.timeline.unit == "year"
    assert np.flatnonzero(result.odd).tolist() == [100]
    assert printed(result)[100] == "19"
    assert result.timeline.describe(-3) == "3 years before"
    assert counted([*years, "19"], unit="integer").timeline.unit == "integer"
    assert counted([*years, "19", "20", "21", "22", "23", "24"]).timeline.unit == "integer"  # no handful any more
    assert counted([*years, "123456"], [750] * 100 + [1]).timeline.unit == "integer"  # no year at all


def test_a_few_other_days_do_not_make_days_of_years() -> None:
    texts = [f"{year}-01-01" for year in range(1900, 2000)] + ["1950-05-13"]
    result = counted(texts, [9] * 100 + [1])
    assert result.timeline.unit == "year"
    assert np.flatnonzero(result.odd).tolist() == [100]
    assert counted(texts[90:]).timeline.unit == "day"


def test_a_stray_number_among_compact_dates_is_bad() -> None:
    texts = [f"201801{day:02d}" for day in range(1, 29)]
    result = counted([*texts, "0"], [10] * 28 + [1])
    assert result.timeline.unit == "day"
    assert result.good.tolist() == [True] * 28 + [False]


def test_years_and_days_together_are_days() -> None:
    result = counted(["1952-##-##", "1953-05-13", "1954-05-##"])
    assert result.timeline.unit == "day"
    assert result.vague.tolist() == [True, False, True]
    assert printed(result) == ["1952-01-01", "1953-05-13", "1954-05-01"]
    years = counted(["1952-##-##", "360-##-##", "-431-##-##"])
    assert (years.timeline.unit, printed(years)) == ("year", ["1952", "0360", "-0431"])


def test_local_midnights_keep_their_dates() -> None:
    result = counted(["2018-01-05T00:00:00+01:00", "2018-07-05T00:00:00+02:00", "2018-07-06"])
    assert (result.zones, result.timeline.unit) == ("local", "day")
    assert printed(result) == ["2018-01-05", "2018-07-05", "2018-07-06"]
    utc = counted(["2018-01-05T00:00:00+01:00", "2018-07-05T07:00:00+02:00"])
    assert (utc.zones, utc.timeline.unit) == ("utc", "hour")
    assert printed(utc) == ["2018-01-04T23:00:00Z", "2018-07-05T05:00:00Z"]
    assert counted(["2018-01-05T00:00Z", "2018-01-06T00:00Z"]).zones == ""


@pytest.mark.parametrize(
    ("texts", "day_first", "order", "expected"),
    [
        (["01/02/2018", "01/31/2018"], None, "month", ["2018-01-02", "2018-01-31"]),
        (["01/02/2018", "31/01/2018"], None, "day", ["2018-02-01", "2018-01-31"]),
        (["01/02/2018", "03/04/2018"], None, "guessed", ["2018-01-02", "2018-03-04"]),
        (["01/02/2018", "03/04/2018"], True, "day", ["2018-02-01", "2018-04-03"]),
        (["01-02-2018", "03-04-2018"], False, "month", ["2018-01-02", "2018-03-04"]),
        (["05/05/2018", "06/06/2018"], None, "", ["2018-05-05", "2018-06-06"]),
    ],
)
def test_order_of_day_and_month(texts: list[str], day_first: bool | None, order: str, expected: list[str]) -> None:
    result = counted(texts, day_first=day_first)
    assert (result.order, printed(result)) == (order, expected)


def test_dates_of_the_other_order_are_bad() -> None:
    assert counted(["13/01/2018", "14/01/2018", "01/15/2018"]).good.tolist() == [True, True, False]
    assert counted(["13/01/2018", "01/15/2018"], day_first=False).good.tolist() == [False, True]
    line = counted(["13/01/2018", "14/01/2018"]).timeline
    assert line.parse("15/01/2018") == 2
    with pytest.raises(QueryError, match="'02/01/2018' may be 2018-02-01 or 2018-01-02; write it like 2018-01-14"):
        line.parse("02/01/2018")


def test_seconds_since_1970_are_known() -> None:
    seconds = counted(["1515110400", "1515196800"])
    assert (seconds.epoch, seconds.timeline.unit, printed(seconds)) == ("seconds", "day", ["2018-01-05", "2018-01-06"])
    milliseconds = counted(["1515110400000", "1515114000000"])
    assert (milliseconds.epoch, milliseconds.timeline.unit) == ("milliseconds", "hour")
    assert counted(["1515110400", "1515196800"], unit="integer").epoch == ""
    assert counted(["1515110400", "1515196800"], unit="month").timeline.format(0) == "2018-01"
    assert counted(["915110400", "1515196800"]).timeline.unit == "integer"  # not all have ten digits


def test_numbers_that_span_too_much_are_told() -> None:
    with pytest.raises(DataError, match="span 1,515,110,400 integer units"):
        counted(["0", "1515110400"])
