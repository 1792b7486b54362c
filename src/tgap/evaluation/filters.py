"""Filters: which other true answers step aside before a rank is taken.

For a query (s, r, ?, t) with answer o, other entities may be true answers too. A scorer that puts one of them above o
made no mistake, so filtered protocols take them out of the competition:

* raw     nobody steps aside.
* static  every entity that is true for (s, r) at ANY time steps aside. Generous: what was true in March is taken out
          of a question about November, although it is a wrong answer there.
* time    only entities that are true for (s, r, t), at exactly this time, step aside. This is the protocol to compare
          by: all that it takes out is a correct answer to the very question.

The answer itself always stays. Facts of all splits count as true (a test question may be crowded by a training fact),
in both directions: a fact (s, r, o, t) makes o true for (s, r) and s true for (o, r + R).

Both filters are built once from the whole dataset and never change. Each is a table of compressed rows: sorted keys,
and for every key the sorted entities that are true for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Facts
from tgap.errors import EvaluationError
from tgap.scorer import IntArray, QueryBatch

Int32Array = NDArray[np.int32]


@dataclass(frozen=True)
class AnswerSets:
    """A set of entities for each of K keys: those of key k are ``members[start[k]..start[k+1]]``."""

    keys: IntArray  # [K] sorted, distinct
    start: IntArray  # [K+1]
    members: Int32Array  # [M] sorted within a key, distinct

    @classmethod
    def build(cls, keys: IntArray, members: IntArray) -> AnswerSets:
        """Sets from pairs (key, member) in any order; repeated pairs count once."""
        order = np.lexsort((members, keys))
        keys, members = keys[order], members[order]
        fresh = np.ones(len(keys), dtype=bool)
        fresh[1:] = (keys[1:] != keys[:-1]) | (members[1:] != members[:-1])
        keys, members = keys[fresh], members[fresh]
        distinct, first = np.unique(keys, return_index=True)
        arrays = (distinct, np.append(first, len(keys)).astype(np.int64), members.astype(np.int32))
        for array in arrays:
            array.setflags(write=False)
        return cls(*arrays)

    def rows(self, keys: IntArray) -> tuple[IntArray, IntArray]:
        """Begin and end of each key's members; an unknown key has none."""
        at = np.searchsorted(self.keys, keys)
        known = np.zeros(len(keys), dtype=bool)
        inside = at < len(self.keys)
        known[inside] = self.keys[at[inside]] == keys[inside]
        at = np.where(known, at, 0)
        begin = self.start[at]
        return begin, np.where(known, self.start[np.minimum(at + 1, len(self.keys))], begin)


@dataclass(frozen=True)
class Filters:
    """True answers by (s, r) and by (s, r, t). Immutable, so one object serves every evaluation of a dataset."""

    num_relations: int  # R, without inverses
    times: IntArray  # sorted distinct times of all facts; a time filter's key holds a position in it
    static: AnswerSets
    time: AnswerSets

    @classmethod
    def of(cls, dataset: Dataset) -> Filters:
        """Filters over all splits of a dataset."""
        return cls.build(dataset.num_entities, dataset.num_relations, (dataset.train, dataset.valid, dataset.test))

    @classmethod
    def build(cls, num_entities: int, num_relations: int, splits: Iterable[Facts]) -> Filters:
        """Filters over the given splits; ids and times as in the splits."""
        columns = [
            np.concatenate(column).astype(np.int64) for column in zip(*(facts.columns for facts in splits), strict=True)
        ]
        subject, relation, obj, time = columns
        times = np.unique(time)
        if num_entities * 2 * num_relations * max(len(times), 1) >= 2**63:
            raise EvaluationError(
                f"{num_entities} entities, {num_relations} relations and {len(times)} times are too many to filter by; "
                "choose a coarser time unit for this dataset"
            )
        given = np.concatenate([subject, obj])
        asked = np.concatenate([relation, relation + num_relations])
        member = np.concatenate([obj, subject])
        pair = given * (2 * num_relations) + asked
        when = np.tile(np.searchsorted(times, time), 2)
        times.setflags(write=False)
        return cls(
            num_relations, times, AnswerSets.build(pair, member), AnswerSets.build(pair * len(times) + when, member)
        )

    def static_rows(self, queries: QueryBatch) -> tuple[IntArray, IntArray]:
        """Begin and end in ``static.members`` for each query."""
        return self.static.rows(self._pair(queries))

    def time_rows(self, queries: QueryBatch) -> tuple[IntArray, IntArray]:
        """Begin and end in ``time.members`` for each query; a time without facts has no true answers."""
        if not len(self.times):
            nothing = np.zeros(len(queries), dtype=np.int64)
            return nothing, nothing
        when = np.minimum(np.searchsorted(self.times, queries.time), len(self.times) - 1)
        key = self._pair(queries) * len(self.times) + when
        return self.time.rows(np.where(self.times[when] == queries.time, key, -1))

    def _pair(self, queries: QueryBatch) -> IntArray:
        return queries.subject * (2 * self.num_relations) + queries.relation
