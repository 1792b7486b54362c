"""What happened to the subject before and after: the evidence that both untrained counters weigh.

For a query (s, r, ?, t) the score of an entity o is

    sum of w(dt) over known events of s with o and relation r
    + ``any_relation`` * sum of w(dt) over known events of s with o, whatever the relation (r among them)
    + ``PRIOR`` * share of r's known events that end at o

with w(dt) = 1 / (1 + |dt| / ``time_scale``) and dt the event's time minus t, in units of the timeline. An infinite
scale gives w = 1: plain counting. Events are seen from s: those in which s stood at the other end count as the inverse
relation. The last term is tiny beside an event of the first two (unless that lies a million scales away); it puts
entities that never met s into an order (otherwise thousands of them tie at zero), and so answers questions about
subjects that train does not know. Where the first two terms are equal, it decides. Known are the events of train, or
what else the scorer's setting holds, as far as a view shows them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.baselines.counting import PRIOR, CountingScorer
from tgap.graph import TemporalGraph
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting
from tgap.jit import kernel
from tgap.scorer import FloatArray, IntArray, QueryBatch


class HistoryGraph(NamedTuple):
    """The arrays of a ``TemporalGraph`` that the kernel reads, and its events by relation (``counting.Events``)."""

    num_relations: int
    pair_row: NDArray[np.int64]
    pair_neighbour: NDArray[np.int32]
    pair_edge: NDArray[np.int64]
    neighbour: NDArray[np.int32]
    relation: NDArray[np.int32]
    time: NDArray[np.int32]
    event_row: NDArray[np.int64]
    event_edge: NDArray[np.int64]


class HistoryScorer(CountingScorer):
    """Scores by the formula above."""

    def __init__(
        self,
        name: str,
        graph: TemporalGraph,
        time_scale: float,
        any_relation: float,
        setting: EvaluationSetting = DEFAULT_SETTING,
    ) -> None:
        super().__init__(name, graph, setting)
        self._time_scale = time_scale
        self._any_relation = any_relation

    def _count(self, mask: NDArray[np.uint8], queries: QueryBatch, rows: IntArray, scores_BN: FloatArray) -> None:
        graph = self.graph
        arrays = HistoryGraph(
            graph.num_relations,
            graph.pair_row,
            graph.pair_neighbour,
            graph.pair_edge,
            graph.neighbour,
            graph.relation,
            graph.time,
            *self.events,
        )
        columns = (queries.subject, queries.relation, queries.time)
        _weigh(arrays, mask, rows, *columns, self._time_scale, self._any_relation, PRIOR, scores_BN)


@kernel()
def _weigh(
    graph: HistoryGraph,
    mask: NDArray[np.uint8],
    rows: IntArray,
    subject: IntArray,
    relation: IntArray,
    time: IntArray,
    time_scale: float,
    any_relation: float,
    prior: float,
    scores_BN: FloatArray,
) -> None:
    """One row a query. A pair's events are summed in 64 bits, so that equal evidence gives equal scores in 32."""
    loop = 2 * graph.num_relations
    for b in rows:
        asked = relation[b]
        first, last = graph.event_row[asked], graph.event_row[asked + 1]
        total = 0
        for at in range(first, last):
            total += mask[graph.event_edge[at]]
        at = first
        while at < last:  # events with the same end stand together
            end, count = graph.neighbour[graph.event_edge[at]], 0
            while at < last and graph.neighbour[graph.event_edge[at]] == end:
                count += mask[graph.event_edge[at]]
                at += 1
            if count:
                scores_BN[b, end] = prior * (count / total)
        for pair in range(graph.pair_row[subject[b]], graph.pair_row[subject[b] + 1]):
            same = 0.0
            every = 0.0
            for edge in range(graph.pair_edge[pair], graph.pair_edge[pair + 1]):
                if graph.relation[edge] == loop or not mask[edge]:
                    continue
                weight = 1.0 / (1.0 + abs(graph.time[edge] - time[b]) / time_scale)
                every += weight
                if graph.relation[edge] == asked:
                    same += weight
            scores_BN[b, graph.pair_neighbour[pair]] += same + any_relation * every
