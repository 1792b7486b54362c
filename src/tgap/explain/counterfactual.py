"""One question asked again with facts taken away: the whole forward pass, PGNN included, recomputed without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tgap.capabilities import Walker, capabilities_of
from tgap.evaluation.ranks import scored_rank
from tgap.scorer import FloatArray, IntArray, Trace

SEEDS = 5  # that an answer is asked under where it depends on a sample
FactIds = Sequence[int] | IntArray  # as in ``graph.fact``; taken away with inverses and copies


@dataclass(frozen=True)
class Outcome:
    """How a question comes out: the place of the explained answer, and who is first."""

    probability: float  # of the explained answer
    rank: float  # of the explained answer; ties count half
    first: int  # the entity of highest probability
    first_probability: float

    margin: float = 0.0  # by which another answer must be ahead for the explained one to have lost its place

    @property
    def leads(self) -> bool:
        """Whether the explained answer stands alone at the top, or is not clearly behind where a sample decides."""
        return self.rank == 1.0 or 0 < self.margin >= self.first_probability - self.probability

    @classmethod
    def of(cls, scores: FloatArray, answer: int, margin: float = 0.0) -> Outcome:
        """Outcome of one row of scores."""
        found, first = scored_rank(scores, answer), int(scores.argmax())
        return cls(found.score, float(found.rank), first, float(scores[first]), margin)


class Counterfactual:
    """What would become of ``answer`` if some facts had not been there? Under the trace's own view."""

    def __init__(self, explainer: Walker, trace: Trace, answer: int) -> None:
        self.explainer = explainer
        self.trace = trace
        self.answer = answer
        self.measured = 0  # sets of facts that were taken away so far
        self._spread: float | None = None  # made when first needed

    def trace_without(self, facts: FactIds) -> Trace:
        """The walk without these facts."""
        return self.explainer.trace(self.trace.query, self.trace.view.without(facts))

    def without(self, facts: FactIds) -> Outcome:
        """The outcome without these facts."""
        return self.without_each([facts])[0]

    def without_each(self, sets: Sequence[FactIds]) -> list[Outcome]:
        """The outcome without each of several sets of facts, one set at a time."""
        if not sets:
            return []
        margin = self.spread()
        self.measured += len(sets)
        return [Outcome.of(row, self.answer, margin) for row in self.scores_without(sets)]

    def scores_without(self, sets: Sequence[FactIds]) -> FloatArray:
        """Scores [S, N] without each of several sets of facts."""
        views = [self.trace.view.without(facts) for facts in sets]
        return self.explainer.score_each(self.trace.query, views)

    def spread(self) -> float:
        """How far the answer's probability ranges over seeds; 0 unless the scorer's answers depend on a sample."""
        if self._spread is None:
            self._spread = 0.0
            sampler = capabilities_of(self.explainer).sampling
            if sampler is not None and sampler.samples:
                found = sampler.score_seeds(self.trace.query, self.trace.view, SEEDS)[:, self.answer]
                self._spread = float(found.max() - found.min())
        return self._spread

    def facts_read(self, count: int) -> list[int]:
        """Facts that the scorer read about the answer besides its walk, the most telling first."""
        reader = capabilities_of(self.explainer).reads_facts
        if reader is None:
            return []
        return reader.facts_read(self.trace, self.answer, count).tolist()
