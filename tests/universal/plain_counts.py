"""The counts and the features of ``tgap.universal`` in plain loops over facts, written from their definitions alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

Fact = tuple[int, int, int, int]
CLASSES = 25


class Plain(NamedTuple):
    """Facts of a graph, each known once by its four ids; copies repeat it."""

    relations: int
    facts: list[Fact]

    def events(self, subject: int) -> Iterator[tuple[int, int, int, Fact]]:
        """(relation, other, time, fact) of everything that the subject takes part in, from its own side."""
        for fact in self.facts:
            s, r, o, t = fact
            if s == subject:
                yield r, o, t, fact
            if o == subject:
                yield r + self.relations, s, t, fact

    def original(self, subject: int, relation: int, other: int, time: int) -> Fact:
        """The fact behind an event seen from either side."""
        if relation < self.relations:
            return subject, relation, other, time
        return other, relation - self.relations, subject, time

    def questions(self, relation: int) -> list[Fact]:
        """(s, q, o, t) of a relation, inverses included; copies repeat."""
        if relation < self.relations:
            return [fact for fact in self.facts if fact[1] == relation]
        return [(o, relation, s, t) for s, r, o, t in self.facts if r == relation - self.relations]


def class_by_hand(displacement: int, unit: int) -> int:
    """0: the same instant; k: from 2^(k-1) units on, the last without end; before the query negative."""
    if displacement == 0:
        return 12
    units = max(abs(displacement) // unit, 1)
    size = min(int(math.log2(units)) + 1, 12)
    return 12 + (size if displacement > 0 else -size)


Table = dict[tuple[int, int], int]


def counts_by_hand(
    graph: Plain, questions: list[Fact], first: int, last: int, past: bool, unit: int, other_end: int
) -> tuple[Table, Table, Table, Table, list[int]]:
    """Hits and misses of all events, of the nearest ones, and the three totals."""
    tables: tuple[Table, Table, Table, Table] = ({}, {}, {}, {})
    totals = [0, 0, 0]
    for s, q, o, t in questions:
        own = graph.original(s, q, o, t)
        nearest: dict[tuple[int, int], int] = {}
        partner = same = False
        for r, other, when, fact in graph.events(s):
            if fact == own or not first <= when <= last or (past and when >= t):
                continue
            if other == o and r == other_end:
                continue
            hit = other == o
            key = (r, class_by_hand(when - t, unit))
            table = tables[0 if hit else 1]
            table[key] = table.get(key, 0) + 1
            partner |= hit
            same |= hit and r == q
            known = nearest.get((other, r))
            # of two as near the earlier counts: the graph lists a pair's events in order of time
            if known is None or (abs(when - t), when) < (abs(known - t), known):
                nearest[other, r] = when
        for (other, r), when in nearest.items():
            key = (r, class_by_hand(when - t, unit))
            table = tables[2 if other == o else 3]
            table[key] = table.get(key, 0) + 1
        totals = [totals[0] + 1, totals[1] + partner, totals[2] + same]
    return *tables, totals


def pair_features_by_hand(
    graph: Plain, s: int, q: int, o: int, t: int, hidden: set[Fact], unit: int
) -> dict[str, float]:
    """The features of a pair and of the candidate that do not read statistics."""
    count = graph.relations
    inverse = q + count if q < count else q - count
    events = [(r, when) for r, other, when, fact in graph.events(s) if other == o and fact not in hidden]
    role = [when for r, _, when, fact in graph.events(o) if r == inverse and fact not in hidden]

    def decayed(times: list[int], size: float) -> float:
        return sum(math.exp(-abs(when - t) / unit / size) for when in times)

    def distance(times: list[int]) -> float:
        return min((math.log2(1 + abs(when - t) / unit) for when in times), default=20.0)

    same = [when for r, when in events if r == q]
    every = [when for _, when in events]
    return {
        "same relation, decay 8": math.log1p(decayed(same, 8)),
        "same relation, count": math.log1p(len(same)),
        "any relation, decay 2": math.log1p(decayed(every, 2)),
        "any relation, decay 128": math.log1p(decayed(every, 128)),
        "any relation, count": math.log1p(len(every)),
        "inverse, count": math.log1p(sum(r == inverse for r, _ in events)),
        "same relation, last before": distance([when for when in same if when <= t]),
        "same relation, next after": distance([when for when in same if when >= t]),
        "last before": distance([when for when in every if when <= t]),
        "next after": distance([when for when in every if when >= t]),
        "at the instant": math.log1p(sum(when == t for when in every)),
        "is a partner": float(bool(events)),
        "role, decay 16": math.log1p(decayed(role, 16)),
        "role, last before": distance([when for when in role if when <= t]),
        "role, next after": distance([when for when in role if when >= t]),
        "role, at the instant": math.log1p(sum(when == t for when in role)),
        "events within 16": math.log1p(
            sum(
                abs(when - t) / unit <= 16 and other != s
                for _, other, when, fact in graph.events(o)
                if fact not in hidden
            )
        ),
    }
