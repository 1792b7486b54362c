"""Evidence for one answer: facts, alone and together, with the effect that was measured by taking them away.

Candidates are the facts of highest share in the flow to the answer. A share says how much of the walk took a fact; it
does not say what would have happened without it: other facts may have stood in, and a fact also shapes the features
that attention reads. So each candidate is taken out of the graph and the whole model is computed anew:

    effect = probability with the fact - probability without it

Positive: the fact speaks for the answer. Negative: without it the answer would gain. Lists are ordered by it. Where a
scorer reads facts besides its walk (a ``FactReader``), those that it leaned on most are candidates, too.

Facts that stand in for one another have small effects each and a large one together. So sets are taken away, too:

    first  the 2, 3, 5, 10, 20 facts of highest share
    pair   all visible events of one subject, relation and object, whenever they happened
    time   all visible events of one time
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual, Outcome

PAIR, TIME = "pair", "time"
_READ = 4  # of the facts that a walk took, one part in so many is added by what else was read
SIZES = (1, 2, 3, 5, 10, 20)  # of sets that are the first facts of a list


@dataclass(frozen=True)
class Effect:
    """Facts (ids as in ``graph.fact``) taken away together, and what that did to the answer."""

    facts: tuple[int, ...]
    share: float  # of the way to the answer, see ``AnswerFlow``
    effect: float  # probability with them minus without them
    after: Outcome  # without them


@dataclass(frozen=True)
class Evidence:
    """Measured effects: ``facts`` and the groups in falling order, ``firsts`` from small to large."""

    before: Outcome  # as things are
    facts: tuple[Effect, ...]  # one fact each
    firsts: tuple[Effect, ...]
    pairs: tuple[Effect, ...]
    times: tuple[Effect, ...]

    @property
    def support(self) -> tuple[int, ...]:
        """The facts that speak for the answer, strongest effect first."""
        return tuple(found.facts[0] for found in self.facts if found.effect > 0)


def measure_evidence(
    asked: Counterfactual, flow: AnswerFlow, count: int = 20, pairs: int = 3, times: int = 0
) -> Evidence:
    """Effects of the ``count`` facts of highest share, of the first of them together, and of the best groups."""
    walked = flow.strongest_facts(count).tolist()
    candidates = dict.fromkeys([*walked, *asked.facts_read(-(-count // _READ))])
    kinds: list[list[tuple[int, ...]]] = [
        [(fact,) for fact in candidates],
        [tuple(first) for first in first_facts(walked) if len(first) > 1],
        _groups(flow, PAIR, pairs),
        _groups(flow, TIME, times),
    ]
    before, *after = asked.without_each([(), *(facts for kind in kinds for facts in kind)])
    outcomes = iter(after)
    effects = [
        [
            Effect(facts, float(flow.facts[list(facts)].sum()), before.probability - outcome.probability, outcome)
            for facts, outcome in zip(kind, outcomes, strict=False)  # the next kind goes on where this one ends
        ]
        for kind in kinds
    ]
    single, firsts, by_pair, by_time = effects
    return Evidence(before, _falling(single), tuple(firsts), _falling(by_pair), _falling(by_time))


def first_facts(facts: Sequence[int]) -> list[Sequence[int]]:
    """The first 1, 2, 3, 5, ... of a list, and all of it; every list once."""
    sizes = sorted({size for size in SIZES if size < len(facts)} | {len(facts)} - {0})
    return [facts[:size] for size in sizes]


def _falling(effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """By falling effect; equal ones in order of their facts, so that a list is always the same."""
    return tuple(sorted(effects, key=lambda found: (-found.effect, found.facts)))


def _groups(flow: AnswerFlow, kind: str, count: int) -> list[tuple[int, ...]]:
    """Facts of the ``count`` groups of highest share that have at least two facts.

    The few facts that have a share tell which groups there are; only of the best of them the members are looked up.
    """
    carried, graph = np.flatnonzero(flow.facts > 0), flow.graph
    edge = flow.stored_edge[carried]
    key = graph.time[edge].astype(np.int64)
    if kind == PAIR:
        pair = graph.source[edge].astype(np.int64) * graph.num_entities + graph.neighbour[edge]
        key = pair * graph.num_relations + graph.relation[edge]
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    shares = np.bincount(group, weights=flow.facts[carried])
    found: list[tuple[int, ...]] = []
    for number in np.argsort(-shares, kind="stable"):
        if len(found) == count:
            break
        members = flow.alike(int(carried[first[number]]), kind == PAIR)
        if len(members) > 1:
            found.append(tuple(members.tolist()))
    return found
