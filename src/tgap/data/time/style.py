"""Choose the style in which a timeline prints its times: that of the data where it is an ISO style, else ISO."""

from __future__ import annotations

import re

from tgap.data.time.instants import DAY, MONTH, WEEK, YEAR

CANONICAL = {"year": "%Y", "month": "%Y-%m", "week": "%Y-%m-%d", "day": "%Y-%m-%d", "hour": "%Y-%m-%dT%H:%M"}

_DATES = (
    (DAY, r"[+-]?[0-9]{8}", "%Y%m%d"),
    (YEAR, r"[+-]?[0-9]{1,4}", "%Y"),
    (MONTH, r"[+-]?[0-9]{4,6}-[0-9]{2}", "%Y-%m"),
    (WEEK, r"[+-]?[0-9]{4,6}-W[0-9]{2}", "%G-W%V"),
    (DAY, r"[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}", "%Y-%m-%d"),
)
_DATETIME = re.compile(
    r"[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}([T ])([0-9]{2}(?::[0-9]{2}){0,2})(?:[.][0-9]+)?(Z|[+-][0-9:]+)?"
)


def date_style(text: str, precision: int) -> str:
    """Return the strftime style that prints a date as ``text`` is written; empty if that is not an ISO style."""
    for level, pattern, style in _DATES:
        if precision == level and re.fullmatch(pattern, text):
            return style
    clock = _DATETIME.fullmatch(text)
    if clock is None:
        return ""
    between, hours, zone = clock.groups()
    return f"%Y-%m-%d{between}{('%H', '%H:%M', '%H:%M:%S')[hours.count(':')]}{'Z' if zone else ''}"
