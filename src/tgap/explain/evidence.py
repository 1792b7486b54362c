"""Evidence for one answer: facts, and groups of facts, with the effect that was measured by taking them away.

Candidates are the facts of highest share in the flow to the answer. A share says how much of the walk took a fact; it
does not say what would have happened without it: other facts may have stood in, and a fact also shapes the features
that attention reads. So each candidate is taken out of the graph and the whole model is computed anew:

    effect = probability with the fact - probability without it

Positive: the fact speaks for the answer. Negative: without it the answer would gain. Lists are ordered by it.

Groups say together what none of their facts says alone:

    pair   all visible events of one subject, relation and object, whenever they happened
    time   all visible events of one time
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tgap.evaluation.ranks import ScoredRank
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual

KINDS = ("pair", "time")


@dataclass(frozen=True)
class Effect:
    """Facts (ids as in ``graph.fact``) taken away together, and what that did to the answer."""

    facts: tuple[int, ...]
    share: float  # of the way to the answer, see ``AnswerFlow``
    effect: float  # probability with them minus without them
    after: ScoredRank  # how the answer stands without them


@dataclass(frozen=True)
class Group(Effect):
    """Facts that belong together; ``kind`` is one of ``KINDS``."""

    kind: str


@dataclass(frozen=True)
class Evidence:
    """Measured effects, each list in falling order."""

    before: ScoredRank  # the answer as it stands
    facts: tuple[Effect, ...]
    groups: tuple[Group, ...]

    @property
    def support(self) -> tuple[int, ...]:
        """The facts that speak for the answer, strongest effect first."""
        return tuple(found.facts[0] for found in self.facts if found.effect > 0)


def measure_evidence(asked: Counterfactual, flow: AnswerFlow, count: int = 20, groups: int = 3) -> Evidence:
    """Effects of the ``count`` facts of highest share, and of the ``groups`` best groups of each kind."""
    before = asked.without((), flow.answer)  # scored the same way as the rest: equal to the last bit where equal
    single = [(fact,) for fact in flow.strongest_facts(count).tolist()]
    together = [(kind, facts) for kind in KINDS for facts in _groups(flow, kind, groups)]
    sets = [*single, *(facts for _, facts in together)]
    effects = [
        Effect(facts, float(flow.facts[list(facts)].sum()), before.score - after.score, after)
        for facts, after in zip(sets, asked.without_each(sets, flow.answer), strict=True)
    ]
    found = [
        Group(**vars(effect), kind=kind) for (kind, _), effect in zip(together, effects[len(single) :], strict=True)
    ]
    return Evidence(before, tuple(sorted(effects[: len(single)], key=_order)), tuple(sorted(found, key=_order)))


def _order(found: Effect) -> tuple[float, tuple[int, ...]]:
    """Falling effect; equal ones in order of their facts, so that a list is always the same."""
    return -found.effect, found.facts


def _groups(flow: AnswerFlow, kind: str, count: int) -> list[tuple[int, ...]]:
    """Facts of the ``count`` groups of highest share that have at least two facts."""
    visible = np.flatnonzero(flow.visible)
    edge = flow.stored_edge[visible]
    graph = flow.graph
    columns = [graph.time[edge]]
    if kind == "pair":
        columns = [graph.source[edge], graph.relation[edge], graph.neighbour[edge]]
    _, group = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    group = group.reshape(-1)
    shares = np.bincount(group, weights=flow.facts[visible])
    several = np.flatnonzero((np.bincount(group) > 1) & (shares > 0))
    best = several[np.argsort(-shares[several], kind="stable")[:count]]
    return [tuple(visible[group == number].tolist()) for number in best]
