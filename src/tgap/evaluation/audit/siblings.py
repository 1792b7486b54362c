"""Rows of one and the same query, side by side: what a program says must not depend on the answer that is looked for.

When a country consults two others on one day, two facts ask the same query, and a program that is asked twice must give
the same scores twice. Where the rows differ at the two answers only, each higher in its own row, the program adds
something to the score of the answer that it is ranking. Where they differ everywhere, it is not a function of the
query.

Rows are compared at the answers of all the query's facts and at a few entities that are nobody's answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tgap.evaluation.audit.scores import Float64Array
from tgap.evaluation.queries import SplitQueries, group
from tgap.scorer import IntArray

_OTHERS = 8  # entities that are looked at beside the answers
_MOST = 50  # answers of one query that are looked at


class Offsets(NamedTuple):
    """Differences between rows of the same query."""

    answers: Float64Array  # what an answer has more in its own row than in the others', for each such row
    answer_query: IntArray  # the query of that row
    others: Float64Array  # how far the scores of an entity that is nobody's answer lie apart
    other_query: IntArray  # one of the queries


class LookedAt(NamedTuple):
    """Places in the rows: P pairs of a query and an entity."""

    query: IntArray  # [P]
    entity: IntArray  # [P]
    group: IntArray  # [P] queries that are the same have the same number


class Siblings:
    """Entities to look at in rows that have siblings, and the scores that they were found to have."""

    def __init__(self, places: LookedAt, answer: IntArray) -> None:
        order = np.argsort(places.query, kind="stable")
        self._query, self._entity, self._group = places.query[order], places.entity[order], places.group[order]
        self._start = np.searchsorted(self._query, np.arange(len(answer) + 1))
        self._own = answer[self._query] == self._entity
        self._value: Float64Array = np.full(len(order), np.nan)

    @classmethod
    def plan(cls, queries: SplitQueries, num_entities: int) -> Siblings:
        """What to look at: for every query with several answers those answers, and a few others."""
        grouping = group(queries.batch)
        others = np.random.default_rng(0).choice(num_entities, size=min(_OTHERS, num_entities), replace=False)
        query, entity, groups = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for place in np.flatnonzero(np.diff(grouping.start) > 1):
            members = grouping.member[grouping.start[place] : grouping.start[place + 1]]
            answers = np.unique(queries.answer[members])[:_MOST]
            if len(answers) > 1:
                looked = np.union1d(answers, others)
                query.append(np.repeat(members, len(looked)))
                entity.append(np.tile(looked, len(members)))
                groups.append(np.full(len(members) * len(looked), place))
        looked_at = LookedAt(*(np.concatenate(part) for part in (query, entity, groups)))
        return cls(looked_at, queries.answer)

    def read(self, queries: IntArray, scores_BN: Float64Array) -> None:
        """Take the scores from the rows of some queries; NaN where a row does not list the entity."""
        size = self._start[queries + 1] - self._start[queries]
        place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size - self._start[queries], size)
        self._value[place] = scores_BN[np.repeat(np.arange(len(queries)), size), self._entity[place]]

    def offsets(self) -> Offsets:
        """Differences between siblings, where both rows list the entity."""
        known = np.isfinite(self._value)
        key = self._group * (1 + self._entity.max(initial=0)) + self._entity
        _, key = np.unique(key, return_inverse=True)
        count = int(key.max(initial=-1)) + 1
        foreign = known & ~self._own
        seen = np.bincount(key[foreign], minlength=count)
        total = np.bincount(key[foreign], weights=self._value[foreign], minlength=count)
        own = np.flatnonzero(known & self._own & (seen[key] > 0))
        asked = np.bincount(key[self._own], minlength=count) > 0  # somebody's answer
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(low, key[known], self._value[known])
        np.maximum.at(high, key[known], self._value[known])
        spread = np.flatnonzero(~asked & (np.bincount(key[known], minlength=count) > 1))
        first = np.zeros(count, dtype=np.int64)
        first[key] = self._query
        return Offsets(
            answers=self._value[own] - total[key[own]] / seen[key[own]],
            answer_query=self._query[own],
            others=high[spread] - low[spread],
            other_query=first[spread],
        )
