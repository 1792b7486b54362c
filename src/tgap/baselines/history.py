"""What happened to the subject before and after: the evidence that both untrained counters weigh.

For a query (s, r, ?, t) the score of an entity o is

    sum of w(dt) over train events of s with o and relation r
    + ``any_relation`` * sum of w(dt) over train events of s with o, whatever the relation (r among them)
    + ``PRIOR`` * share of r's train events that end at o

with w(dt) = 1 / (1 + |dt| / ``time_scale``) and dt the event's time minus t, in units of the timeline. An infinite
scale gives w = 1: plain counting. Events are seen from s: those in which s stood at the other end count as the inverse
relation. The last term is tiny beside an event of the first two (unless that lies a million scales away); it puts
entities that never met s into an order (otherwise thousands of them tie at zero), and so answers questions about
subjects that train does not know. Where the first two terms are equal, it decides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph import TemporalGraph
from tgap.jit import kernel
from tgap.scorer import FloatArray, IntArray, QueryBatch, ScoreKind

PRIOR = 1e-6


class HistoryGraph(NamedTuple):
    """The arrays of a ``TemporalGraph`` that the kernel reads, and which entities each relation ends at."""

    num_relations: int
    pair_row: NDArray[np.int64]
    pair_neighbour: NDArray[np.int32]
    pair_edge: NDArray[np.int64]
    relation: NDArray[np.int32]
    time: NDArray[np.int32]
    end_row: NDArray[np.int64]  # [2R+1] ends of relation r stand at end_row[r]..end_row[r+1]
    end_entity: NDArray[np.int64]
    end_share: NDArray[np.float64]  # share of r's events that end there

    @classmethod
    def of(cls, graph: TemporalGraph) -> HistoryGraph:
        """Arrays of the graph, with the ends of relations counted once."""
        events = graph.fact >= 0
        relation, end = graph.relation[events].astype(np.int64), graph.neighbour[events].astype(np.int64)
        packed, count = np.unique(relation * graph.num_entities + end, return_counts=True)
        relation, end = np.divmod(packed, max(graph.num_entities, 1))
        total = np.bincount(relation, weights=count, minlength=2 * graph.num_relations)
        end_row = np.searchsorted(relation, np.arange(2 * graph.num_relations + 1))
        return cls(
            graph.num_relations,
            graph.pair_row,
            graph.pair_neighbour,
            graph.pair_edge,
            graph.relation,
            graph.time,
            end_row.astype(np.int64),
            end,
            count / total[relation],
        )


class HistoryScorer:
    """Scores by the formula above."""

    kind = ScoreKind.ORDER

    def __init__(self, name: str, graph: TemporalGraph, time_scale: float, any_relation: float) -> None:
        self.name = name
        self.num_entities = graph.num_entities
        self.num_relations = graph.num_relations
        self._graph = HistoryGraph.of(graph)
        self._time_scale = time_scale
        self._any_relation = any_relation

    def score(self, queries: QueryBatch) -> FloatArray:
        """Scores [B, N]."""
        scores: FloatArray = np.zeros((len(queries), self.num_entities), dtype=np.float32)
        columns = (queries.subject, queries.relation, queries.time)
        _weigh(self._graph, *columns, self._time_scale, self._any_relation, scores)
        return scores


@kernel()
def _weigh(
    graph: HistoryGraph,
    subject: IntArray,
    relation: IntArray,
    time: IntArray,
    time_scale: float,
    any_relation: float,
    scores_BN: FloatArray,
) -> None:
    """One row a query. A pair's events are summed in 64 bits, so that equal evidence gives equal scores in 32."""
    loop = 2 * graph.num_relations
    for b in range(len(subject)):
        asked = relation[b]
        for at in range(graph.end_row[asked], graph.end_row[asked + 1]):
            scores_BN[b, graph.end_entity[at]] = PRIOR * graph.end_share[at]
        for pair in range(graph.pair_row[subject[b]], graph.pair_row[subject[b] + 1]):
            same = 0.0
            every = 0.0
            for edge in range(graph.pair_edge[pair], graph.pair_edge[pair + 1]):
                if graph.relation[edge] == loop:
                    continue
                weight = 1.0 / (1.0 + abs(graph.time[edge] - time[b]) / time_scale)
                every += weight
                if graph.relation[edge] == asked:
                    same += weight
            scores_BN[b, graph.pair_neighbour[pair]] += same + any_relation * every
