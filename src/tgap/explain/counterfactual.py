"""One question asked again with facts taken away: the whole forward pass, PGNN included, recomputed without them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tgap.evaluation.ranks import ScoredRank, scored_rank
from tgap.scorer import Explainer, FloatArray, IntArray, QueryBatch, Trace

FactIds = Sequence[int] | IntArray  # as in ``graph.fact``; taken away with inverses and copies


class Counterfactual:
    """What if some facts had not been there? Asked of the trace's question, under the trace's own view."""

    def __init__(self, explainer: Explainer, trace: Trace) -> None:
        self.explainer = explainer
        self.trace = trace

    @cached_property
    def _batch(self) -> QueryBatch:
        return QueryBatch.of([self.trace.query])

    def trace_without(self, facts: FactIds) -> Trace:
        """The walk without these facts."""
        return self.explainer.trace(self.trace.query, self.trace.view.without(facts))

    def scores(self, facts: FactIds) -> FloatArray:
        """[N] scores without these facts."""
        found: FloatArray = self.explainer.score(self._batch, self.trace.view.without(facts))[0]
        return found

    def without(self, facts: FactIds, answer: int) -> ScoredRank:
        """How an answer stands without these facts."""
        return scored_rank(self.scores(facts), answer)

    def without_each(self, sets: Sequence[FactIds], answer: int) -> list[ScoredRank]:
        """How an answer stands without each of several sets of facts, one set at a time."""
        return [self.without(facts, answer) for facts in sets]
