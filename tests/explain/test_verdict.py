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
from tgap.explain.evidence import Effect, Evidence, GroupEffect, measure_evidence
from tgap.explain.groups import PAIR, Group
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


def evidence(
    *facts: Effect, firsts: tuple[Effect, ...] = (), pairs: tuple[Effect, ...] = (), couples: tuple[Effect, ...] = ()
) -> Evidence:
    groups = tuple(GroupEffect(**vars(found), group=Group(PAIR, found.facts, (NORTH, SOUTH))) for found in pairs)
    return Evidence(BEFORE, facts, firsts, groups, couples, tried=len(facts))


def fact(number: int) -> str:
    return NAMES.fact(EXPLAINER.graph, number, 118).told


CASES = {
    "one": evidence(effect((0,), 0.25), effect((1,), 0.4), firsts=(effect((0, 1), 0.1),)),
    "both": evidence(effect((0,), 0.1), effect((1,), 0.25), couples=(effect((0, 1), 0.05),)),
    "either": evidence(effect((0,), 0.58), effect((1,), 0.6), couples=(effect((0, 1), 0.05),)),
    "few": evidence(effect((1,), 0.4), effect((0,), 0.5), firsts=(effect((0, 1), 0.2), effect((0, 1, 2), 0.1))),
    "pair": evidence(effect((0,), 0.5), firsts=(effect((0, 1), 0.5),), pairs=(effect((2, 3, 4), 0.2),)),
    "many": evidence(effect((0,), 0.5), firsts=(effect((0, 1), 0.5), effect((0, 1, 2), 0.45)), pairs=()),
    "none": evidence(effect((0,), 0.6), effect((1,), 0.7)),
    "stays": evidence(),
}
WORDS = {
    "one": f"The main reason is one event: {fact(0)}. Without it the probability would be 25 %. A second event helps: "
    f"{fact(1)}; without that one, the probability would be 40 %.",
    "both": f"Two events are both needed: {fact(0)}; and {fact(1)}. Without either of them the probability "
    "would be 10 % to 25 %.",
    "either": f"Either of two events is enough: {fact(0)}; or {fact(1)}. With only one of them gone the probability "
    "would still be 58 % or more; without both the probability would be 5.0 %.",
    "few": f"Two events together explain it: {fact(0)}; and {fact(1)}. Without both the probability would be 20 %. No "
    "single one of them changes it by more than 20 points.",
    "pair": "No single event decides it; it rests on 3 events of one kind: ",
    "many": f"No single event or group of events that was tried decides it. The strongest is: {fact(0)}; without it "
    "the probability would be 50 %. Without the 3 that the walk used most the probability would be 45 %.",
    "none": "but none of the 2 events tried speaks for it: without any single one of them it would not fall.",
    "stays": "only because the walk stayed at North Korea: no event was used.",
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
    assert found.sentence.startswith("South Korea has 60 %. ")
    assert "the probability would be 10 %, and Japan would come first." in found.sentence
    narrow = verdict(NAMES, FLOW, evidence(effect((0,), 0.5, first=JAPAN)))
    assert narrow.kind == "many"
    assert "Its lead is narrow. The strongest is" in narrow.sentence
    assert "No single event" not in narrow.sentence


def test_most_of_the_way_is_said_of_most_of_the_way_only() -> None:
    """Facts that carried 4 % of the way did not carry most of it."""

    def sentence(share: float) -> str:
        first = effect((0, 1), 0.45, share=share)
        return verdict(NAMES, FLOW, evidence(effect((0,), 0.5), firsts=(first,))).sentence

    assert "carried" not in sentence(0.037)
    assert "which carried 62 % of the way," in sentence(0.62)


def test_an_answer_that_is_not_first_tells_its_rank_and_no_rival() -> None:
    behind = replace(CASES["one"], before=Outcome(0.6, 4.0, JAPAN, 0.7))
    found = verdict(NAMES, FLOW, behind)
    assert found.sentence.startswith("South Korea has 60 % and rank 4. ")
    assert "come first" not in found.sentence


def test_a_reason_that_does_not_hold_the_answer_names_the_link() -> None:
    """(South Korea, Consult, Japan) says nothing of North Korea's answer by itself."""
    flow = flow_to(JAPAN)
    consult = next(
        number
        for number in range(EXPLAINER.graph.num_facts)
        if "made a threat" not in fact(number) and fact(number).startswith("North Korea threatened South Korea")
    )
    found = verdict(NAMES, flow, evidence(effect((consult,), 0.1)))
    assert "From there the way leads on to Japan: South Korea consulted Japan" in found.sentence
    direct = verdict(NAMES, FLOW, evidence(effect((consult,), 0.1)))
    assert "the way leads on" not in direct.sentence


def test_remarks_follow_the_sentence() -> None:
    assert future_share(FLOW) < 0.3
    assert "of the evidence lies after" not in verdict(NAMES, FLOW, CASES["one"]).sentence
    early = flow_to(SOUTH, time=95)
    assert future_share(early) > 0.5
    assert (
        "of the evidence lies after the time asked about; asked with the past only, it is left out."
        in verdict(NAMES, early, CASES["one"]).sentence
    )
    outside = verdict(NAMES, flow_to(SOUTH, time=500), CASES["one"]).sentence
    assert outside.endswith("The time asked about lies outside the data.")
    hidden = verdict(NAMES, FLOW, CASES["one"], hidden=True).sentence
    assert hidden.endswith("The asked fact is in the training data; it was hidden for this explanation.")
    ranges = verdict(NAMES, FLOW, replace(CASES["one"], spread=0.031)).sentence
    assert "over several samples the probability ranges over 3.1 points" in ranges


def test_an_answer_without_attention_is_said_to_have_none() -> None:
    lonely = ENTITIES.index("Lonely Island")
    nothing = Evidence(Outcome(0.0, 5.0, SOUTH, 0.6), ())
    found = verdict(NAMES, flow_to(lonely), nothing)
    assert (found.kind, found.sentence) == ("unreached", "Lonely Island has 0 % and rank 5: no walk arrived there.")


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
    assert kinds <= {"one", "both", "either", "few", "pair", "between", "day", "own", "toward", "many", "none"}
