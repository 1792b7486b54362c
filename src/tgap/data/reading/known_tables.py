"""Tables of events that many people have: which of their columns are subject, relation, object and time.

By header, as ICEWS, POLECAT, ACLED and GDELT write it; GDELT's daily files have none and are known by their width and
their second column. A table is known if it has all four columns; others have dozens more, which are passed over.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class KnownTable(NamedTuple):
    """Header names of a table, folded: lower case, underscores for blanks and hyphens."""

    name: str
    subject: str
    relation: str
    object: str
    time: str

    def columns(self, folded: list[str]) -> dict[str, int] | None:
        """Where the four columns stand in a folded header; None if one is missing."""
        places = {role: getattr(self, role) for role in ("subject", "relation", "object", "time")}
        if not all(name in folded for name in places.values()):
            return None
        return {role: folded.index(name) for role, name in places.items()}


KNOWN_TABLES = (
    KnownTable("ICEWS", "source_name", "event_text", "target_name", "event_date"),
    KnownTable("POLECAT", "actor_name", "event_type", "recipient_name", "event_date"),
    KnownTable("ACLED", "actor1", "event_type", "actor2", "event_date"),
    KnownTable("GDELT", "actor1name", "eventcode", "actor2name", "sqldate"),
    KnownTable("GDELT", "actor1name", "eventcode", "actor2name", "day"),
)
_GDELT_WIDTHS = (57, 58, 61)
_GDELT = {"subject": 6, "relation": 26, "object": 16, "time": 1}


def known_by_header(folded: list[str]) -> tuple[str, dict[str, int]] | None:
    """Name and columns of a known table by its folded header."""
    for table in KNOWN_TABLES:
        places = table.columns(folded)
        if places is not None:
            return table.name, places
    return None


def known_by_shape(row: list[str]) -> tuple[str, dict[str, int]] | None:
    """Name and columns of a known table without a header, by a row of it."""
    if len(row) in _GDELT_WIDTHS and re.fullmatch("[0-9]+", row[0]) and re.fullmatch("(19|20)[0-9]{6}", row[1]):
        return "GDELT", dict(_GDELT)
    return None
