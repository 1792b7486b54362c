"""Which columns of a file hold subject, relation, object and time, and whether its first line is a header.

The user names columns by position (from 1) or by header name; what is not said is found: as one of the known tables, by
usual header words, else by position. Without a header four columns are subject, relation, object, time; with five the
fourth is a modifier of the relation, or, where it reads as a time, the start of an interval whose end is the fifth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tgap.data.reading.known_tables import known_by_header, known_by_shape
from tgap.data.time import are_dates, are_times
from tgap.errors import DataError, Option

ROLES = ("subject", "relation", "object", "time", "end", "modifier")
_WORDS: dict[str, tuple[str, ...]] = {
    "subject": ("subject", "head", "source", "from", "actor1", "source_name", "sourcename", "subject_name", "s", "h"),
    "relation": ("relation", "predicate", "event", "verb", "type", "event_type", "event_text", "property", "r", "p"),
    "object": ("object", "tail", "target", "to", "actor2", "target_name", "targetname", "object_name", "o", "t"),
    "time": ("time", "date", "event_date", "timestamp", "datetime", "day", "year", "when", "start", "since", "begin"),
    "end": ("end", "until", "stop", "end_time", "end_date", "end_year"),
    "modifier": ("modifier", "qualifier"),
}
_MOST = 5  # columns that need not be named
_HINT = "if there is no relation because all facts are of one kind, name it with `relation_name`; "
_STARTS = ("start", "since", "begin", "start_time", "start_date", "start_year")
_SPLIT = "split"
_FILLERS = ("0", "-1")  # what a fifth column without meaning is filled with


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What the user said about the columns: a position from 1, a header name, or nothing (found automatically)."""

    subject: str = ""
    relation: str = ""
    object: str = ""
    time: str = ""
    end: str = ""  # with it, ``time`` is the start of an interval: one -since and one -until fact
    relation_name: str = ""  # of every fact, in tables that have no column for the relation
    modifier: str = ""  # merged into the relation: P54 and occurSince give P54-occurSince
    header: bool | None = None  # None: found automatically
    separator: str = ""  # one character; empty: tab or comma, found automatically
    quotes: bool | None = None  # whether quotation marks enclose fields; None: in all files but tab separated ones
    time_format: str = ""  # %d.%m.%Y, or "hours since 2018-01-01"; empty: found automatically
    day_first: bool | None = None  # whether 01/02/2018 is 1 February; None: as other dates of the column prove it
    missing: tuple[str, ...] = ()  # texts that stand for an empty field, such as NA

    def needed(self) -> tuple[str, ...]:
        """Roles that every table must have a column for."""
        return tuple(role for role in ROLES[:4] if role != "relation" or not self.relation_name)

    def given(self) -> dict[str, str]:
        """The columns that the user named, by role."""
        columns = {role: str(getattr(self, role)) for role in ROLES}
        return {role: column for role, column in columns.items() if column}

    def reads_time(self, texts: Sequence[str]) -> list[bool]:
        """Which texts are times in this layout's format, or say that a time is not known."""
        return [bool(found) for found in are_times(texts, self.time_format)]


class Columns(NamedTuple):
    """Index of the column for each role that a file has, and how they were found out."""

    places: dict[str, int]
    known_as: str = ""  # ICEWS, GDELT ...
    split: int | None = None  # a column that is called split and is no other role's
    passed_over: str = ""  # a column without meaning, in words


def has_header(layout: Layout, first: list[str], second: list[str]) -> bool:
    """Whether ``first`` names the columns: said so, or its words do, or only the line after it has a time.

    A date may stand in any column; a number, which may be a name as well, tells only where the time is expected, or in
    tables of many columns.
    """
    if layout.header is not None:
        return layout.header
    given = layout.given()
    if any(not _is_position(column) for column in given.values()):
        return True
    if known_by_header(_folded(first)) or all(_by_word(first, role) is not None for role in layout.needed()):
        return True
    width = min(len(first), len(second))
    if "time" in given:
        places = [int(given["time"]) - 1]
    else:
        last = 2 if layout.relation_name else 3
        places = list(range(width)) if width > _MOST else [last if len(first) == last + 1 else last + 1]
    above, below = (layout.reads_time(line[:width]) for line in (first, second))
    dated = [_is_dates([text]) for text in second[:width]]
    return any(below[at] and not above[at] and (at in places or dated[at]) for at in range(width))


def columns_of(layout: Layout, header: list[str] | None, sample: list[list[str]], width: int, file: str) -> Columns:
    """Where the roles stand in a file of ``width`` columns; ``sample`` holds some of its rows."""
    columns = _find_columns(layout, header, sample, width, file)
    folded = _folded(header or [])
    place = folded.index(_SPLIT) if folded.count(_SPLIT) == 1 else None
    return columns if place in columns.places.values() else columns._replace(split=place)


def _find_columns(layout: Layout, header: list[str] | None, sample: list[list[str]], width: int, file: str) -> Columns:
    given = layout.given()
    if layout.relation_name and layout.relation:
        raise DataError(f"`relation` {layout.relation} and `relation_name` {layout.relation_name} exclude each other")
    found = {role: _locate(column, role, header, width, file) for role, column in given.items()}
    missing = [role for role in layout.needed() if role not in found]
    if missing == ["relation"] and width < 4:
        raise DataError(
            f"{file}: no column is left for the relation; if all facts are of one kind, name it with `relation_name`"
        )
    if missing and width < len(layout.needed()):
        count = f"{width} column{'s' if width != 1 else ''}"
        raise DataError(
            f"{file}: found {count}, a fact needs at least {len(layout.needed())} ({', '.join(layout.needed())}); "
            f"{_HINT if width == 3 and not layout.relation_name else ''}"
            "if they are separated by something else than tab, comma, semicolon or bar, name it with ",
            Option("separator"),
        )
    if not missing:
        return Columns(_distinct(found, header, file))
    known = known_by_header(_folded(header)) if header else known_by_shape(sample[0]) if sample else None
    if known is not None:
        name, places = known
        found |= {role: places[role] for role in missing}
        _once({role: found[role] for role in missing}, header or [], file)
        return Columns(_distinct(found, header, file), known_as=name)
    if header is not None:
        words = {role: place for role in missing if (place := _by_word(header, role)) is not None}
        if len(words) == len(missing):
            _once(words, header, file)
            found |= words
            end = _by_word(header, "end")
            if "end" not in given and end is not None and _fold(header[found["time"]]) in _STARTS:
                found["end"] = end
            modifier = _by_word(header, "modifier")
            if "modifier" not in given and modifier is not None:
                found["modifier"] = modifier
            return Columns(_distinct(found, header, file))
    places, passed_over = _by_position(layout, found, missing, header, sample, width, file)
    for role in ROLES[:3]:
        if role in places and _is_dates([row[places[role]] for row in sample]):
            raise DataError(
                f"{file}: column {places[role] + 1} would be the {role} by its position, but holds dates; "
                "say which columns are which with ",
                Option("subject"),
                ", ",
                Option("relation"),
                ", ",
                Option("object"),
                " and ",
                Option("time"),
            )
    return Columns(_distinct(found | places, header, file), passed_over=passed_over)


def _by_position(
    layout: Layout,
    found: dict[str, int],
    missing: list[str],
    header: list[str] | None,
    sample: list[list[str]],
    width: int,
    file: str,
) -> tuple[dict[str, int], str]:
    """Columns for the roles that neither the user nor the header gave, by the usual order."""
    places = {role: index for index, role in enumerate(layout.needed()) if role in missing}
    if found and sorted([*places.values(), *found.values()]) == list(range(width)):
        return places, ""  # no column is left over
    if width > _MOST or ((found or header) and width > 4):
        first = sample[0] if sample else []
        names = f" The header is: {', '.join(header)}." if header else f" The first line: {', '.join(first)}."
        options = " ".join(f"`{role}` COL" for role in missing)
        raise DataError(f"{file}: has {width} columns; say which are which with {options}.{names}")
    if width < _MOST or found or layout.relation_name:
        return places, ""
    fourth, fifth = ([row[at] for row in sample if row[at]] for at in (3, 4))
    times = sum(layout.reads_time(fourth))
    if fifth and set(fifth) <= {fifth[0]} & set(_FILLERS) and len(fifth) > 1 and times == len(fourth):
        return places, f"column 5 is {fifth[0]} in every row"
    if 2 * times > len(fourth) or not fourth:
        return places | {"end": 4}, ""
    if times:
        raise DataError(
            f"{file}: column 4 holds times in some rows and something else in others ({fourth[0]!r} in the first); "
            "say what it is with ",
            Option("time"),
            " 4 ",
            Option("end"),
            " 5, or with ",
            Option("modifier"),
            " 4 ",
            Option("time"),
            " 5",
        )
    return places | {"modifier": 3, "time": 4}, ""


def _is_dates(texts: list[str]) -> bool:
    """Whether all texts are dates; plain numbers may be names."""
    given = [text for text in texts if text]
    if not given or not all(any(map(str.isdigit, text)) for text in given):  # quick, and true of most names
        return False
    return bool(are_dates(given).all())


def _locate(column: str, role: str, header: list[str] | None, width: int, file: str) -> int:
    if header is not None and column in header:
        _once({role: header.index(column)}, header, file)
        return header.index(column)
    if _is_position(column) and 1 <= int(column) <= width:
        return int(column) - 1
    if header is None:
        reason = f"has columns 1 to {width}" + ("" if _is_position(column) else " and no header")
        raise DataError(f"{file}: ", Option(role), f" is {column!r}, but the file {reason}")
    folded = _folded(header)
    if folded.count(_fold(column)) == 1:
        return folded.index(_fold(column))
    raise DataError(f"{file}: ", Option(role), f" is {column!r}, but the header has {', '.join(map(repr, header))}")


def _once(found: dict[str, int], header: list[str], file: str) -> None:
    """A column found by its name must be the only one of that name."""
    for role, place in found.items():
        places = [str(at + 1) for at, name in enumerate(header) if name == header[place]]
        if len(places) > 1:
            raise DataError(
                f"{file}: the name {header[place]!r} stands over columns {' and '.join(places)}; "
                "give the position of the right one with ",
                Option(role),
            )


def _distinct(found: dict[str, int], header: list[str] | None, file: str) -> dict[str, int]:
    taken: dict[int, str] = {}
    for role, place in found.items():
        if place in taken:
            name = header[place] if header else str(place + 1)
            raise DataError(
                f"{file}: column {name!r} would be both {taken[place]} and {role}; choose with ", Option(role)
            )
        taken[place] = role
    return found


def _by_word(header: list[str], role: str) -> int | None:
    folded = _folded(header)
    words = (*_WORDS[role], *(_STARTS if role == "time" else ()))
    return next((folded.index(word) for word in words if word in folded), None)


def _folded(header: list[str]) -> list[str]:
    return [_fold(name) for name in header]


def _fold(name: str) -> str:
    return name.strip().strip('"').casefold().replace(" ", "_").replace("-", "_")


def _is_position(column: str) -> bool:
    return column.isascii() and column.isdigit()
