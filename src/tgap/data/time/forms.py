"""The ways in which people write a time, as patterns with named parts. One table; ``instants`` reads by it.

Parts: year, month, day, week, quarter; era (BC or AD); hour, minute, second, half (am or pm), zone; name (of a month,
see ``month_names``); number; first and other (a day and a month in an order that the pattern cannot tell); unknown (a
date of which not even the year is known). A format that a user gives (``%d.%m.%Y``) becomes a pattern of the same kind.
"""

from __future__ import annotations

import re

from tgap.errors import DataError

_YEAR = "(?P<year>[+-]?[0-9]{4,6})"
_FOUR = "(?P<year>[0-9]{4})"
_MONTH = "(?P<month>[0-9]{1,2})"
_DAY = "(?P<day>[0-9]{1,2})"
_NAME = r"(?:de )?(?P<name>\p{L}{3,10})[.]?(?: de)?"
_NTH = "(?:st|nd|rd|th|er|º|°)?"
_BLANK = "(?:##|XX)"  # a month or day that is not known
# Zones by name, with their hours ahead of UTC: those of RFC 5322, and Europe's.
ZONES = {"UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3}
ZONES |= {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
_ZONE = f"(?: ?(?P<zone>Z|{'|'.join(ZONES)}|[+-][0-9]{{2}}(?::?[0-9]{{2}})?))?"
_CLOCK = (
    "(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]+)?)?)?"
    f"(?: ?(?P<half>[AaPp])[.]?[Mm][.]?)?{_ZONE}"
)
_TIME = f"(?:(?:T|,? +){_CLOCK})?"

# In the order in which they are tried; the first that fits is taken.
FORMS: tuple[str, ...] = (
    f"^{_YEAR}-(?P<month>[0-9]{{2}})-(?P<day>[0-9]{{2}})$",  # 2014-05-13; 1952-00-00 is a year
    "^(?P<number>[+-]?(?:[0-9]{1,18}|1[0-9]{18}))(?:[.]0*)?$",  # 2014, 17, 2014.0
    f"^{_YEAR}-(?P<month>[0-9]{{2}})-(?P<day>[0-9]{{2}})(?:T|,? +){_CLOCK}$",  # 2014-05-13T07:30:00Z
    f"^(?P<year>[+-]?[0-9]{{1,6}})-(?:(?P<month>[0-9]{{2}})|{_BLANK})-{_BLANK}$",  # 1952-##-##, -431-05-##
    f"^(?P<year>[+-]?[0-9]{{1,6}})-{_BLANK}$",  # 1952-##
    "^(?P<year>[+-][0-9]{1,3}|[0-9]{3})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})$",  # 360-05-12, -31-09-02
    f"^(?P<unknown>[+-]?(?:[0-9]{{0,3}}#+|XXXX|[0-9]XXX|[0-9]{{2}}XX|[0-9]{{3}}X))(?:-(?:[0-9]{{2}}|{_BLANK})){{0,2}}$",
    f"^{_YEAR}-(?P<month>[0-9]{{2}})$",  # 2014-05
    f"^{_YEAR}-?W(?P<week>[0-9]{{2}})$",  # 2014-W20
    f"^{_FOUR}[-/.]{_MONTH}[-/.]{_DAY}{_TIME}$",  # 2018/1/5, 2018-1-5
    f"^{_DAY}[.]{_MONTH}[.]{_FOUR}{_TIME}$",  # 31.01.2018
    f"^(?P<first>[0-9]{{1,2}})[-/](?P<other>[0-9]{{1,2}})[-/]{_FOUR}{_TIME}$",  # 01/31/2018 or 31/01/2018
    f"^{_DAY}{_NTH}[-/. ]+{_NAME},?[-/ ]+{_FOUR}{_TIME}$",  # 31 Jan 2018, 31-Jan-2018
    f"^{_NAME} +{_DAY}{_NTH},? +{_FOUR}{_TIME}$",  # January 31, 2018
    f"^{_NAME}[-/ ]+{_FOUR}$",  # Jan 2018
    f"^{_FOUR}[- ]?Q(?P<quarter>[1-4])$",  # 2018Q3
    f"^Q(?P<quarter>[1-4])[-/ ]?{_FOUR}$",  # Q3 2018
    "^(?P<year>[0-9]{1,6}) ?(?P<era>BCE?|AD|CE)$",  # 44 BC
)

# Marks of a format. Numbers may be shorter or longer than usual, unless nothing stands between two marks.
_CODES = {
    "%Y": "(?P<year>[+-]?[0-9]{1,6})",
    "%y": "(?P<short_year>[0-9]{2})",
    "%m": _MONTH,
    "%d": _DAY,
    "%b": _NAME,
    "%B": _NAME,
    "%H": "(?P<hour>[0-9]{1,2})",
    "%I": "(?P<hour>[0-9]{1,2})",
    "%M": "(?P<minute>[0-9]{1,2})",
    "%S": "(?P<second>[0-9]{1,2})",
    "%f": "[0-9]+",
    "%p": "(?P<half>[AaPp])[.]?[Mm][.]?",
    "%z": f"(?P<zone>Z|{'|'.join(ZONES)}|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)",
    "%G": "(?P<year>[+-]?[0-9]{1,6})",
    "%V": "(?P<week>[0-9]{1,2})",
    "%%": "%",
}
_DIGITS = {"%Y": 4, "%y": 2, "%m": 2, "%d": 2, "%H": 2, "%I": 2, "%M": 2, "%S": 2, "%G": 4, "%V": 2}
_SINCE = re.compile(r"(second|millisecond|minute|hour|day|week|month|year)s? since (\S.*)", re.IGNORECASE)


def pattern_of(time_format: str) -> str:
    """The pattern of a format with the usual marks: ``%d.%m.%Y %H:%M``. Raises ``DataError`` for what it cannot be."""
    parts = re.split("(%.?)", time_format)
    unknown = [part for part in parts if part.startswith("%") and part not in _CODES]
    if unknown:
        raise DataError(
            f"the time format {time_format!r} has {unknown[0]!r}; known marks are {', '.join(_CODES)}, "
            "or write 'hours since 2018-01-01'"
        )
    patterns = [_CODES.get(part, re.escape(part)) for part in parts]
    for place in range(1, len(parts) - 2, 2):
        if not parts[place + 1]:  # two marks without anything between them
            for mark in (place, place + 2):
                width = _DIGITS.get(parts[mark])
                if width:
                    patterns[mark] = re.sub(r">.*\)$", f">[0-9]{{{width}}})", patterns[mark])
    pattern = "^" + "".join(patterns) + "$"
    names = re.findall(r"\?P<(\w+)>", pattern)
    if not {"year", "short_year"} & set(names) or len(names) != len(set(names)):
        raise DataError(
            f"the time format {time_format!r} must have a year (%Y) and each part once, as in '%d.%m.%Y'; "
            "for numbers write 'hours since 2018-01-01'"
        )
    return pattern


def counted_since(time_format: str) -> tuple[str, str] | None:
    """Unit and origin of a format like ``hours since 2018-01-01``, as climate data write it; None for other formats."""
    match = _SINCE.fullmatch(time_format.strip())
    return (match.group(1).lower(), match.group(2)) if match else None
