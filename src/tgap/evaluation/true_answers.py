"""True answers: which entities the facts of a dataset make true for a query, at its time or at any.

A fact (s, r, o, t) makes o true for (s, r) and s true for (o, r + R), at t. This is the one home of that idea: ranking
protocols take their filters from it, breakdowns count by it, predictions mark what is known by it.

``TrueAnswers`` serves many queries: it sorts the facts into a table when one is first asked for, and keeps it; a table
never changes. ``answering_facts`` and ``answers_of`` serve a single query without a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Facts
from tgap.data.facts import both_directions
from tgap.errors import EvaluationError
from tgap.scorer import IntArray, Query, QueryBatch

Int32Array = NDArray[np.int32]


def answering_facts(dataset: Dataset, query: Query) -> dict[str, Facts]:
    """Facts that answer a query at any time, by split; turned, where it asks for heads, so that objects answer it."""
    found: dict[str, Facts] = {}
    for split, facts in dataset.parts.items():
        head = query.relation >= dataset.num_relations
        given, asked = (facts.object, facts.subject) if head else (facts.subject, facts.object)
        mine = (facts.with_object if head else facts.with_subject)(query.subject)
        mine = mine[facts.relation[mine] == query.relation % dataset.num_relations]
        found[split] = Facts(
            given[mine], facts.relation[mine] + dataset.num_relations * head, asked[mine], facts.time[mine]
        )
    return found


def answers_of(dataset: Dataset, query: Query) -> IntArray:
    """Entities that are true for a query at exactly its time, by facts of all splits; sorted, each once."""
    facts = Facts.concatenate(list(answering_facts(dataset, query).values()))
    return np.unique(facts.object[facts.time == query.time])


class AnswerRows(NamedTuple):
    """True answers of B queries: those of query b are ``members[begin[b]..end[b]]``, sorted."""

    begin: IntArray  # [B]
    end: IntArray  # [B]
    members: Int32Array

    @property
    def count(self) -> IntArray:  # type: ignore[override]  # tuple.count has no use on three arrays
        """[B] answers of each query."""
        return self.end - self.begin

    def of(self, row: int) -> IntArray:
        """Answers of one query."""
        return self.members[self.begin[row] : self.end[row]].astype(np.int64)

    def pairs(self) -> tuple[IntArray, IntArray]:
        """Query and answer of every true answer, one after the other."""
        size = self.count
        place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size - self.begin, size)
        return np.repeat(np.arange(len(size)), size), self.members[place].astype(np.int64)

    def contain(self, entity_BK: IntArray, num_entities: int) -> NDArray[np.bool_]:
        """Which of the entities [B, k] are true answers of their query."""
        row, answer = self.pairs()
        wanted = np.arange(len(self.begin))[:, None] * num_entities + entity_BK
        return np.isin(wanted, row * num_entities + answer)


@dataclass(frozen=True)
class AnswerTable:
    """True answers of every query that has one, as compressed rows over K sorted keys."""

    num_relations: int  # R, without inverses
    times: IntArray | None  # sorted distinct times, of which a key holds the position; None: any time will do
    keys: IntArray  # [K] sorted, distinct
    start: IntArray  # [K+1] members of key k stand at start[k]..start[k+1]
    members: Int32Array  # sorted within a key, distinct

    @classmethod
    def build(cls, num_entities: int, num_relations: int, facts: Facts, by_time: bool) -> AnswerTable:
        """Table of the given facts, in both directions; a repeated fact counts once."""
        asked = both_directions(facts, num_relations)
        answer = asked.object
        times = np.unique(asked.time) if by_time else None
        instants = 1 if times is None else max(len(times), 1)
        if num_entities * 2 * num_relations * instants >= 2**63:
            raise EvaluationError(
                f"{num_entities} entities, {num_relations} relations and {instants} times are too many to filter by; "
                "choose a coarser time unit for this dataset"
            )
        keys = asked.subject * (2 * num_relations) + asked.relation
        if times is not None:
            keys = keys * len(times) + np.searchsorted(times, asked.time)
        order = np.lexsort((answer, keys))
        keys, answer = keys[order], answer[order]
        fresh = np.ones(len(keys), dtype=bool)
        fresh[1:] = (keys[1:] != keys[:-1]) | (answer[1:] != answer[:-1])
        distinct, first = np.unique(keys[fresh], return_index=True)
        start = np.append(first, np.count_nonzero(fresh)).astype(np.int64)
        members = answer[fresh].astype(np.int32)
        for array in (distinct, start, members, *(() if times is None else (times,))):
            array.setflags(write=False)
        return cls(num_relations, times, distinct, start, members)

    def rows(self, queries: QueryBatch) -> AnswerRows:
        """True answers of each query; none for one that no fact answers."""
        keys = queries.subject * (2 * self.num_relations) + queries.relation
        if self.times is not None:
            when, known = _find(self.times, queries.time)
            keys = np.where(known, keys * len(self.times) + when, -1)
        at, known = _find(self.keys, keys)
        begin = self.start[at]
        return AnswerRows(begin, np.where(known, self.start[at + known], begin), self.members)


def _find(ordered: IntArray, values: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Place of each value in a sorted array, and whether it is there; the place is 0 where it is not."""
    if not len(ordered):
        return np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=bool)
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    known = ordered[at] == values
    return np.where(known, at, 0), known


class TrueAnswers:
    """Tables of true answers over the splits of a dataset."""

    def __init__(self, num_entities: int, num_relations: int, splits: Mapping[str, Facts]) -> None:
        self._size = (num_entities, num_relations)
        self._splits = dict(splits)
        self._tables: dict[tuple[tuple[str, ...], bool], AnswerTable] = {}

    @classmethod
    def of(cls, dataset: Dataset) -> Self:
        """True answers of a dataset."""
        return cls(dataset.num_entities, dataset.num_relations, dataset.parts)

    def at_that_time(self, *splits: str) -> AnswerTable:
        """Entities that are true for (s, r) at exactly the query's time, by facts of the splits (none named: all)."""
        return self._table(splits, by_time=True)

    def at_any_time(self, *splits: str) -> AnswerTable:
        """Entities that are true for (s, r) at any time, by facts of the splits (none named: all)."""
        return self._table(splits, by_time=False)

    def _table(self, splits: tuple[str, ...], by_time: bool) -> AnswerTable:
        names = tuple(name for name in self._splits if not splits or name in splits)
        if (names, by_time) not in self._tables:
            facts = Facts.concatenate([self._splits[name] for name in names])
            self._tables[names, by_time] = AnswerTable.build(*self._size, facts, by_time)
        return self._tables[names, by_time]
