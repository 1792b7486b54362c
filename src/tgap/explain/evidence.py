"""Evidence for one answer: facts, alone and together, with the effect that was measured by taking them away.

Candidates are the facts of highest share in the flow to the answer. A share says how much of the walk took a fact; it
does not say what would have happened without it: other facts may have stood in, and a fact also shapes the features
that attention reads. So each candidate is taken out of the graph and the whole model is computed anew:

    effect = probability with the fact - probability without it

Positive: the fact speaks for the answer. Negative: without it the answer would gain. Lists are ordered by it. Where a
scorer reads facts besides its walk (a ``FactReader``), those that it leaned on most are candidates, too.

Facts that stand in for one another have small effects each and a large one together. So sets are taken away, too:

    firsts   the 2, 3, 5, 10, 20 facts of highest share
    couples  any two of the facts that are strongest by effect or by share
    groups   all visible events that people would name together, see ``groups.py``

An answer that depends on a random sample of edges (``evaluation.hub_edges``, caps) is asked under several seeds. What
is not larger than the spread of those answers is no effect and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual, Outcome
from tgap.explain.groups import PAIR, TIME, Group, named_groups, wider_groups

SIZES = (1, 2, 3, 5, 10, 20)  # of sets that are the first facts of a list
SPARE = 0.25  # part of the probability that one of two facts may bring at most, if either is to be enough
FEW = 5  # facts that a sentence can name one by one
_READ = 4  # of the facts that a walk took, one part in so many is added by what else was read
_BY_EFFECT, _BY_SHARE = 2, 3  # facts that couples are made of


@dataclass(frozen=True)
class Effect:
    """Facts (ids as in ``graph.fact``) taken away together, and what that did to the answer."""

    facts: tuple[int, ...]
    share: float  # of the way to the answer, see ``AnswerFlow``
    effect: float  # probability with them minus without them
    after: Outcome  # without them


@dataclass(frozen=True)
class GroupEffect(Effect):
    """The effect of all events of a group."""

    group: Group


@dataclass(frozen=True)
class Evidence:
    """Measured effects: ``facts`` and ``groups`` (kind by kind) in falling order, ``firsts`` from small to large."""

    before: Outcome  # as things are
    facts: tuple[Effect, ...]  # one fact each
    firsts: tuple[Effect, ...] = ()
    groups: tuple[GroupEffect, ...] = ()
    couples: tuple[Effect, ...] = ()  # two facts each, in falling order
    tried: int = 0  # facts that were taken away one at a time, those without an effect included
    spread: float = 0.0  # of the probability over seeds, where a sample decides; smaller effects are left out

    @property
    def support(self) -> tuple[int, ...]:
        """The facts that speak for the answer, strongest effect first."""
        return tuple(found.facts[0] for found in self.facts if found.effect > 0)

    @property
    def pairs(self) -> tuple[GroupEffect, ...]:
        """Groups of one subject, relation and object."""
        return tuple(found for found in self.groups if found.group.kind == PAIR)

    @property
    def times(self) -> tuple[GroupEffect, ...]:
        """Groups of one time."""
        return tuple(found for found in self.groups if found.group.kind == TIME)

    def decides(self, found: Effect) -> bool:
        """Whether at least half of the probability is gone without the facts."""
        return found.effect >= self.before.probability / 2 > 0


def measure_evidence(
    asked: Counterfactual, flow: AnswerFlow, count: int = 20, pairs: int = 3, times: int = 0, *, together: bool = True
) -> Evidence:
    """Effects of the ``count`` facts of highest share, of the first of them together, and of the best groups.

    ``together``: couples and, where nothing else decides the answer, wider groups are measured as well.
    """
    walked = flow.strongest_facts(count).tolist()
    candidates = dict.fromkeys([*walked, *asked.facts_read(-(-count // _READ))])
    alone = [(fact,) for fact in candidates]
    firsts = [tuple(first) for first in first_facts(walked) if len(first) > 1]
    groups = named_groups(flow, pairs, times)
    spread = asked.spread()
    before, *outcomes = asked.without_each([(), *alone, *firsts, *(group.facts for group in groups)])
    effects = _Effects(flow, before)
    after = iter(outcomes)
    single = [effects.of(facts, next(after)) for facts in alone]
    evidence = Evidence(
        before,
        _falling(single, spread),
        tuple(effects.of(facts, next(after)) for facts in firsts),
        effects.falling_groups(groups, list(after), spread),
        tried=len(single),
        spread=spread,
    )
    return _with_sets(asked, flow, evidence, effects, single) if together else evidence


def joint_kind(evidence: Evidence, couple: Effect) -> str:
    """and: both facts are needed; or: either is enough; sum: neither."""
    alone = {found.facts[0]: found.effect for found in evidence.facts}
    effects = [alone.get(fact, 0.0) for fact in couple.facts]
    if min(effects) >= evidence.before.probability / 2 > 0:
        return "and"
    spare = evidence.decides(couple) and max(effects) <= SPARE * evidence.before.probability
    return "or" if spare else "sum"


def first_facts(facts: Sequence[int]) -> list[Sequence[int]]:
    """The first 1, 2, 3, 5, ... of a list, and all of it; every list once."""
    sizes = sorted({size for size in SIZES if size < len(facts)} | {len(facts)} - {0})
    return [facts[:size] for size in sizes]


class _Effects:
    """Outcomes on their way to effects."""

    def __init__(self, flow: AnswerFlow, before: Outcome) -> None:
        self._flow = flow
        self._before = before

    def of(self, facts: tuple[int, ...], after: Outcome) -> Effect:
        return Effect(facts, self._share(facts), self._before.probability - after.probability, after)

    def falling_groups(
        self, groups: Sequence[Group], outcomes: Sequence[Outcome], spread: float
    ) -> tuple[GroupEffect, ...]:
        """Groups kind by kind, in each by falling effect."""
        kinds = list(dict.fromkeys(group.kind for group in groups))
        found = [
            GroupEffect(
                group.facts, self._share(group.facts), self._before.probability - after.probability, after, group
            )
            for group, after in zip(groups, outcomes, strict=True)
            if abs(self._before.probability - after.probability) >= spread
        ]
        return tuple(sorted(found, key=lambda one: (kinds.index(one.group.kind), -one.effect, one.facts)))

    def _share(self, facts: tuple[int, ...]) -> float:
        return float(self._flow.facts[list(facts)].sum())


def _with_sets(
    asked: Counterfactual, flow: AnswerFlow, evidence: Evidence, effects: _Effects, single: Sequence[Effect]
) -> Evidence:
    """Couples; and wider groups where none of the sets measured so far decides the answer."""
    by_share = sorted(single, key=lambda found: (-found.share, found.facts))[:_BY_SHARE]
    strongest = dict.fromkeys(found.facts[0] for found in (*evidence.facts[:_BY_EFFECT], *by_share))
    couples = [tuple(couple) for couple in combinations(strongest, 2)]
    few = [found for found in evidence.firsts if len(found.facts) <= FEW]
    decided = any(map(evidence.decides, (*evidence.facts, *few, *evidence.groups)))
    wider = [] if decided else wider_groups(flow)
    outcomes = iter(asked.without_each([*couples, *(group.facts for group in wider)]))
    measured = _falling([effects.of(facts, next(outcomes)) for facts in couples], evidence.spread)
    groups = effects.falling_groups(wider, list(outcomes), evidence.spread)
    return Evidence(
        evidence.before,
        evidence.facts,
        evidence.firsts,
        (*evidence.groups, *groups),
        measured,
        evidence.tried,
        evidence.spread,
    )


def _falling(effects: Sequence[Effect], spread: float) -> tuple[Effect, ...]:
    """By falling effect; equal ones in order of their facts, so that a list is always the same."""
    clear = [found for found in effects if abs(found.effect) >= spread]
    return tuple(sorted(clear, key=lambda found: (-found.effect, found.facts)))
