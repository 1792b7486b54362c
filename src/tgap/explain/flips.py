"""What would change the answer, and what is enough for it.

Flip. The smallest set found, among the facts that brought the answer, without which another entity comes first. One
fact, if one is enough; else facts are taken away one after the other, each time the one that then costs most, measured
anew with the others gone. Where that finds nothing in a few rounds, the first k facts by share or by effect are tried,
k as small as possible. Then every fact that can be put back without losing the flip is put back, until each fact that
is left is needed. A smaller set of other facts may exist.

Sufficiency. How much of the probability is left if, of all facts that touch the answer, only the first k that speak for
it are visible? The background, which stays, is every fact that does not touch the answer. Without any fact that
touches it no walk arrives, so the curve begins at exactly 0 (unless the answer is the entity that is asked about).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tgap.explain.counterfactual import Counterfactual, Outcome
from tgap.explain.evidence import Evidence, first_facts
from tgap.graph import TemporalGraph
from tgap.scorer import IntArray

ROUNDS = 8  # facts that are taken away one after the other
WIDTH = 6  # candidates that are measured in each round


@dataclass(frozen=True)
class Stage:
    """How the question comes out with ``facts`` taken away, or with only them left."""

    facts: tuple[int, ...]
    after: Outcome


@dataclass(frozen=True)
class Removal:
    """Facts taken away one after the other, each time the one that then costs most, measured anew."""

    stages: tuple[Stage, ...]  # without the first, the first two, ...
    flip: Stage | None  # the first set that was seen to change the answer


def removal(
    asked: Counterfactual, evidence: Evidence, most: int = ROUNDS, width: int = WIDTH, *, until_flip: bool = False
) -> Removal:
    """At most ``most`` facts; of each round's ``width`` candidates, strongest by their last measurement, the best."""
    last = {found.facts[0]: found.after for found in evidence.facts}
    by_share = sorted(evidence.facts, key=lambda found: (-found.share, found.facts))
    shares = [found.facts[0] for found in by_share]
    gone: tuple[int, ...] = ()
    stages: list[Stage] = []
    flip = _known_flip(evidence)
    while len(gone) < most and not (until_flip and flip):
        left = [fact for fact in last if fact not in gone]
        if not left:
            break
        if gone:
            best = sorted(left, key=lambda fact: (last[fact].probability, fact))[: width - 1]
            tried = list(dict.fromkeys([*best, *[fact for fact in shares if fact in left][: width - len(best)]]))
            after = asked.without_each([(*gone, fact) for fact in tried])
            last.update(zip(tried, after, strict=True))
        else:
            tried = left  # measured already
        chosen = min(tried, key=lambda fact: (last[fact].probability, fact))
        gone = (*gone, chosen)
        stages.append(Stage(gone, last[chosen]))
        if flip is None:
            flips = [fact for fact in tried if not last[fact].leads]
            flip = Stage((*gone[:-1], flips[0]), last[flips[0]]) if flips else None
    return Removal(tuple(stages), flip)


def smallest_flip(asked: Counterfactual, evidence: Evidence, removed: Removal | None = None) -> Stage | None:
    """The flip of an answer that leads; None if it does not, or if nothing that was tried flips it."""
    if not evidence.before.leads:
        return None
    found = removed.flip if removed else removal(asked, evidence, until_flip=True).flip
    if found is None:
        found = _larger_flip(asked, evidence)
    return None if found is None else _needed(asked, found)


def _known_flip(evidence: Evidence) -> Stage | None:
    """One fact or two that were seen to change the answer already."""
    if not evidence.before.leads:
        return None
    found = next((one for one in (*evidence.facts, *evidence.couples) if not one.after.leads), None)
    return None if found is None else Stage(found.facts, found.after)


def _larger_flip(asked: Counterfactual, evidence: Evidence) -> Stage | None:
    """The first facts by share or by effect, as few as it takes, where a step at a time has found nothing."""
    by_share = [found.facts for found in evidence.firsts]
    tried = [
        _fewest(asked, by_share[-1], [(found.facts, found.after) for found in evidence.firsts]) if by_share else None,
        _fewest(asked, evidence.support, []),
    ]
    flips = [flip for flip in tried if flip is not None]
    return min(flips, key=lambda flip: len(flip.facts)) if flips else None


def sufficiency_curve(asked: Counterfactual, facts: Sequence[int]) -> tuple[Stage, ...]:
    """The outcome with only the first 1, 2, 3, 5, ... of those ``facts`` that touch the answer, and the background."""
    touching = facts_touching(asked.explainer.graph, asked.answer)
    firsts = first_facts([fact for fact in facts if fact in set(touching.tolist())])
    outcomes = asked.without_each([np.setdiff1d(touching, first) for first in firsts])
    return tuple(Stage(tuple(first), outcome) for first, outcome in zip(firsts, outcomes, strict=True))


def facts_touching(graph: TemporalGraph, entity: int) -> IntArray:
    """Facts with an entity at either end, ascending."""
    facts = np.unique(graph.fact[graph.row[entity] : graph.row[entity + 1]])
    return facts[facts >= 0].astype(np.int64)


def _fewest(
    asked: Counterfactual, facts: Sequence[int], known: Sequence[tuple[Sequence[int], Outcome]]
) -> Stage | None:
    """The first facts of a list without which the answer no longer leads, as few as it takes: by bisection.

    ``known``: outcomes without some first facts of the list that are at hand.
    """
    outcomes = {len(first): outcome for first, outcome in known}
    if len(facts) not in outcomes and facts:
        outcomes[len(facts)] = asked.without(facts)
    flipped = min((size for size, outcome in outcomes.items() if not outcome.leads), default=None)
    if flipped is None:
        return None
    held = max((size for size in outcomes if size < flipped), default=1)
    while flipped - held > 1:
        middle = (held + flipped) // 2
        outcomes[middle] = asked.without(facts[:middle])
        if outcomes[middle].leads:
            held = middle
        else:
            flipped = middle
    return Stage(tuple(facts[:flipped]), outcomes[flipped])


def _needed(asked: Counterfactual, flip: Stage) -> Stage:
    """What is left of a flip when every fact that can be spared is put back: all such facts together if that works,

    else the weakest of them, and so on until each fact that is left is needed.
    """
    while len(flip.facts) > 1:
        spared = [
            fact
            for fact, outcome in zip(
                flip.facts, asked.without_each([_but(flip.facts, (fact,)) for fact in flip.facts]), strict=True
            )
            if not outcome.leads
        ]
        if not spared:
            break
        tried = [_but(flip.facts, spared), _but(flip.facts, spared[-1:])]
        for fewer in tried:
            outcome = asked.without(fewer)
            if fewer and not outcome.leads:
                flip = Stage(fewer, outcome)
                break
    return flip


def _but(facts: Sequence[int], others: Sequence[int]) -> tuple[int, ...]:
    return tuple(fact for fact in facts if fact not in others)
