"""An epoch of a baseline: every training fact asked in both directions, shuffled, cut into batches of nearly one size.

Methods whose entities change with time (``by_time``) pay for every distinct time in a batch. For them the times are
shuffled instead and the facts of a time stay together, so that most batches hold few of them.

The order comes from the raw output of a counter-based stream seeded with (seed, epoch), and the random entities of
``sampled`` and ``margin`` losses from one seeded with (seed, epoch, batch): a resumed run meets the same batches
without any saved state.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tgap.data import Facts
from tgap.scorer import IntArray, QueryBatch

_ORDER, _NEGATIVES = 0, 1  # what a stream is for, so that two streams of one epoch differ


@dataclass(frozen=True)
class FactBatch:
    """Queries with their answers, and the random entities that they are compared with, if any."""

    epoch: int
    index: int
    queries: QueryBatch
    answers: IntArray
    negatives: IntArray  # [K] shared by all queries; empty where the loss looks at every entity

    def __len__(self) -> int:
        return len(self.queries)

    def describe(self) -> str:
        """One line that names the batch in a message."""
        columns = (self.queries.subject, self.queries.relation, self.answers, self.queries.time)
        first = ", ".join(str(int(column[0])) for column in columns)
        return (
            f"epoch {self.epoch + 1}, batch {self.index + 1} ({len(self)} queries; the first as (subject, relation, "
            f"answer, time) ids: ({first}))"
        )


class ShuffledPlan:
    """The batches of one epoch: a pure function of its arguments. ``facts`` holds both directions."""

    def __init__(
        self,
        facts: Facts,
        num_entities: int,
        *,
        epoch: int,
        seed: int,
        batch_size: int,
        negatives: int = 0,
        by_time: bool = False,
    ) -> None:
        self.epoch = epoch
        self._facts = facts
        self._num_entities = num_entities
        self._seed = seed
        self._negatives = negatives
        stream = _stream(seed, epoch, _ORDER)
        order = np.argsort(stream.random_raw(len(facts)), kind="stable")
        if by_time:
            times, place = np.unique(facts.time[order], return_inverse=True)
            order = order[np.argsort(stream.random_raw(len(times))[place], kind="stable")]
        self._rows = np.array_split(order, -(-len(facts) // batch_size))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> FactBatch:
        if not 0 <= index < len(self):
            raise IndexError(f"batch {index} of {len(self)}")
        asked = self._facts[self._rows[index]]
        drawn = _stream(self._seed, self.epoch, _NEGATIVES, index).random_raw(self._negatives)
        negatives = (drawn % np.uint64(self._num_entities)).astype(np.int64)
        queries = QueryBatch(asked.subject, asked.relation, asked.time)
        return FactBatch(self.epoch, index, queries, asked.object, negatives)


def _stream(*key: int) -> np.random.PCG64:
    return np.random.PCG64(np.random.SeedSequence(key))
