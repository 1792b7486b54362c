"""The questions a split asks: every fact once for its tail and once for its head.

The tail of (s, r, o, t) is the query (s, r, ?, t) with answer o; its head is the query (o, r + R, ?, t) with answer s.
A scorer's row depends on nothing but (subject, relation, time), so queries that agree in these are scored once and
several answers are read from the row. ``Grouping`` holds that, with the distinct queries in order of time: a scorer
that keeps what it computed for a timestamp then meets each timestamp once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.data import Facts
from tgap.data.facts import both_directions
from tgap.errors import EvaluationError
from tgap.scorer import IntArray, QueryBatch

DIRECTIONS = ("tail", "head")


@dataclass(frozen=True)
class SplitQueries:
    """Q queries with their answers, all tails first, then all heads (a sample keeps that order)."""

    batch: QueryBatch
    answer: IntArray  # [Q] the entity that is looked for
    head: NDArray[np.bool_]  # [Q] True where the fact's head is asked for
    fact: IntArray  # [Q] position of the fact in its split
    available: int  # queries of the whole split; more than Q for a sample

    def __len__(self) -> int:
        return len(self.answer)

    def sample(self, limit: int, seed: int) -> SplitQueries:
        """At most ``limit`` queries drawn at random without replacement; the same seed draws the same ones."""
        if limit < 1:
            raise EvaluationError(f"a sample of {limit} queries was asked for; expected at least 1")
        if limit >= len(self):
            return self
        chosen = np.sort(np.random.default_rng(seed).choice(len(self), size=limit, replace=False))
        return self._take(chosen, self.available)

    def part(self, wanted: NDArray[np.bool_]) -> SplitQueries:
        """The queries that are wanted, out of all that there are."""
        return self._take(np.flatnonzero(wanted), self.available)

    def only(self, wanted: NDArray[np.bool_]) -> SplitQueries:
        """The queries that are wanted, as if there were no others."""
        chosen = np.flatnonzero(wanted)
        return self._take(chosen, len(chosen))

    def _take(self, chosen: IntArray, available: int) -> SplitQueries:
        return SplitQueries(
            self.batch.take(chosen), self.answer[chosen], self.head[chosen], self.fact[chosen], available
        )


def queries_of(facts: Facts, num_relations: int) -> SplitQueries:
    """Both directions of every fact; repeated facts are repeated queries, each counts."""
    count, asked = len(facts.subject), both_directions(facts, num_relations)
    batch = QueryBatch(asked.subject, asked.relation, asked.time)
    return SplitQueries(batch, asked.object, np.arange(2 * count) >= count, np.tile(np.arange(count), 2), 2 * count)


@dataclass(frozen=True)
class Grouping:
    """G distinct queries, and which of the Q queries read each of them."""

    batch: QueryBatch  # [G] distinct, sorted by (time, subject, relation)
    group: IntArray  # [Q] distinct query behind each query
    member: IntArray  # [Q] queries in order of their group
    start: IntArray  # [G+1] the queries of group g are member[start[g]..start[g+1]]

    def __len__(self) -> int:
        return len(self.batch)


def group(batch: QueryBatch) -> Grouping:
    """Queries with the same (subject, relation, time) brought together.

    >>> same = group(QueryBatch(np.array([4, 4, 0]), np.array([1, 1, 0]), np.array([9, 9, 2])))
    >>> len(same), same.group.tolist()
    (2, [1, 1, 0])
    """
    order = np.lexsort((batch.relation, batch.subject, batch.time))
    ordered = batch.take(order)
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (
        (ordered.subject[1:] != ordered.subject[:-1])
        | (ordered.relation[1:] != ordered.relation[:-1])
        | (ordered.time[1:] != ordered.time[:-1])
    )
    first = np.flatnonzero(fresh)
    group_of = np.empty(len(order), dtype=np.int64)
    group_of[order] = np.cumsum(fresh) - 1
    return Grouping(ordered.take(first), group_of, order, np.append(first, len(order)))
