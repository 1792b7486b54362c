"""Timeline: instants as whole numbers of one unit since the first instant of a dataset, and back to text.

A displacement is a difference in that unit, also between instants that no fact has, so gaps cost nothing. Printing
keeps the style of the data: 0025 stays 0025, 20140513 stays 20140513.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from tgap.data.facts import BoolArray, Int64Array
from tgap.data.time.calendar import MONDAY, date_from_days, days_from_date, week_from_days
from tgap.data.time.instants import EITHER, NUMBER, Instants, read_instants
from tgap.data.time.numbers import as_dates
from tgap.errors import QueryError

When = str | int | datetime.date  # how people write a time
Unit = Literal["year", "month", "week", "day", "hour", "minute", "integer"]
UNITS: tuple[Unit, ...] = get_args(Unit)
_PRECISION: dict[str, int] = {"year": 1, "month": 2, "week": 3, "day": 4, "hour": 5, "minute": 6}
_EXAMPLES = ("a number", "a year", "a month", "a week", "a day", "an hour", "a minute")


@dataclass(frozen=True)
class Timeline:
    """First and last instant of the data as absolute counts of ``unit``, and the style of its texts.

    Absolute counts: years as written, months since year 0, weeks and days since 1970, hours and minutes since 1970;
    numbers count themselves. ``style`` holds strftime-like marks (``%Y-%m-%d``) or ``%d``, ``%04d`` for plain numbers.

    >>> days = Timeline("day", 16071, 16435)
    >>> days.format(0), days.parse("2014-05-13"), days.describe(-7)
    ('2014-01-01', 132, '7 days before')
    """

    unit: Unit
    first: int
    last: int
    style: str = "%Y-%m-%d"
    week_start: int = 0  # weeks only: the weekday that a week begins with, 0 = Monday

    @property
    def span(self) -> int:
        """Units between the first and the last instant: the largest displacement between two facts."""
        return self.last - self.first

    @property
    def length(self) -> int:
        """Instants from the first to the last, both included, whether or not a fact has them."""
        return self.span + 1

    @property
    def unit_word(self) -> str:
        """One unit in words: ``day``; plain numbers count steps."""
        return "step" if self.unit == "integer" else self.unit

    @property
    def numeric(self) -> bool:
        """Whether times are plain numbers (years, steps) rather than dates."""
        return self.style.startswith("%d") or self.style.startswith("%0")

    def parse(self, text: str) -> int:
        """Instant of a text, in units since the first instant; may lie outside the data. More exact texts are cut."""
        return _parse(self, text)

    def read(self, time: When) -> int:
        """Instant of a text in the dataset's style, of a ``datetime.date``, or of a number as texts would write it."""
        if isinstance(time, datetime.datetime):
            return self.parse(time.isoformat(timespec="seconds"))
        if isinstance(time, datetime.date):
            return self.parse(time.isoformat())
        return self.parse(str(time))

    def count(self, found: Instants, *, vague: bool = False) -> tuple[Int64Array, BoolArray]:
        """Absolute counts of what texts say, and where that is possible.

        A text less exact than the unit (a year among days) counts as its first instant if ``vague``, else not at all.
        """
        if self.numeric:
            plain = found.precision == NUMBER
            if self.unit != "year":
                return found.number, plain
            years, _, _ = date_from_days(found.day)
            return np.where(plain, found.number, years), found.good
        dates = as_dates(found)
        good = dates.good if vague else dates.precision >= _PRECISION[self.unit]
        return count_units(dates.day, dates.second, self.unit, self.week_start), good

    def format(self, instant: int) -> str:
        """Text of an instant (units since the first), in the style of the data."""
        return self.texts(np.array([instant]))[0]

    def texts(self, instants: Int64Array) -> list[str]:
        """Texts of many instants, in the style of the data."""
        value = instants.astype(np.int64) + self.first
        if self.numeric:
            return [("-" if one < 0 else "") + f"{abs(one):{self.style[1:]}}" for one in value.tolist()]
        return self.stamps(instants, self.style)

    def stamps(self, instants: Int64Array, style: str) -> list[str]:
        """The first moments of instants, written with the marks of ``style``: ``%Y-%m-%dT%H:%M:%S``."""
        days, minutes = _first_minute(instants.astype(np.int64) + self.first, self.unit, self.week_start)
        year, month, day = date_from_days(days)
        week_year, week = week_from_days(days)
        parts = {
            "%Y": (year, _year),
            "%m": (month, _two),
            "%d": (day, _two),
            "%G": (week_year, _year),
            "%V": (week, _two),
            "%H": (minutes // 60, _two),
            "%M": (minutes % 60, _two),
            "%S": (np.zeros_like(minutes), _two),
        }
        used = [mark for mark in parts if mark in style]
        columns = [[write(one) for one in values.tolist()] for values, write in (parts[mark] for mark in used)]
        pattern = style
        for mark in used:
            pattern = pattern.replace(mark, f"{{{used.index(mark)}}}")
        return [pattern.format(*row) for row in zip(*columns, strict=True)]

    def parts(self, instants: Int64Array) -> dict[str, Int64Array]:
        """What a calendar calls instants (units since the first), from coarse to fine, as far as the unit goes.

        >>> Timeline("hour", 0, 9).parts(np.array([0, 26]))
        {'year': array([1970, 1970]), 'month': array([1, 1]), 'day': array([1, 2]), 'hour': array([0, 2])}
        >>> Timeline("integer", 5, 9, "%d").parts(np.array([0, 1]))
        {'step': array([5, 6])}
        """
        value = instants + self.first
        if self.unit == "integer":
            return {"step": value}
        if self.unit == "year":
            return {"year": value}
        days, minutes = _first_minute(value, self.unit, self.week_start)
        year, month, day = date_from_days(days)
        parts = {"year": year, "month": month, "day": day, "hour": minutes // 60, "minute": minutes % 60}
        finest = {"month": 2, "week": 3, "day": 3, "hour": 4, "minute": 5}[self.unit]
        return dict(list(parts.items())[:finest])

    def describe(self, displacement: int) -> str:
        """A displacement in words: ``7 days before``, ``the same day``, ``3 years after``."""
        word = self.unit_word
        if displacement == 0:
            return "the same time" if self.unit == "integer" else f"the same {word}"
        size = abs(int(displacement))
        return f"{size:,} {word}{'s' if size != 1 else ''} {'before' if displacement < 0 else 'after'}"


@lru_cache(maxsize=4096)  # a million questions ask about few times, and reading one takes two milliseconds
def _parse(line: Timeline, text: str) -> int:
    found = read_instants([text])
    example = line.format(line.span)
    if found.order[0] == EITHER:
        ways = " or ".join(_iso(int(day[0])) for day in (found.day, found.other_way))
        raise QueryError(f"{text!r} may be {ways}; write it like {example}")
    ordinal, good = line.count(found)
    if good[0]:
        return int(ordinal[0]) - line.first
    precision = int((found if line.numeric else as_dates(found)).precision[0])
    if 0 < precision < _PRECISION.get(line.unit, 0):
        raise QueryError(f"{text!r} is {_EXAMPLES[precision]}; this dataset counts {line.unit}s, write {example}")
    raise QueryError(f"{text!r} is not a time of this dataset; write it like {example}")


def count_units(day: Int64Array, second: Int64Array, unit: str, week_start: int = 0) -> Int64Array:
    """Absolute count of a calendar unit for instants given as day number and second of the day."""
    if unit in ("year", "month"):
        year, month, _ = date_from_days(day)
        return year if unit == "year" else year * 12 + month - 1
    if unit == "week":
        return (day + MONDAY - week_start) // 7
    seconds = {"day": 86_400, "hour": 3600, "minute": 60}[unit]
    return (day * 86_400 + second) // seconds


def _first_minute(value: Int64Array, unit: str, week_start: int) -> tuple[Int64Array, Int64Array]:
    """Day numbers and minutes of the day with which counted units begin."""
    none = np.zeros_like(value)
    if unit in ("year", "month"):
        months = value * 12 if unit == "year" else value
        return days_from_date(months // 12, months % 12 + 1, none + 1), none
    if unit == "week":
        return value * 7 - MONDAY + week_start, none
    if unit == "day":
        return value, none
    each = 60 if unit == "hour" else 1
    return value * each // (24 * 60), value * each % (24 * 60)


def _iso(day: int) -> str:
    (year,), (month,), (of_month,) = date_from_days(np.array([day]))
    return f"{_year(year)}-{month:02d}-{of_month:02d}"


def _two(number: int) -> str:
    return f"{number:02d}"


def _year(year: int) -> str:
    return ("-" if year < 0 else "") + f"{abs(year):04d}"
