"""Do the reasons hold? Curves over many questions: what an answer loses without the first k facts, and keeps with only
them.

Deletion: the answer's probability without the first k facts of an order. Good reasons: it falls fast.
Sufficiency: its probability with only the first k of the facts that touch it visible, beside the background (see
``flips``). Good reasons: it is there again after few.

Both are told as parts of the mean probability as things are, for k = 1, 2, 3, 5, 10, 20; the area under a curve is that
of straight lines between these points, from k = 0 to 20, divided by 20. Deletion begins at 1, sufficiency at 0 (no walk
arrives; where the answer is the entity that is asked about, at what is left there).

Whose reasons: those of the true answer, or of the model's first one that the graph does not hold as a fact itself. To
repeat a fact that is in sight needs no reasons; ``tgap explain`` would hide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tgap.capabilities import Walker
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.evidence import SIZES, measure_evidence
from tgap.explain.flips import facts_touching, removal
from tgap.explain.labels import first_new_answer
from tgap.graph import View
from tgap.scorer import Query
from tgap.studies.orders import ORDERS, REMEASURED, ordered_facts
from tgap.studies.result import StudyResult

POSSIBLE = 0.01  # answers below this probability are left out of ``lowered``


@dataclass(frozen=True)
class CurveRow:
    """The curves of one question."""

    subject: int
    relation: int
    time: int
    answer: int
    probability: float  # as things are
    led: bool  # whether the answer is first as things are: a fact in sight may stand above it
    bare: float  # without any fact that touches the answer
    deletion: dict[str, list[float]]  # order: probability without the first 1, 2, 3, 5, 10, 20 facts
    leads: dict[str, list[bool]]  # order: whether the answer is still first then
    sufficiency: dict[str, list[float]]  # order: probability with only those

    @classmethod
    def of(cls, stored: dict[str, Any]) -> CurveRow:
        """A row as it was written."""
        return cls(**stored)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class OrderCurves:
    """Means of one order over all questions; lists go along ``SIZES``."""

    deletion: list[float]  # part of the mean probability that is left
    deletion_area: float
    still_first: list[float]  # part of the answers that were first and still are
    sufficiency: list[float]
    sufficiency_area: float
    lowered: list[float]  # part of the questions with a probability above 1 % where it is lower without the facts


@dataclass(frozen=True)
class Faithfulness:
    """All orders over the same questions."""

    questions: int
    possible: int  # with a probability above 1 %
    probability: float  # mean, as things are
    sizes: list[int]
    orders: dict[str, OrderCurves]


@dataclass(frozen=True)
class FaithfulnessCurves(Faithfulness, StudyResult):
    """Curves of all ways to choose facts, and over which questions."""

    VERSION: ClassVar[str] = "tgap.faithfulness/3"

    dataset: str
    split: str
    side: str
    seed: int
    answers: str


def question_curves(explainer: Walker, query: Query, view: View, answer: int | None = None, seed: int = 0) -> CurveRow:
    """Curves of one question for ``answer``, by default the model's first new one. ``seed``: of the random order."""
    trace = explainer.trace(query, view)
    index = first_new_answer(explainer.graph, trace) if answer is None else answer
    flow = AnswerFlow.of(explainer.graph, trace, index)
    asked = Counterfactual(explainer, trace, index)
    evidence = measure_evidence(asked, flow, max(SIZES), pairs=0, together=False)
    random = np.random.default_rng([seed, query.subject, query.relation, abs(query.time)])
    orders = ordered_facts(flow, evidence, random, removal(asked, evidence, REMEASURED))
    touching = facts_touching(explainer.graph, index)
    own = set(touching.tolist())
    without = [orders[name][:size] for name in ORDERS for size in SIZES]
    only = [
        np.setdiff1d(touching, [fact for fact in orders[name] if fact in own][:size])
        for name in ORDERS
        for size in SIZES
    ]
    outcomes = asked.without_each([touching, *without, *only])
    bare, rest = outcomes[0], iter(outcomes[1:])
    deleted = {name: [next(rest) for _ in SIZES] for name in ORDERS}
    kept = {name: [next(rest) for _ in SIZES] for name in ORDERS}
    return CurveRow(
        *query,
        answer=index,
        probability=evidence.before.probability,
        led=evidence.before.leads,
        bare=bare.probability,
        deletion={name: [found.probability for found in line] for name, line in deleted.items()},
        leads={name: [found.leads for found in line] for name, line in deleted.items()},
        sufficiency={name: [found.probability for found in line] for name, line in kept.items()},
    )


def summarise(rows: Sequence[CurveRow]) -> Faithfulness:
    """Means over the questions; answers that no attention reached have nothing to lose and are left out."""
    reached = [row for row in rows if row.probability > 0]
    before = np.array([row.probability for row in reached])
    bare = np.array([row.bare for row in reached])
    possible = before > POSSIBLE
    led = np.array([row.led for row in reached], dtype=bool)
    orders = {}
    for name in ORDERS:
        deleted = np.array([row.deletion[name] for row in reached]).reshape(-1, len(SIZES))
        kept = np.array([row.sufficiency[name] for row in reached]).reshape(-1, len(SIZES))
        first = np.array([row.leads[name] for row in reached]).reshape(-1, len(SIZES))[led]
        left, stays = _part(deleted, before), _part(kept, before)
        orders[name] = OrderCurves(
            deletion=left,
            deletion_area=_area(left, 1.0),
            still_first=first.mean(axis=0).tolist() if led.any() else [],
            sufficiency=stays,
            sufficiency_area=_area(stays, float(bare.sum() / before.sum()) if reached else 0.0),
            lowered=(deleted[possible] < before[possible, None]).mean(axis=0).tolist() if possible.any() else [],
        )
    mean = float(before.mean()) if reached else 0.0
    return Faithfulness(len(reached), int(possible.sum()), mean, list(SIZES), orders)


def _part(values: NDArray[np.float64], before: NDArray[np.float64]) -> list[float]:
    """Sums over questions as parts of the sum of ``before``."""
    parts: list[float] = (values.sum(axis=0) / before.sum()).tolist() if len(before) else []
    return parts


def _area(line: Sequence[float], start: float) -> float:
    """Area under straight lines through k = 0 and ``SIZES``, divided by the largest k."""
    if not line:
        return 0.0
    return float(np.trapezoid([start, *line], [0, *SIZES])) / max(SIZES)
