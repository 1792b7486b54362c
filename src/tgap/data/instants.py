"""Texts of time, many at once: what each one says (a number, a year, a date, a minute) before a timeline counts it.

Known forms: plain whole numbers (years, steps), ``2014-05``, ``2014-W20``, ``2014-05-13``, ``20140513`` and datetimes
``2014-05-13T07:30:00Z`` (``T`` or a space; seconds and zone may be missing; a zone is converted to UTC). Years may be
signed and have leading zeros. One vectorised reading serves files of a million lines and a single typed question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.data.calendar import Int64Array, days_from_date, days_from_week, real_date, week_from_days

if TYPE_CHECKING:
    import polars as pl

EXPECTED = "2014-05-13, 2014-05-13T07:30, 2014 or 17"

# How exactly a text says when, from vague to exact; a number is apart, it may be a year or a step.
NUMBER, YEAR, MONTH, WEEK, DAY, HOUR, MINUTE = range(7)

_NUMBER = r"^([+-]?[0-9]{1,15})$"
_MONTH = r"^([+-]?[0-9]{4,6})-([0-9]{2})$"
_WEEK = r"^([+-]?[0-9]{4,6})-W([0-9]{2})$"
_DATE = (
    r"^([+-]?[0-9]{4,6})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(?:[.][0-9]+)?)?)?(?:Z|([+-])([0-9]{2}):?([0-9]{2})?)?)?$"
)


class Instants(NamedTuple):
    """What texts say, one row a text. ``precision`` is -1 where a text is none of the known forms."""

    precision: NDArray[np.int8]  # NUMBER .. MINUTE, or -1
    number: Int64Array  # the number itself, where precision is NUMBER
    digits: NDArray[np.int8]  # how many digits that number is written with
    day: Int64Array  # days since 1970-01-01 of its first day, where it names a date
    second: Int64Array  # seconds since midnight, where it names a time of day

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_]) -> Instants:
        """The rows at ``index``."""
        return Instants(
            self.precision[index], self.number[index], self.digits[index], self.day[index], self.second[index]
        )

    @property
    def good(self) -> NDArray[np.bool_]:
        """Where a text could be read."""
        return self.precision >= 0


def read_instants(texts: Sequence[str] | pl.Series) -> Instants:
    """What each text says. Never fails: an unreadable text has precision -1."""
    import polars as pl  # noqa: PLC0415  importing tgap.data stays quick

    series = pl.Series("text", texts, dtype=pl.String).fill_null("")
    count = len(series)
    found = Instants(
        precision=np.full(count, -1, dtype=np.int8),
        number=np.zeros(count, dtype=np.int64),
        digits=np.zeros(count, dtype=np.int8),
        day=np.zeros(count, dtype=np.int64),
        second=np.zeros(count, dtype=np.int64),
    )
    rows, (number,) = _matches(series, _NUMBER)
    if len(rows):
        found.precision[rows] = NUMBER
        found.number[rows] = number
        found.digits[rows] = series[rows].str.strip_prefix("-").str.strip_prefix("+").str.len_bytes().to_numpy()
    rows, (year, month) = _matches(series, _MONTH)
    keep = (month >= 1) & (month <= 12)
    found.precision[rows[keep]] = MONTH
    found.day[rows[keep]] = days_from_date(year[keep], month[keep], np.ones_like(month[keep]))
    rows, (year, week) = _matches(series, _WEEK)
    monday = days_from_week(year, week)
    keep = (week_from_days(monday)[0] == year) & (week >= 1)
    found.precision[rows[keep]] = WEEK
    found.day[rows[keep]] = monday[keep]
    _read_dates(series, found)
    return found


def _read_dates(series: pl.Series, found: Instants) -> None:
    """Dates with or without a time of day, into ``found``. Absent groups come as -1."""
    rows, (year, month, day, hour, minute, second, sign, away_hours, away_minutes) = _matches(series, _DATE)
    direction = np.select([sign == 1, sign == 2], [1, -1], 0)  # 07:30+02:00 is 05:30 in UTC
    away = 60 * (60 * np.maximum(away_hours, 0) + np.maximum(away_minutes, 0))
    clock = (hour < 24) & (minute < 60) & (second < 61) & (away_hours < 24) & (away_minutes < 60)
    keep = real_date(year, month, day) & clock
    rows = rows[keep]
    seconds = 3600 * np.maximum(hour, 0) + 60 * np.maximum(minute, 0) + np.clip(second, 0, 59)
    total = days_from_date(year, month, day) * 86_400 + seconds - direction * away
    found.precision[rows] = np.where(minute >= 0, MINUTE, np.where(hour >= 0, HOUR, DAY))[keep]
    found.day[rows] = total[keep] // 86_400
    found.second[rows] = total[keep] % 86_400


def _matches(series: pl.Series, pattern: str) -> tuple[Int64Array, list[Int64Array]]:
    """Rows that match, and for each group its number there: ``+`` alone is 1, ``-`` alone 2, a missing group -1."""
    import polars as pl  # noqa: PLC0415

    rows = np.flatnonzero(series.str.contains(pattern).to_numpy())
    groups = series[rows].str.extract_groups(pattern).struct.unnest()
    columns = []
    for group in groups.get_columns():
        text = group.replace({"+": "1", "-": "2"}).str.strip_prefix("+")
        columns.append(text.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64))
    return rows, columns


def compact_dates(found: Instants) -> NDArray[np.bool_]:
    """Numbers that read as dates without hyphens, 20140513."""
    number = found.number
    plausible: NDArray[np.bool_] = (found.precision == NUMBER) & (found.digits == 8)
    plausible &= (number >= 10_000_101) & (number <= 29_991_231)
    return plausible & real_date(number // 10_000, number // 100 % 100, number % 100)


def plain_years(found: Instants) -> NDArray[np.bool_]:
    """Numbers that read as years: four digits as in 1914 and 0025, or negative with up to four."""
    years: NDArray[np.bool_] = (found.digits == 4) | ((found.digits < 4) & (found.number < 0))
    years &= found.precision == NUMBER
    return years


def as_dates(found: Instants) -> Instants:
    """Numbers turned into the dates they stand for, years and compact dates; other numbers become bad."""
    precision, day = found.precision.copy(), found.day.copy()
    years, compact = plain_years(found), compact_dates(found)
    precision[found.precision == NUMBER] = -1
    precision[years], precision[compact] = YEAR, DAY
    one = np.ones(int(years.sum()), dtype=np.int64)
    day[years] = days_from_date(found.number[years], one, one)
    number = found.number[compact]
    day[compact] = days_from_date(number // 10_000, number // 100 % 100, number % 100)
    return found._replace(precision=precision, day=day)
