"""Recurrency: what happened will happen again, the more likely the nearer; else what the relation usually ends at.

For a query (s, r, ?, t) the score of an entity o is, after Gastinger et al., "History repeats itself: A Baseline for
Temporal Knowledge Graph Forecasting" (IJCAI 2024),

    a_r * 2^(-l_r * dt)     strict: dt is the time from the nearest known event of (s, r, o) to t; 0 without one
    + (1 - a_r) * share     relaxed: share of r's known events that end at o

In forecasts the nearest known event is the last one before t, as in the paper; in completion it may lie after it. How
a_r and l_r are chosen: ``tgap.methods.recurrency``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.baselines.counting import CountingScorer, with_new_relations
from tgap.graph import TemporalGraph
from tgap.graph.setting import EvaluationSetting
from tgap.jit import kernel
from tgap.scorer import FloatArray, IntArray, QueryBatch

Float64Array = NDArray[np.float64]

DECAY, SHARE = 0.1, 0.99  # of relations that nothing is known about


class EventGraph(NamedTuple):
    """The arrays of a ``TemporalGraph`` that the kernel reads, and its events by relation (``counting.Events``)."""

    row: NDArray[np.int64]
    neighbour: NDArray[np.int32]
    relation: NDArray[np.int32]
    time: NDArray[np.int32]
    event_row: NDArray[np.int64]
    event_edge: NDArray[np.int64]


class RecurrencyScorer(CountingScorer):
    """Scores by the formula above; ``decay`` and ``share`` [2R] hold l_r and a_r."""

    def __init__(
        self, graph: TemporalGraph, setting: EvaluationSetting, decay: Float64Array, share: Float64Array
    ) -> None:
        super().__init__("recurrency", graph, setting)
        self.decay = decay
        self.share = share

    def _grow(self, known: int) -> None:
        self.decay = with_new_relations(self.decay, 0, known, self.num_relations, DECAY)
        self.share = with_new_relations(self.share, 0, known, self.num_relations, SHARE)

    @property
    def arrays(self) -> EventGraph:
        """What the kernels read."""
        graph = self.graph
        return EventGraph(graph.row, graph.neighbour, graph.relation, graph.time, *self.events)

    def _count(self, mask: NDArray[np.uint8], queries: QueryBatch, rows: IntArray, scores_BN: FloatArray) -> None:
        columns = (queries.subject, queries.relation, queries.time)
        nearest = np.full(self.num_entities, -1, dtype=np.int64)
        _recur(self.arrays, mask, rows, *columns, self.decay, self.share, nearest, scores_BN)


@kernel()
def _recur(
    graph: EventGraph,
    mask: NDArray[np.uint8],
    rows: IntArray,
    subject: IntArray,
    relation: IntArray,
    time: IntArray,
    decay: Float64Array,
    share: Float64Array,
    nearest_N: IntArray,
    scores_BN: FloatArray,
) -> None:
    """One row a query; ``nearest_N`` is -1 everywhere, before and after."""
    for b in rows:
        asked = relation[b]
        first, last = graph.event_row[asked], graph.event_row[asked + 1]
        total = 0
        for at in range(first, last):
            total += mask[graph.event_edge[at]]
        for at in range(first, last):
            edge = graph.event_edge[at]
            if mask[edge]:
                scores_BN[b, graph.neighbour[edge]] += (1.0 - share[asked]) / total
        begin, end = graph.row[subject[b]], graph.row[subject[b] + 1]
        for edge in range(begin, end):
            if graph.relation[edge] == asked and mask[edge]:
                j, away = graph.neighbour[edge], abs(graph.time[edge] - time[b])
                if nearest_N[j] < 0 or away < nearest_N[j]:
                    nearest_N[j] = away
        for edge in range(begin, end):
            j = graph.neighbour[edge]
            if nearest_N[j] >= 0:
                scores_BN[b, j] += share[asked] * 2.0 ** (-decay[asked] * nearest_N[j])
                nearest_N[j] = -1


class Asked(NamedTuple):
    """Queries with their answers, and who does not compete: ``members[begin[b]..end[b]]`` (the answer among them)."""

    subject: IntArray
    relation: IntArray
    time: IntArray
    answer: IntArray
    begin: IntArray
    end: IntArray
    members: NDArray[np.int32]


class Room(NamedTuple):
    """Arrays as long as the entities, for the kernel to work in: 0, -1, anything, anything."""

    events: IntArray
    nearest: IntArray
    candidate: IntArray
    score: Float64Array


@kernel()
def rank_over_grid(
    graph: EventGraph,
    mask: NDArray[np.uint8],
    rows: IntArray,
    asked: Asked,
    decays: Float64Array,
    shares: Float64Array,
    room: Room,
    rank_GQ: Float64Array,
) -> None:
    """Rank of each answer (mean ties) for each pair of decay and share: what is counted does not depend on them.

    Only entities that the relation has ended at can have a score; of the others it is enough to know how many compete.
    """
    for b in rows:
        relation, answer = asked.relation[b], asked.answer[b]
        found = total = 0
        for at in range(graph.event_row[relation], graph.event_row[relation + 1]):
            edge = graph.event_edge[at]
            if mask[edge]:
                j = graph.neighbour[edge]
                if room.events[j] == 0:
                    room.candidate[found] = j
                    found += 1
                room.events[j] += 1
                total += 1
        for edge in range(graph.row[asked.subject[b]], graph.row[asked.subject[b] + 1]):
            if graph.relation[edge] == relation and mask[edge]:
                j, away = graph.neighbour[edge], abs(graph.time[edge] - asked.time[b])
                if room.nearest[j] < 0 or away < room.nearest[j]:
                    room.nearest[j] = away
        idle = len(room.events) - found - (room.events[answer] == 0)  # competitors whose score is 0 for every pair
        for at in range(asked.begin[b], asked.end[b]):
            j = asked.members[at]
            if j != answer:
                idle -= room.events[j] == 0
                room.events[j] = -room.events[j]  # steps aside
        for g in range(len(decays)):
            mine = 0.0
            for k in range(found):
                j = room.candidate[k]
                strict = shares[g] * 2.0 ** (-decays[g] * room.nearest[j]) if room.nearest[j] >= 0 else 0.0
                room.score[k] = strict + (1.0 - shares[g]) * abs(room.events[j]) / total
                if j == answer:
                    mine = room.score[k]
            better = 0
            equal = idle if mine == 0.0 else 0
            for k in range(found):
                j = room.candidate[k]
                if j != answer and room.events[j] > 0:
                    better += room.score[k] > mine
                    equal += room.score[k] == mine
            rank_GQ[g, b] = 1.0 + better + 0.5 * equal
        for k in range(found):
            j = room.candidate[k]
            room.events[j], room.nearest[j] = 0, -1
