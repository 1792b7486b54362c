"""What if some facts had not happened: a scorer that answers with them taken out of the graph.

It goes through the one protocol, so that ``Predictor`` ranks and names its answers like any other scorer's.
"""

from __future__ import annotations

from tgap.graph import TemporalGraph, View
from tgap.graph.view import WHOLE
from tgap.scorer import Explainer, FloatArray, IntArray, Query, QueryBatch, ScoreKind, Trace


class Without:
    """An explainer with facts (ids as in ``graph.fact``) hidden from every walk."""

    def __init__(self, explainer: Explainer, facts: IntArray) -> None:
        self._explainer = explainer
        self._facts = facts

    @property
    def name(self) -> str:
        """The name of the scorer beneath."""
        return self._explainer.name

    @property
    def kind(self) -> ScoreKind:
        """What the scores beneath are."""
        return self._explainer.kind

    @property
    def num_entities(self) -> int:
        """N."""
        return self._explainer.num_entities

    @property
    def num_relations(self) -> int:
        """R."""
        return self._explainer.num_relations

    @property
    def graph(self) -> TemporalGraph:
        """The graph that is walked, hidden facts included."""
        return self._explainer.graph

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N] without the facts."""
        return self._explainer.score(queries, view.without(self._facts))

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        """The walk without the facts."""
        return self._explainer.trace(query, view.without(self._facts))
