"""The sentence: its kind follows the measured effects, its words name what was measured."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.small_dataset import ENTITIES, small_dataset, small_explainer
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual, Outcome
from tgap.explain.evidence import Effect, Evidence, measure_evidence
from tgap.explain.naming import Names
from tgap.explain.verdict import future_share, verdict
from tgap.scorer import Query

DATASET = small_dataset()
NAMES = Names(DATASET)
EXPLAINER = small_explainer(DATASET)
NORTH, SOUTH, JAPAN = (ENTITIES.index(name) for name in ("North Korea", "South Korea", "Japan"))


def flow_to(answer: int, time: int = 118, subject: int = NORTH) -> AnswerFlow:
    return AnswerFlow.of(EXPLAINER.graph, EXPLAINER.trace(Query(subject, 2, time)), answer)


FLOW = flow_to(SOUTH)
BEFORE = Outcome(0.6, 1.0, SOUTH, 0.6)


def effect(facts: tuple[int, ...], left: float, *, first: int = SOUTH, share: float = 0.25) -> Effect:
    """An effect that leaves ``left`` of 0.6; another entity comes first where ``first`` says so."""
    return Effect(facts, share, 0.6 - left, Outcome(left, 1.0 if first == SOUTH else 2.0, first, 0.5))


def evidence(*facts: Effect, firsts: tuple[Effect, ...] = (), pairs: tuple[Effect, ...] = ()) -> Evidence:
    return Evidence(BEFORE, facts, firsts, pairs, ())


def fact(number: int) -> str:
    return NAMES.fact(EXPLAINER.graph, number, 118).clause


CASES = {
    "one": evidence(effect((0,), 0.25), firsts=(effect((0, 1), 0.1),)),
    "few": evidence(effect((1,), 0.4), effect((0,), 0.5), firsts=(effect((0, 1), 0.2), effect((0, 1, 2), 0.1))),
    "pair": evidence(effect((0,), 0.5), firsts=(effect((0, 1), 0.5),), pairs=(effect((2, 3, 4), 0.2),)),
    "many": evidence(effect((0,), 0.5), firsts=(effect((0, 1), 0.5), effect((0, 1, 2), 0.45)), pairs=()),
    "none": evidence(effect((0,), 0.6), effect((1,), 0.7)),
    "stays": evidence(),
}
WORDS = {
    "one": f"mainly because of one event, {fact(0)}, which carried 25 % of the way there; without it the probability "
    "would be 25 %.",
    "few": f"because of 2 events together, first of all {fact(1)}; they carried 25 % of the way there, and without "
    "them the probability would be 20 %.",
    "pair": "which carried 25 % of the way there; without them the probability would be 20 %.",
    "many": f"from many events, of which none decides it: without the strongest, {fact(0)}, the probability would be "
    "50 %; without the 3 that carried most of the way (25 %) the probability would be 45 %.",
    "none": "but no event speaks for it: none of the 2 events tried lowers it.",
    "stays": "only because attention stays at North Korea: no event leads anywhere.",
}


@pytest.mark.parametrize("kind", sorted(CASES))
def test_the_kind_follows_the_effects(kind: str) -> None:
    found = verdict(NAMES, FLOW, CASES[kind])
    assert found.kind == kind
    assert found.sentence.startswith("South Korea has 60 %")
    assert WORDS[kind] in found.sentence


@settings(max_examples=200, deadline=None)
@given(
    single=st.lists(st.floats(0.001, 0.99), min_size=1, max_size=4),
    together=st.lists(st.floats(0.001, 0.99), max_size=4),
    pairs=st.lists(st.floats(0.001, 0.99), max_size=3),
)
def test_the_sentence_never_contradicts_the_sign(
    single: list[float], together: list[float], pairs: list[float]
) -> None:
    """Whatever it names as a reason, the probability is lower without it."""
    facts = sorted((effect((place,), left) for place, left in enumerate(single)), key=lambda found: -found.effect)
    firsts = tuple(effect(tuple(range(place + 2)), left) for place, left in enumerate(together))
    groups = sorted((effect((4, 5), left) for left in pairs), key=lambda found: -found.effect)
    found = verdict(NAMES, FLOW, evidence(*facts, firsts=firsts, pairs=tuple(groups)))
    quoted = [float(text) for text in re.findall(r"would be ([\d.]+) %", found.sentence)]
    assert all(left <= 60 for left in quoted)
    assert (found.kind == "none") == (not quoted)


def test_who_would_come_first_is_named() -> None:
    found = verdict(NAMES, FLOW, evidence(effect((0,), 0.1, first=JAPAN)))
    assert found.sentence.startswith("South Korea has 60 % mainly because of one event")
    assert "the probability would be 10 %, and Japan would come first." in found.sentence
    narrow = verdict(NAMES, FLOW, evidence(effect((0,), 0.5, first=JAPAN)))
    assert narrow.kind == "many"
    assert "narrowly, from many events: without the strongest" in narrow.sentence
    assert "none decides it" not in narrow.sentence


def test_an_answer_that_is_not_first_tells_its_rank_and_no_rival() -> None:
    behind = replace(CASES["one"], before=Outcome(0.6, 4.0, JAPAN, 0.7))
    found = verdict(NAMES, FLOW, behind)
    assert found.sentence.startswith("South Korea has 60 % and rank 4 ")
    assert "come first" not in found.sentence


def test_remarks_follow_the_sentence() -> None:
    assert future_share(FLOW) < 0.5
    assert "Most of the evidence" not in verdict(NAMES, FLOW, CASES["one"]).sentence
    early = flow_to(SOUTH, time=95)
    assert future_share(early) > 0.5
    assert "lies after the time asked about." in verdict(NAMES, early, CASES["one"]).sentence
    outside = verdict(NAMES, flow_to(SOUTH, time=500), CASES["one"]).sentence
    assert outside.endswith("The time asked about lies outside the data.")
    hidden = verdict(NAMES, FLOW, CASES["one"], hidden=True).sentence
    assert hidden.endswith("The fact itself is in the training data; it was hidden, as it is in training.")


def test_an_answer_without_attention_is_said_to_have_none() -> None:
    lonely = ENTITIES.index("Lonely Island")
    nothing = Evidence(Outcome(0.0, 5.0, SOUTH, 0.6), (), (), (), ())
    found = verdict(NAMES, flow_to(lonely), nothing)
    assert (found.kind, found.sentence) == ("unreached", "Lonely Island has 0 %: no attention arrived there.")


def test_real_evidence_gives_the_same_sentence_every_time() -> None:
    kinds = set()
    for answer in np.flatnonzero(FLOW.trace.scores).tolist():
        flow = flow_to(answer)
        measured = measure_evidence(Counterfactual(EXPLAINER, flow.trace, answer), flow)
        first, again = verdict(NAMES, flow, measured), verdict(NAMES, flow, measured)
        assert first == again
        kinds.add(first.kind)
        if first.kind == "one":  # what the headline says is what was measured
            best = measured.facts[0]
            assert best.effect == max(found.effect for found in measured.facts) >= measured.before.probability / 2
    assert kinds <= {"one", "few", "pair", "many", "none"}
