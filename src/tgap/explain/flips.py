"""What would change the answer, and what is enough for it.

Flip. The smallest set of facts, among those that speak for the answer, without which another entity comes first. Found
greedily. If one fact alone is enough, it is that one. Else take the fact of strongest effect away, then the strongest
of what the walk does instead, and so on, up to five; if that is not enough, the first k facts in order of their
measured effect, k as small as possible. Then every fact that can be put back without losing the flip is put back, the
weakest first, until each fact that is left is needed. A smaller set of other facts may exist.

Sufficiency. How much of the probability is left if, of all facts that touch the answer, only the first k that speak for
it are visible? The background, which stays, is every fact that does not touch the answer. Without any fact that
touches it no walk arrives, so the curve begins at exactly 0 (unless the answer is the entity that is asked about).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tgap.evaluation.ranks import ScoredRank, scored_rank
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.evidence import Evidence
from tgap.graph import TemporalGraph
from tgap.scorer import FloatArray, IntArray

SIZES = (1, 2, 3, 5, 10, 20)  # of the curves
_PEELED = 5  # most facts that are taken away one after the other, the walk traced anew each time


@dataclass(frozen=True)
class Flip:
    """Without ``facts``, ``answer`` comes first."""

    facts: tuple[int, ...]
    answer: int  # the entity that is first then
    score: float  # its probability then
    after: ScoredRank  # how the explained answer stands then


@dataclass(frozen=True)
class Stage:
    """A point of a curve: how the answer stands with ``facts`` taken away, or with only them left."""

    facts: tuple[int, ...]
    after: ScoredRank


def deletion_curve(asked: Counterfactual, facts: Sequence[int], answer: int) -> tuple[Stage, ...]:
    """The answer without the first 1, 2, 3, 5, ... of ``facts``, and without all of them."""
    firsts = _firsts(facts)
    return _stages(firsts, asked.without_each(firsts, answer))


def sufficiency_curve(asked: Counterfactual, facts: Sequence[int], answer: int) -> tuple[Stage, ...]:
    """The answer with only the first 1, 2, 3, 5, ... of those ``facts`` that touch it beside the background."""
    touching = facts_touching(asked.explainer.graph, answer)
    firsts = _firsts([fact for fact in facts if fact in set(touching.tolist())])
    return _stages(firsts, asked.without_each([np.setdiff1d(touching, first) for first in firsts], answer))


def smallest_flip(asked: Counterfactual, flow: AnswerFlow, evidence: Evidence, curve: Sequence[Stage]) -> Flip | None:
    """The flip of an answer that stands alone at the top; None if it does not, or if nothing that was tried flips it.

    ``curve``: the deletion curve of the facts that support it, which tells between which sizes to look.
    """
    if evidence.before.rank != 1.0 or not evidence.support:
        return None
    alone = [found.facts for found in evidence.facts if found.effect > 0 and found.after.rank > 1.0]
    facts = alone[0] if alone else _peel(asked, flow, evidence.support[0]) or _first_flip(asked, flow, evidence, curve)
    if facts is None:
        return None
    return _flip(asked, _needed(asked, facts, flow.answer), flow.answer)


def _peel(asked: Counterfactual, flow: AnswerFlow, first: int) -> tuple[int, ...] | None:
    """Take away ``first``, then again and again the fact of highest share in what the walk does instead.

    Finds what single effects cannot: facts that stand in for one another, so that each can be spared, but not all.
    """
    facts = [first]
    while len(facts) < _PEELED:
        instead = AnswerFlow.of(flow.graph, asked.trace_without(facts), flow.answer)
        following = instead.strongest_facts(1).tolist()
        if not following:
            return None
        facts += following
        if asked.without(facts, flow.answer).rank > 1.0:
            return tuple(facts)
    return None


def _first_flip(
    asked: Counterfactual, flow: AnswerFlow, evidence: Evidence, curve: Sequence[Stage]
) -> tuple[int, ...] | None:
    """The first facts in order of effect, as few as it takes: by bisection between the sizes of the curve."""
    flipped = next((len(stage.facts) for stage in curve if stage.after.rank > 1.0), None)
    if flipped is None:
        return None
    held = max((len(stage.facts) for stage in curve if len(stage.facts) < flipped), default=0)
    while flipped - held > 1:
        middle = (held + flipped) // 2
        if asked.without(evidence.support[:middle], flow.answer).rank > 1.0:
            flipped = middle
        else:
            held = middle
    return evidence.support[:flipped]


def _needed(asked: Counterfactual, facts: Sequence[int], answer: int) -> list[int]:
    """What is left of a flip when every fact that can be spared is put back, the weakest first."""
    kept = list(facts)
    spared = True
    while spared and len(kept) > 1:
        spared = False
        for fact in reversed(kept.copy()):
            fewer = [other for other in kept if other != fact]
            if fewer and asked.without(fewer, answer).rank > 1.0:
                kept, spared = fewer, True
    return kept


def facts_touching(graph: TemporalGraph, entity: int) -> IntArray:
    """Facts that touch an entity, ascending."""
    facts = np.unique(graph.fact[graph.row[entity] : graph.row[entity + 1]])
    return facts[facts >= 0].astype(np.int64)


def _flip(asked: Counterfactual, facts: Sequence[int], answer: int) -> Flip:
    scores: FloatArray = asked.scores(facts)
    first = int(scores.argmax())
    return Flip(tuple(facts), first, float(scores[first]), scored_rank(scores, answer))


def _stages(firsts: list[Sequence[int]], found: list[ScoredRank]) -> tuple[Stage, ...]:
    return tuple(Stage(tuple(first), after) for first, after in zip(firsts, found, strict=True))


def _firsts(facts: Sequence[int]) -> list[Sequence[int]]:
    """The first 1, 2, 3, 5, ... of a list, and all of it; every list once."""
    sizes = sorted({size for size in SIZES if size < len(facts)} | {len(facts)} - {0})
    return [facts[:size] for size in sizes]
