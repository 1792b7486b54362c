"""Why this answer and not that one: the facts whose removal changes the distance between the two most.

Candidates are the facts of highest share in the flow to either answer, and what a re-ranker read about them. Each is
taken out of the graph and both answers are looked at:

    effect on the gap = (p_A - p_B) with the fact - (p_A - p_B) without it

Positive: the fact speaks for A against B. Facts that may raise both are told apart so from those that decide.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from tgap.capabilities import Walker
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.naming import NamedFact, Names
from tgap.explain.phrases import plain_name
from tgap.explain.schema import Question, plain
from tgap.explain.wording import listed, percent, points
from tgap.scorer import FloatArray, Trace

VERSION = "tgap.contrast/1"
_ROUNDS, _WIDTH = 8, 6  # of the search for a swap
_NAMED = 2  # facts that the sentence names for each side
_NOTABLE = 0.05  # part of the gap that a fact must bring to be named


@dataclass(frozen=True)
class ContrastRow(NamedFact):
    """A fact and what became of both answers without it."""

    effect: Annotated[float, Field(description="on the gap: positive where the fact speaks for the answer")]
    probability: Annotated[float, Field(description="of the answer without it")]
    other_probability: Annotated[float, Field(description="of the other answer without it")]


@dataclass(frozen=True)
class Contrast:
    """Why one answer and not another."""

    question: Annotated[Question, Field(description="what was asked")]
    answer: Annotated[str, Field(description="the answer that is explained")]
    other: Annotated[str, Field(description="the answer that it is held against")]
    probability: Annotated[float, Field(description="of the answer")]
    other_probability: Annotated[float, Field(description="of the other")]
    sentence: Annotated[str, Field(description="the same in words")]
    speaking_for: Annotated[tuple[ContrastRow, ...], Field(description="facts that widen the gap, strongest first")]
    against: Annotated[tuple[ContrastRow, ...], Field(description="facts that narrow it, strongest first")]
    swap: Annotated[
        tuple[NamedFact, ...],
        Field(description="facts without which the other is ahead, the fewest found; empty where none were found"),
    ]
    tried: Annotated[int, Field(description="facts that were taken away one at a time")]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, ready for JSON."""
        return {"schema": VERSION, **plain(self)}

    def to_json(self) -> str:
        """The document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def contrast(
    explainer: Walker,
    names: Names,
    question: Question,
    trace: Trace,
    answers: tuple[int, int],
    *,
    count: int = 10,
) -> Contrast:
    """Why the first of two answers rather than the second; ``count`` facts of highest share of each are tried."""
    asked = [Counterfactual(explainer, trace, answer) for answer in answers]
    flows = [AnswerFlow.of(explainer.graph, trace, answer) for answer in answers]
    tried = list(
        dict.fromkeys(
            fact
            for one, flow in zip(asked, flows, strict=True)
            for fact in (*flow.strongest_facts(count).tolist(), *one.facts_read(-(-count // 4)))
        )
    )
    before = _both(trace.scores[None], answers)[0]
    after = _both(asked[0].scores_without([(fact,) for fact in tried]), answers) if tried else []
    gap = before[0] - before[1]
    found = [(gap - (mine - theirs), fact, mine, theirs) for fact, (mine, theirs) in zip(tried, after, strict=True)]
    rows = sorted(found, key=lambda row: (-row[0], row[1]))
    named = [
        ContrastRow(**vars(names.fact(explainer.graph, fact, trace.query.time)), effect=effect, probability=mine,
                    other_probability=theirs)
        for effect, fact, mine, theirs in rows
    ]  # fmt: skip
    speaking = tuple(row for row in named if row.effect > 0)
    against = tuple(row for row in reversed(named) if row.effect < 0)
    swap = _swap(asked[0], answers, [(effect, fact) for effect, fact, _, _ in rows], before)
    one, other = (names.entity(answer) for answer in answers)
    facts = tuple(names.fact(explainer.graph, fact, trace.query.time) for fact in swap)
    words = _sentence(one, other, before, speaking, against, facts, len(tried))
    return Contrast(question, one, other, *before, words, speaking, against, facts, len(tried))


def _both(scores: FloatArray, answers: tuple[int, int]) -> list[tuple[float, float]]:
    return [(float(row[answers[0]]), float(row[answers[1]])) for row in scores]


def _swap(
    asked: Counterfactual, answers: tuple[int, int], rows: Sequence[tuple[float, int]], before: tuple[float, float]
) -> tuple[int, ...]:
    """Facts taken away one after the other, each time the one that then narrows the gap most, until it turns."""
    if before[0] <= before[1]:
        return ()
    effects = {fact: effect for effect, fact in rows}
    gone: tuple[int, ...] = ()
    for _ in range(_ROUNDS):
        left = sorted((fact for fact in effects if fact not in gone), key=lambda fact: (-effects[fact], fact))[:_WIDTH]
        if not left:
            return ()
        gaps = [
            mine - theirs for mine, theirs in _both(asked.scores_without([(*gone, fact) for fact in left]), answers)
        ]
        best = min(range(len(left)), key=gaps.__getitem__)
        now = min(gaps)
        effects.update({fact: now - gap for fact, gap in zip(left, gaps, strict=True)})
        gone = (*gone, left[best])
        if now < 0:
            return gone
    return ()


def _sentence(
    one: str,
    other: str,
    before: tuple[float, float],
    speaking: Sequence[ContrastRow],
    against: Sequence[ContrastRow],
    swap: Sequence[NamedFact],
    tried: int,
) -> str:
    first, second = plain_name(one), plain_name(other)
    gap = abs(before[0] - before[1])
    words = [f"{first} has {percent(before[0])}, {second} {percent(before[1])}."]
    for rows, side in ((speaking, first), (against, second)):
        clear = [row for row in rows if abs(row.effect) >= _NOTABLE * gap][:_NAMED]
        if clear:
            facts = listed([f"{row.told} by {points(row.effect)[1:]} points" for row in clear])
            words.append(f"For {side} speaks most: {facts}.")
        else:
            words.append(f"No single event of the {tried} tried speaks clearly for {side}.")
    if swap:
        facts = listed([fact.told for fact in swap])
        words.append(f"Without {facts}, {second} would be ahead.")
    elif before[0] > before[1]:
        words.append(f"No set of events that puts {second} ahead was found among the {tried} tried.")
    return " ".join(words)
