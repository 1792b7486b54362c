"""One question asked again with facts taken away: the whole forward pass, PGNN included, recomputed without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tgap.capabilities import Walker, capabilities_of
from tgap.evaluation.ranks import scored_rank
from tgap.scorer import FloatArray, IntArray, Trace

FactIds = Sequence[int] | IntArray  # as in ``graph.fact``; taken away with inverses and copies


@dataclass(frozen=True)
class Outcome:
    """How a question comes out: the place of the explained answer, and who is first."""

    probability: float  # of the explained answer
    rank: float  # of the explained answer; ties count half
    first: int  # the entity of highest probability
    first_probability: float

    @property
    def leads(self) -> bool:
        """Whether the explained answer stands alone at the top."""
        return self.rank == 1.0

    @classmethod
    def of(cls, scores: FloatArray, answer: int) -> Outcome:
        """Outcome of one row of scores."""
        found, first = scored_rank(scores, answer), int(scores.argmax())
        return cls(found.score, float(found.rank), first, float(scores[first]))


class Counterfactual:
    """What would become of ``answer`` if some facts had not been there? Under the trace's own view."""

    def __init__(self, explainer: Walker, trace: Trace, answer: int) -> None:
        self.explainer = explainer
        self.trace = trace
        self.answer = answer

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
        views = [self.trace.view.without(facts) for facts in sets]
        return [Outcome.of(row, self.answer) for row in self.explainer.score_each(self.trace.query, views)]

    def facts_read(self, count: int) -> list[int]:
        """Facts that the scorer read about the answer besides its walk, the most telling first."""
        reader = capabilities_of(self.explainer).reads_facts
        if reader is None:
            return []
        return reader.facts_read(self.trace, self.answer, count).tolist()
