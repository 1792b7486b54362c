"""Texts of time, many at once: what each one says (a number, a year, a date, a minute) before a timeline counts it.

``time_forms`` has the forms that are known. Years may be signed, short where nothing else could be meant, and have
leading zeros; a month or day of ``##`` or 00 is not known. One vectorised reading serves files of a million lines and a
single typed question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgap.data.facts import BoolArray, Int64Array
from tgap.data.time.calendar import date_from_days, days_from_date, days_from_week, real_date, week_from_days
from tgap.data.time.forms import FORMS, ZONES, counted_since, pattern_of
from tgap.data.time.month_names import MONTHS
from tgap.errors import DataError

if TYPE_CHECKING:
    import polars as pl

# How exactly a text says when, from vague to exact; a number is apart, it may be a year or a step.
NUMBER, YEAR, MONTH, WEEK, DAY, HOUR, MINUTE = range(7)
UNREADABLE, UNKNOWN = -1, -2  # no form that we know; a form that says "not known"
PLAIN, EITHER, MONTH_FIRST, DAY_FIRST = range(4)

DAY_SECONDS = 86_400
_OFFSETS = {name: f"{hours:+03d}00" for name, hours in ZONES.items()}
_SECONDS = {"millisecond": 0.001, "second": 1, "minute": 60, "hour": 3600, "day": DAY_SECONDS, "week": 7 * DAY_SECONDS}


@dataclass(frozen=True)
class Instants:
    """What texts say, one row per text."""

    precision: NDArray[np.int8]  # NUMBER .. MINUTE, or UNREADABLE or UNKNOWN
    number: Int64Array  # the number itself, where precision is NUMBER
    digits: NDArray[np.int8]  # how many digits that number is written with
    day: Int64Array  # days since 1970-01-01 of its first day, where it names a date; in UTC, where it names a zone
    second: Int64Array  # seconds since midnight, where it names a time of day
    zoned: BoolArray  # where a zone is named
    away: Int64Array  # minutes by which that zone is ahead of UTC
    order: NDArray[np.int8]  # whether 01/02/2018 may begin with its month, its day or either; PLAIN where that is clear
    other_way: Int64Array  # where it is EITHER: the day it is when the day comes first (``day``: the month comes first)

    @classmethod
    def blank(cls, count: int) -> Instants:
        """Texts of which nothing is known yet."""
        return cls(
            precision=np.full(count, UNREADABLE, dtype=np.int8),
            number=np.zeros(count, dtype=np.int64),
            digits=np.zeros(count, dtype=np.int8),
            day=np.zeros(count, dtype=np.int64),
            second=np.zeros(count, dtype=np.int64),
            zoned=np.zeros(count, dtype=bool),
            away=np.zeros(count, dtype=np.int64),
            order=np.zeros(count, dtype=np.int8),
            other_way=np.zeros(count, dtype=np.int64),
        )

    def take(self, index: NDArray[np.integer] | BoolArray) -> Instants:
        """The rows at ``index``."""
        return Instants(**{name: column[index] for name, column in vars(self).items()})

    @property
    def good(self) -> BoolArray:
        """Where a text could be read."""
        return self.precision >= 0


def read_instants(texts: Sequence[str] | pl.Series, time_format: str = "") -> Instants:
    """What each text says, blanks around it aside. Never fails on a text: an unreadable one has that as precision.

    ``time_format`` (``%d.%m.%Y``, ``hours since 2018-01-01``) replaces the known forms; a bad one is a ``DataError``.
    """
    import polars as pl  # noqa: PLC0415  importing tgap.data stays quick

    series = pl.Series("text", texts, dtype=pl.String).fill_null("").str.strip_chars()
    found = Instants.blank(len(series))
    since = counted_since(time_format)
    if since is not None:
        _count_since(found, series, *since)
        return found
    rest: Int64Array = np.arange(len(series))
    for pattern in (pattern_of(time_format),) if time_format else FORMS:
        if len(rest):
            matched = series[rest].str.contains(pattern).to_numpy()
            rows, rest = rest[matched], rest[~matched]
            if len(rows):
                _read(found, rows, series[rows].str.extract_groups(pattern).struct.unnest())
    return found


def _read(found: Instants, rows: Int64Array, groups: pl.DataFrame) -> None:
    """Put what a pattern's parts say into the rows."""
    if "number" in groups.columns:
        found.precision[rows], found.number[rows] = NUMBER, _numbers(groups, "number")
        found.digits[rows] = groups["number"].str.strip_chars_start("+-").str.len_bytes().to_numpy()
    elif "unknown" in groups.columns:
        found.precision[rows] = UNKNOWN
    elif "week" in groups.columns:
        year, week = _numbers(groups, "year"), _numbers(groups, "week")
        monday = days_from_week(year, week)
        real = (week_from_days(monday)[0] == year) & (week >= 1)
        found.precision[rows], found.day[rows] = np.where(real, WEEK, UNREADABLE), monday
    else:
        _read_dates(found, rows, groups)


def _read_dates(found: Instants, rows: Int64Array, groups: pl.DataFrame) -> None:
    """Dates, with or without a time of day; parts that are missing or not known make them vaguer."""
    year, month, day = _years(groups), _months(groups), _numbers(groups, "day")
    if "first" in groups.columns:
        month, day = _read_either_way(found, rows, year, _numbers(groups, "first"), _numbers(groups, "other"))
    real = _is_date(year, month, day)
    date = _first_day(year, np.where(real, month, 1), day)
    clock, seconds, away, zoned = _clock(groups)
    vague = (month == 0) | (day == 0)
    timed = _given(groups, "hour") & ~vague
    total = date * DAY_SECONDS + np.where(timed, seconds - 60 * away, 0)
    exact = np.where(timed, np.where(_given(groups, "minute"), MINUTE, HOUR), DAY)
    precision = np.where(month == 0, YEAR, np.where(day == 0, MONTH, exact))
    found.precision[rows] = np.where(real & (clock | ~timed), precision, UNREADABLE)
    found.day[rows], found.second[rows] = total // DAY_SECONDS, total % DAY_SECONDS
    found.zoned[rows], found.away[rows] = zoned & timed, np.where(timed, away, 0)


def _read_either_way(
    found: Instants, rows: Int64Array, year: Int64Array, first: Int64Array, other: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Month and day of 01/31/2018 or 31/01/2018: month first where that is possible; the other way is remembered."""
    by_month, by_day = real_date(year, first, other), real_date(year, other, first)
    order = np.where(by_month, np.where(by_day, EITHER, MONTH_FIRST), DAY_FIRST)
    found.order[rows] = np.where((first == other) | ~(by_month | by_day), PLAIN, order)
    found.other_way[rows] = days_from_date(year, np.where(by_day, other, 1), first)
    return np.where(by_month, first, other), np.where(by_month, other, first)


def _is_date(year: Int64Array, month: Int64Array, day: Int64Array) -> BoolArray:
    """Where a date stands in the calendar; month or day 0 is not known (and then the day says nothing)."""
    real = real_date(year, np.where(month == 0, 1, month), np.where((day == 0) | (month == 0), 1, day))
    real &= (month > 0) | (day == 0)
    return real


def _first_day(year: Int64Array, month: Int64Array, day: Int64Array) -> Int64Array:
    return days_from_date(year, np.where(month == 0, 1, month), np.where((day == 0) | (month == 0), 1, day))


def _years(groups: pl.DataFrame) -> Int64Array:
    if "era" in groups.columns:
        year = _numbers(groups, "year")
        return np.where(groups["era"].str.starts_with("B").to_numpy(), -year, year)
    if "short_year" not in groups.columns:
        return _numbers(groups, "year")
    short = _numbers(groups, "short_year")
    return np.where(short < 69, 2000, 1900) + short  # as POSIX has it


def _months(groups: pl.DataFrame) -> Int64Array:
    import polars as pl  # noqa: PLC0415

    if "quarter" in groups.columns:
        return 3 * _numbers(groups, "quarter") - 2  # its first month
    if "name" not in groups.columns:
        return _numbers(groups, "month")
    words = groups["name"].str.to_lowercase()
    return words.replace_strict(MONTHS, default=13, return_dtype=pl.Int64).to_numpy()  # 13: no such month


def _clock(groups: pl.DataFrame) -> tuple[BoolArray, Int64Array, Int64Array, BoolArray]:
    """Where the time of day is possible, its seconds, the zone's minutes ahead of UTC, and where a zone is named."""
    hour, minute, second = (_numbers(groups, part) for part in ("hour", "minute", "second"))
    real: BoolArray = (hour < 24) & (minute < 60) & (second < 61)
    if "half" in groups.columns:
        half = groups["half"].str.to_lowercase()
        late, given = (half == "p").fill_null(False).to_numpy(), half.is_not_null().to_numpy()
        real &= ~given | ((hour >= 1) & (hour <= 12))
        hour = np.where(given, hour % 12 + 12 * late, hour)
    away, zoned = np.zeros(len(hour), dtype=np.int64), np.zeros(len(hour), dtype=bool)
    if "zone" in groups.columns:
        zoned = groups["zone"].is_not_null().to_numpy()
        offset = (
            groups["zone"]
            .replace(_OFFSETS)
            .str.replace(":", "", literal=True)
            .str.replace("^Z$", "+0")
            .str.pad_end(5, "0")
        )
        ahead = _numbers(offset.to_frame("zone"), "zone")
        away = np.sign(ahead) * (np.abs(ahead) // 100 * 60 + np.abs(ahead) % 100)  # 07:30+02:00 is 05:30 in UTC
        real &= (np.abs(ahead) < 2400) & (np.abs(ahead) % 100 < 60)
    return real, 3600 * hour + 60 * minute + np.minimum(second, 59), away, zoned


def _count_since(found: Instants, series: pl.Series, unit: str, origin: str) -> None:
    """Numbers of a unit after an origin, as dates; fractions count too, where the unit has a fixed length."""
    import polars as pl  # noqa: PLC0415

    start = read_instants([origin])
    if start.precision[0] < YEAR or start.order[0] == EITHER:
        raise DataError(f"the time format counts since {origin!r}, which is not a date like 2018-01-01")
    value = series.cast(pl.Float64, strict=False)
    given = (value.is_not_null() & value.is_finite().fill_null(False) & (value.abs() < 1e15)).to_numpy()
    amount = value.fill_null(0.0).to_numpy()
    amount = np.where(given, amount, 0.0)
    if unit in ("year", "month"):
        year, month, day = date_from_days(start.day)
        months = 12 * year + month - 1 + np.floor(amount).astype(np.int64) * (12 if unit == "year" else 1)
        given &= (amount == np.floor(amount)) & (np.abs(amount) < 1e6)
        found.day[:] = days_from_date(months // 12, months % 12 + 1, day)
        found.precision[:] = np.where(given, YEAR if unit == "year" and month[0] == day[0] == 1 else DAY, UNREADABLE)
        return
    total = start.day * DAY_SECONDS + start.second + np.floor(amount * _SECONDS[unit]).astype(np.int64)
    found.day[:], found.second[:] = total // DAY_SECONDS, total % DAY_SECONDS
    found.precision[:] = np.where(given, MINUTE if _SECONDS[unit] < DAY_SECONDS else DAY, UNREADABLE)


def _given(groups: pl.DataFrame, part: str) -> BoolArray:
    """Where a part of the pattern is there."""
    if part not in groups.columns:
        return np.zeros(groups.height, dtype=bool)
    return groups[part].is_not_null().to_numpy()


def _numbers(groups: pl.DataFrame, part: str) -> Int64Array:
    """A part of the pattern as numbers, 0 where it is missing."""
    import polars as pl  # noqa: PLC0415

    if part not in groups.columns:
        return np.zeros(groups.height, dtype=np.int64)
    return groups[part].str.strip_prefix("+").cast(pl.Int64).fill_null(0).to_numpy()
