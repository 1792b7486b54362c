"""Every way of writing a time that is known, what it says, and what is not a time."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from tgap.data.time.calendar import date_from_days
from tgap.data.time.instants import DAY, HOUR, MINUTE, MONTH, NUMBER, UNKNOWN, UNREADABLE, WEEK, YEAR, read_instants
from tgap.data.time.reading import read_times
from tgap.errors import DataError


def said(text: str, time_format: str = "") -> tuple[int, tuple[int, int, int], int]:
    """Precision, date and minute of the day."""
    found = read_instants([text], time_format)
    year, month, day = (int(part[0]) for part in date_from_days(found.day))
    return int(found.precision[0]), (year, month, day), int(found.second[0]) // 60


@pytest.mark.parametrize(
    ("text", "precision", "when"),
    [
        ("2018-01-31", DAY, (2018, 1, 31)),
        ("  2018-01-31\t", DAY, (2018, 1, 31)),
        ("-0044-03-15", DAY, (-44, 3, 15)),
        ("31.01.2018", DAY, (2018, 1, 31)),
        ("1.2.2018", DAY, (2018, 2, 1)),
        ("31 Jan 2018", DAY, (2018, 1, 31)),
        ("31 January 2018", DAY, (2018, 1, 31)),
        ("31-JAN-2018", DAY, (2018, 1, 31)),
        ("1st Sept. 2018", DAY, (2018, 9, 1)),
        ("January 31, 2018", DAY, (2018, 1, 31)),
        ("Jan 2nd 2018", DAY, (2018, 1, 2)),
        ("Jan 2018", MONTH, (2018, 1, 1)),
        ("1. Januar 2018", DAY, (2018, 1, 1)),
        ("3. März 2018", DAY, (2018, 3, 3)),
        ("1er janvier 2018", DAY, (2018, 1, 1)),
        ("14 août 2018", DAY, (2018, 8, 14)),
        ("5 de mayo de 2018", DAY, (2018, 5, 5)),
        ("31 maggio 2018", DAY, (2018, 5, 31)),
        ("dezembro 2018", MONTH, (2018, 12, 1)),
        ("2018Q3", MONTH, (2018, 7, 1)),
        ("2018-Q1", MONTH, (2018, 1, 1)),
        ("Q4 2018", MONTH, (2018, 10, 1)),
        ("44 BC", YEAR, (-44, 1, 1)),
        ("431BCE", YEAR, (-431, 1, 1)),
        ("79 AD", YEAR, (79, 1, 1)),
        ("2018/1/5", DAY, (2018, 1, 5)),
        ("2018-1-5", DAY, (2018, 1, 5)),
        ("2018.01.05", DAY, (2018, 1, 5)),
        ("2018-05", MONTH, (2018, 5, 1)),
        ("2018-W02", WEEK, (2018, 1, 8)),
        ("1952-##-##", YEAR, (1952, 1, 1)),
        ("1952-05-##", MONTH, (1952, 5, 1)),
        ("1952-XX-XX", YEAR, (1952, 1, 1)),
        ("1952-##", YEAR, (1952, 1, 1)),
        ("360-##-##", YEAR, (360, 1, 1)),
        ("84-##-##", YEAR, (84, 1, 1)),
        ("-431-##-##", YEAR, (-431, 1, 1)),
        ("-431-04-13", DAY, (-431, 4, 13)),
        ("360-05-12", DAY, (360, 5, 12)),
        ("1952-00-00", YEAR, (1952, 1, 1)),
        ("1952-05-00", MONTH, (1952, 5, 1)),
        ("+1952-00-00T00:00:00Z", YEAR, (1952, 1, 1)),
    ],
)
def test_dates(text: str, precision: int, when: tuple[int, int, int]) -> None:
    assert said(text) == (precision, when, 0)


@pytest.mark.parametrize(
    ("text", "precision", "minute"),
    [
        ("2018-01-31T07:30", MINUTE, 450),
        ("2018-01-31 07:30:59.123", MINUTE, 450),
        ("2018-01-31T07", HOUR, 420),
        ("2018-01-31 7:30", MINUTE, 450),
        ("31.01.2018 07:30", MINUTE, 450),
        ("1/31/2018 7:30 PM", MINUTE, 19 * 60 + 30),
        ("1/31/2018 12:05 AM", MINUTE, 5),
        ("1/31/2018, 12:05 p.m.", MINUTE, 12 * 60 + 5),
        ("31 Jan 2018 07:30:00 GMT", MINUTE, 450),
        ("2018-01-31T07:30+02:00", MINUTE, 330),
        ("2018-01-31T07:30-0330", MINUTE, 660),
        ("2018-01-31T07:30+05", MINUTE, 150),
    ],
)
def test_times_of_day(text: str, precision: int, minute: int) -> None:
    assert said(text) == (precision, (2018, 1, 31), minute)


@pytest.mark.parametrize(
    ("text", "number", "digits"),
    [("2018", 2018, 4), ("0025", 25, 4), ("2018.0", 2018, 4), ("-44", -44, 2), ("7.", 7, 1)],
)
def test_numbers(text: str, number: int, digits: int) -> None:
    found = read_instants([f" {text} "])
    assert (found.precision[0], found.number[0], found.digits[0]) == (NUMBER, number, digits)


@pytest.mark.parametrize("text", ["####-##-##", "####", "19##-##-##", "195#-##-##", "XXXX-XX-XX", "19XX", "####-05-##"])
def test_times_that_are_not_known(text: str) -> None:
    assert read_instants([text]).precision[0] == UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "X",
        "2018-02-30",
        "31.13.2018",
        "31 Foo 2018",
        "31/31/2018",
        "31/01/18",
        "84-05-12",
        "1952-13-##",
        "2018-01-31T24:00",
        "2018-01-31 13:00 PM",
        "2018-01-31 0:30 AM",
        "2018-01-31T07:30+25:00",
        "1952-00-13",
        "2018.5",
        "²",
    ],
)
def test_what_is_no_time(text: str) -> None:
    assert read_instants([text]).precision[0] == UNREADABLE


@pytest.mark.parametrize(
    ("time_format", "text", "precision", "when", "minute"),
    [
        ("%d.%m.%y", "31.01.18", DAY, (2018, 1, 31), 0),
        ("%d.%m.%y", "31.01.71", DAY, (1971, 1, 31), 0),
        ("%d/%m/%Y %H:%M", "3/1/2018 07:30", MINUTE, (2018, 1, 3), 450),
        ("%Y%m%d%H%M%S", "20180131073000", MINUTE, (2018, 1, 31), 450),
        ("%b %d %Y %I:%M%p", "Jan 31 2018 07:30PM", MINUTE, (2018, 1, 31), 1170),
        ("%m/%Y", "5/2018", MONTH, (2018, 5, 1), 0),
        ("Y%Y", "Y360", YEAR, (360, 1, 1), 0),
        ("%G week %V", "2018 week 2", WEEK, (2018, 1, 8), 0),
        ("%Y-%m-%d (%z)", "2018-01-31 (+02:00)", DAY, (2018, 1, 31), 0),
        ("days since 2018-01-01", "30", DAY, (2018, 1, 31), 0),
        ("hours since 2018-01-01", "24", MINUTE, (2018, 1, 2), 0),
        ("Hours since 2018-01-01", "24.5", MINUTE, (2018, 1, 2), 30),
        ("seconds since 1970-01-01", "-60", MINUTE, (1969, 12, 31), 1439),
        ("milliseconds since 1970-01-01", "1517384400000", MINUTE, (2018, 1, 31), 460),
        ("weeks since 2018-01-01", "2", DAY, (2018, 1, 15), 0),
        ("months since 2018-01-15", "13", DAY, (2019, 2, 15), 0),
        ("years since 0001-01-01", "-2", YEAR, (-1, 1, 1), 0),
    ],
)
def test_formats_of_the_user(
    time_format: str, text: str, precision: int, when: tuple[int, int, int], minute: int
) -> None:
    assert said(text, time_format) == (precision, when, minute)


def test_a_format_replaces_the_known_forms() -> None:
    assert read_instants(["2018-01-31", "31.01.18", "x"], "%d.%m.%y").good.tolist() == [False, True, False]
    assert read_instants(["5", "x", "", "1e400"], "days since 2018-01-01").good.tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("time_format", "message"),
    [
        ("%d.%m", "must have a year"),
        ("%Y %Y", "each part once"),
        ("%Y-%j", "has '%j'; known marks are %Y"),
        ("days since yesterday", "counts since 'yesterday', which is not a date like 2018-01-01"),
        ("days since 01/02/2018", "counts since '01/02/2018', which is not a date"),
        ("fortnights since 2018-01-01", "must have a year"),
    ],
)
def test_bad_formats_are_told(time_format: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_instants(["1"], time_format)


def test_all_days_of_centuries_in_every_form() -> None:
    days = [date.fromordinal(n) for n in range(date(1899, 12, 1).toordinal(), date(2101, 2, 1).toordinal(), 11)]
    expected = [(day - date(1970, 1, 1)).days for day in days]
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%B %d, %Y", "%Y/%m/%d"):
        assert read_instants([day.strftime(form) for day in days]).day.tolist() == expected, form
    for form in ("%d/%m/%Y", "%m/%d/%Y"):
        found = read_instants([day.strftime(form) for day in days])
        own = found.day if form.startswith("%m") else np.where(found.order == 1, found.other_way, found.day)
        assert own.tolist() == expected


@pytest.mark.parametrize(
    ("text", "minute"),
    [("2018-01-31T07:30 CET", 6 * 60 + 30), ("2018-01-31 07:30 EST", 12 * 60 + 30), ("2018-01-31T07:30:00.25Z", 450)],
)
def test_zones_by_name_and_fractions_of_seconds(text: str, minute: int) -> None:
    assert said(text) == (MINUTE, (2018, 1, 31), minute)


@pytest.mark.parametrize(("digits", "unit"), [(6, "microseconds"), (9, "nanoseconds")])
def test_small_units_since_1970(digits: int, unit: str) -> None:
    texts = ["1515110400" + "0" * digits, "1515114060" + "0" * digits]
    times = read_times(texts)
    assert times.epoch == unit
    assert times.instant.tolist() == [0, 61]
    assert times.timeline.format(0) == "2018-01-05T00:00"
