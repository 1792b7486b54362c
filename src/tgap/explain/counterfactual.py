"""One question asked again with facts taken away: the whole forward pass, PGNN included, recomputed without them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tgap.evaluation.ranks import ScoredRank, scored_rank
from tgap.scorer import Explainer, FloatArray, IntArray, Trace


class Counterfactual:
    """What if some facts had not been there? Asked of the trace's question, seen as the trace saw it."""

    def __init__(self, explainer: Explainer, trace: Trace, hidden: IntArray | None = None) -> None:
        self.explainer = explainer
        self.trace = trace
        self._hidden = np.empty(0, np.int64) if hidden is None else hidden

    def trace_without(self, facts: Sequence[int] | IntArray) -> Trace:
        """The walk without these facts (ids as in ``graph.fact``), their inverses and copies."""
        hidden = np.union1d(self._hidden, np.asarray(facts, dtype=np.int64))
        return self.explainer.trace(self.trace.query, hidden_facts=hidden)

    def scores(self, facts: Sequence[int] | IntArray) -> FloatArray:
        """[N] scores without these facts."""
        return self.trace_without(facts).scores if len(facts) else self.trace.scores

    def without(self, facts: Sequence[int] | IntArray, answer: int) -> ScoredRank:
        """How an answer stands without these facts."""
        return scored_rank(self.scores(facts), answer)

    def without_each(self, sets: Sequence[Sequence[int] | IntArray], answer: int) -> list[ScoredRank]:
        """How an answer stands without each of several sets of facts, one set at a time."""
        return [self.without(facts, answer) for facts in sets]
