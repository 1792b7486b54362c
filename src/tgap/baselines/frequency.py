"""Frequency: what happened most often will be the answer again, whenever it happened. No training, no sense of time.

The count of (s, r, o) in train decides; the count of all events of s with o, at a thousandth of the weight, only
decides between entities whose counts are equal (larger weights were worse on ICEWS14's validation split).
"""

from __future__ import annotations

import math

from tgap.baselines.history import HistoryGraph, weigh_history
from tgap.graph import TemporalGraph
from tgap.scorer import FloatArray, QueryBatch, ScoreKind

ANY_RELATION = 0.001  # weight of an event whatever its relation


class FrequencyScorer:
    """Count of the subject's events with each entity. See ``history`` for the formula."""

    name = "frequency"
    kind = ScoreKind.ORDER

    def __init__(self, graph: TemporalGraph) -> None:
        self.num_entities = graph.num_entities
        self.num_relations = graph.num_relations
        self._graph = HistoryGraph.of(graph)

    def score(self, queries: QueryBatch) -> FloatArray:
        """Scores [B, N]."""
        return weigh_history(self._graph, self.num_entities, queries, math.inf, ANY_RELATION)
