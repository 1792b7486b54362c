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

_YEAR = r"([+-]?[0-9]{4,6})"
_DATE = rf"^{_YEAR}-([0-9]{{2}})-([0-9]{{2}})$"
_NUMBER = r"^([+-]?[0-9]{1,15})$"
_CLOCK = r"([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(?:[.][0-9]+)?)?)?"
_DATETIME = rf"^{_YEAR}-([0-9]{{2}})-([0-9]{{2}})[T ]{_CLOCK}(?:Z|([+-][0-9]{{2}}(?::?[0-9]{{2}})?))?$"
_ZONED = r"[0-9][T ][0-9:.]+[+-][0-9]{2}(?::?[0-9]{2})?$"
_MONTH = rf"^{_YEAR}-([0-9]{{2}})$"
_WEEK = rf"^{_YEAR}-W([0-9]{{2}})$"


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
    rest: Int64Array = np.arange(count)
    for pattern, read in _FORMS:
        if len(rest):
            matched = series[rest].str.contains(pattern).to_numpy()
            rows, rest = rest[matched], rest[~matched]
            if len(rows):
                read(found, rows, series[rows].str.extract_groups(pattern).struct.unnest())
    return found


def count_zoned(texts: pl.Series) -> int:
    """How many texts are datetimes with a zone (other than Z)."""
    return int(texts.str.contains(_ZONED).sum())


def _read_numbers(found: Instants, rows: Int64Array, groups: pl.DataFrame) -> None:
    (number,) = _numbers(groups)
    digits = groups.to_series().str.strip_chars_start("+-").str.len_bytes().to_numpy()
    found.precision[rows], found.number[rows], found.digits[rows] = NUMBER, number, digits


def _read_dates(found: Instants, rows: Int64Array, groups: pl.DataFrame) -> None:
    year, month, day = _numbers(groups)
    real = real_date(year, month, day)
    found.precision[rows] = np.where(real, DAY, -1)
    found.day[rows] = days_from_date(year, np.where(real, month, 1), day)


def _read_datetimes(found: Instants, rows: Int64Array, groups: pl.DataFrame) -> None:
    """Dates with a time of day; the part that is missing counts as -1."""
    zone = groups.to_series(6).str.replace(":", "", literal=True).str.pad_end(5, "0").fill_null("0")
    year, month, day, hour, minute, second = _numbers(groups.select(groups.columns[:6]))
    (away,) = _numbers(zone.to_frame())
    away_minutes = np.sign(away) * (np.abs(away) // 100 * 60 + np.abs(away) % 100)  # 07:30+02:00 is 05:30 in UTC
    clock = (hour < 24) & (minute < 60) & (second < 61) & (np.abs(away) < 2400) & (np.abs(away) % 100 < 60)
    real = real_date(year, month, day) & clock
    seconds = 3600 * hour + 60 * np.maximum(minute, 0) + np.clip(second, 0, 59) - 60 * away_minutes
    total = days_from_date(year, np.where(real, month, 1), day) * 86_400 + seconds
    found.precision[rows] = np.where(real, np.where(minute >= 0, MINUTE, HOUR), -1)
    found.day[rows], found.second[rows] = total // 86_400, total % 86_400


def _read_months(found: Instants, rows: Int64Array, groups: pl.DataFrame) -> None:
    year, month = _numbers(groups)
    real = (month >= 1) & (month <= 12)
    found.precision[rows] = np.where(real, MONTH, -1)
    found.day[rows] = days_from_date(year, np.where(real, month, 1), np.ones_like(month))


def _read_weeks(found: Instants, rows: Int64Array, groups: pl.DataFrame) -> None:
    year, week = _numbers(groups)
    monday = days_from_week(year, week)
    real = (week_from_days(monday)[0] == year) & (week >= 1)
    found.precision[rows] = np.where(real, WEEK, -1)
    found.day[rows] = monday


def _numbers(groups: pl.DataFrame) -> list[Int64Array]:
    """The groups of a pattern as numbers, -1 where a group is missing."""
    import polars as pl  # noqa: PLC0415

    table = groups.select(pl.all().str.strip_prefix("+").cast(pl.Int64).fill_null(-1))
    return [column.to_numpy() for column in table.get_columns()]


_FORMS = (
    (_DATE, _read_dates),
    (_NUMBER, _read_numbers),
    (_DATETIME, _read_datetimes),
    (_MONTH, _read_months),
    (_WEEK, _read_weeks),
)


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
