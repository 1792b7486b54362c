"""Which columns of a file hold subject, relation, object and time, and whether its first line is a header.

The user names columns by position (from 1) or by header name; what is not said is found: by usual header words, else
by position. Without a header four columns are subject, relation, object, time; with five the fourth is a modifier of
the relation, or, where it reads as a time, the start of an interval whose end is the fifth.
"""

from __future__ import annotations

from dataclasses import dataclass

from tgap.data.instants import read_instants
from tgap.errors import DataError

ROLES = ("subject", "relation", "object", "time", "end", "modifier")
_WORDS: dict[str, tuple[str, ...]] = {
    "subject": ("subject", "head", "source", "from", "actor1", "source_name", "sourcename", "subject_name", "s", "h"),
    "relation": ("relation", "predicate", "event", "verb", "type", "event_type", "event_text", "property", "r", "p"),
    "object": ("object", "tail", "target", "to", "actor2", "target_name", "targetname", "object_name", "o", "t"),
    "time": ("time", "date", "timestamp", "datetime", "day", "year", "when", "event_date", "start", "since", "begin"),
    "end": ("end", "until", "stop", "end_time", "end_date", "end_year"),
    "modifier": ("modifier", "qualifier"),
}
_MOST = 5  # columns that need not be named
_STARTS = ("start", "since", "begin", "start_time", "start_date", "start_year")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What the user said about the columns: a position from 1, a header name, or nothing (found automatically)."""

    subject: str = ""
    relation: str = ""
    object: str = ""
    time: str = ""
    end: str = ""  # with it, ``time`` is the start of an interval: one -since and one -until fact
    modifier: str = ""  # merged into the relation: P54 and occurSince give P54-occurSince
    header: bool | None = None  # None: found automatically
    separator: str = ""  # one character; empty: tab or comma, found automatically

    def given(self) -> dict[str, str]:
        """The columns that the user named, by role."""
        columns = {role: str(getattr(self, role)) for role in ROLES}
        return {role: column for role, column in columns.items() if column}


def has_header(layout: Layout, first: list[str], second: list[str]) -> bool:
    """Whether ``first`` names the columns: said so, or its words do, or only the line after it has a time.

    In tables of many columns the time may be any of them, and a column of numbers tells the same.
    """
    if layout.header is not None:
        return layout.header
    given = layout.given()
    if any(not _is_position(column) for column in given.values()):
        return True
    if all(_by_word(first, role) is not None for role in ROLES[:4]):
        return True
    width = min(len(first), len(second))
    if "time" in given:
        places = [int(given["time"]) - 1]
    else:
        places = list(range(width)) if width > _MOST else [3 if len(first) == 4 else 4]
    if max(places) >= width:
        return False
    above, below = (read_instants([line[at] for at in places]).good for line in (first, second))
    return bool((below & ~above).any())


def columns_of(layout: Layout, header: list[str] | None, sample: list[str], file: str) -> dict[str, int]:
    """Index of the column for each role that the file has; ``sample`` is its first row."""
    given = layout.given()
    found = {role: _locate(column, role, header, len(sample), file) for role, column in given.items()}
    missing = [role for role in ROLES[:4] if role not in found]
    if missing and len(sample) < 4:
        count = f"{len(sample)} column{'s' if len(sample) != 1 else ''}"
        raise DataError(
            f"{file}: found {count}, a fact needs at least 4 (subject, relation, object, time); "
            "if they are separated by something else than tab, comma, semicolon or bar, name it with --separator"
        )
    if header is not None and missing:
        words = {role: _by_word(header, role) for role in missing}
        if all(place is not None for place in words.values()):
            _once({role: place for role, place in words.items() if place is not None}, header, file)
            found |= {role: place for role, place in words.items() if place is not None}
            end = _by_word(header, "end")
            if "end" not in given and end is not None and _fold(header[found["time"]]) in _STARTS:
                found["end"] = end
            modifier = _by_word(header, "modifier")
            if "modifier" not in given and modifier is not None:
                found["modifier"] = modifier
            return _distinct(found, header, file)
    if missing:
        found |= _by_position(found, missing, sample, header, file)
    return _distinct(found, header, file)


def _by_position(
    found: dict[str, int], missing: list[str], sample: list[str], header: list[str] | None, file: str
) -> dict[str, int]:
    """Columns for the roles that neither the user nor the header gave, by the usual order."""
    if len(sample) > _MOST or ((found or header) and len(sample) > 4):
        names = f" The columns are: {', '.join(header)}." if header else f" The first line: {', '.join(sample)}."
        options = " ".join(f"--{role} COL" for role in missing)
        raise DataError(f"{file}: has {len(sample)} columns; say which are which with {options}.{names}")
    places = {role: index for index, role in enumerate(ROLES[:4]) if role in missing}
    if len(sample) == 5 and not found:
        interval = bool(read_instants([sample[3]]).good[0])
        places |= {"time": 3, "end": 4} if interval else {"modifier": 3, "time": 4}
    return places


def _locate(column: str, role: str, header: list[str] | None, width: int, file: str) -> int:
    if header is not None and column in header:
        _once({role: header.index(column)}, header, file)
        return header.index(column)
    if _is_position(column) and 1 <= int(column) <= width:
        return int(column) - 1
    if header is None:
        reason = f"has columns 1 to {width}" + ("" if _is_position(column) else " and no header")
        raise DataError(f"{file}: --{role} is {column!r}, but the file {reason}")
    folded = [_fold(name) for name in header]
    if folded.count(_fold(column)) == 1:
        return folded.index(_fold(column))
    raise DataError(f"{file}: --{role} is {column!r}, but the columns are {', '.join(map(repr, header))}")


def _once(found: dict[str, int], header: list[str], file: str) -> None:
    """A column found by its name must be the only one of that name."""
    for role, place in found.items():
        places = [str(at + 1) for at, name in enumerate(header) if name == header[place]]
        if len(places) > 1:
            raise DataError(
                f"{file}: the name {header[place]!r} stands over columns {' and '.join(places)}; "
                f"give the position of the right one with --{role}"
            )


def _distinct(found: dict[str, int], header: list[str] | None, file: str) -> dict[str, int]:
    taken: dict[int, str] = {}
    for role, place in found.items():
        if place in taken:
            name = header[place] if header else str(place + 1)
            raise DataError(f"{file}: column {name!r} would be both {taken[place]} and {role}; choose with --{role}")
        taken[place] = role
    return found


def _by_word(header: list[str], role: str) -> int | None:
    folded = [_fold(name) for name in header]
    return next((folded.index(word) for word in (*_WORDS[role], *_starts(role)) if word in folded), None)


def _starts(role: str) -> tuple[str, ...]:
    return _STARTS if role == "time" else ()


def _fold(name: str) -> str:
    return name.strip().strip('"').casefold().replace(" ", "_").replace("-", "_")


def _is_position(column: str) -> bool:
    return column.isascii() and column.isdigit()
