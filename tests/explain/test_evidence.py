from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.explain.small_dataset import small_dataset
from tests.tiny import from_facts, tiny_config
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual, FactIds, Outcome
from tgap.explain.evidence import Effect, Evidence, first_facts, joint_kind, measure_evidence
from tgap.explain.naming import Names
from tgap.explain.verdict import verdict
from tgap.graph import TemporalGraph, View
from tgap.graph.view import WHOLE
from tgap.scorer import FloatArray, Query

QUERY = Query(0, 1, 4)


def found(
    explainer: OracleExplainer, count: int = 20, groups: int = 3, view: View = WHOLE
) -> tuple[Counterfactual, AnswerFlow, Evidence]:
    trace = explainer.trace(QUERY, view)
    flow = AnswerFlow.of(explainer.graph, trace, int(trace.scores.argmax()))
    asked = Counterfactual(explainer, trace, flow.answer)
    return asked, flow, measure_evidence(asked, flow, count, groups, groups)


def all_of(evidence: Evidence) -> list[Effect]:
    return [*evidence.facts, *evidence.firsts, *evidence.couples, *evidence.groups]


def rows_of(graph: TemporalGraph) -> list[tuple[int, int, int, int]]:
    """The facts of a graph, copies included, in the stored direction."""
    plain = np.flatnonzero(graph.relation < graph.num_relations)
    columns = (graph.source, graph.relation, graph.neighbour, graph.time)
    return [tuple(int(column[edge]) for column in columns) for edge in plain]  # type: ignore[misc]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_effects_are_those_of_a_graph_built_without_the_facts(seed: int) -> None:
    whole = tiny_explainer(seed, entities=5, facts=8)
    everything = whole.config.replace(core_nodes=99, added_edges=999)
    whole = OracleExplainer(whole.graph, everything, whole.span, seed)
    _, flow, evidence = found(whole)
    rows = rows_of(whole.graph)
    facts = whole.graph.find_facts(*np.array(rows, dtype=np.int64).T.copy())
    assert bool(all_of(evidence)) == bool(np.any(flow.facts))  # an entity without events has none
    for effect in all_of(evidence):
        left = [row for row, fact in zip(rows, facts, strict=True) if fact not in effect.facts]
        scores = OracleExplainer(from_facts(5, 2, left), whole.config, whole.span, seed).trace(QUERY).scores
        assert effect.after.probability == pytest.approx(float(scores[flow.answer]), abs=1e-6)
        assert effect.after.first_probability == pytest.approx(float(scores.max()), abs=1e-6)
        assert effect.effect == pytest.approx(evidence.before.probability - effect.after.probability)
        assert effect.share == pytest.approx(sum(flow.facts[fact] for fact in effect.facts))


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 6))
def test_the_candidates_are_the_facts_of_highest_share_in_order_of_effect(seed: int, count: int) -> None:
    _, flow, evidence = found(tiny_explainer(seed), count)
    candidates = flow.strongest_facts(count).tolist()
    assert {effect.facts[0] for effect in evidence.facts} == set(candidates)
    for list_ in (evidence.facts, evidence.pairs, evidence.times):
        effects = [effect.effect for effect in list_]
        assert effects == sorted(effects, reverse=True)
    assert [list(effect.facts) for effect in evidence.firsts] == [
        candidates[:size] for size in (2, 3, 5, len(candidates)) if 1 < size <= len(candidates)
    ][: len(evidence.firsts)]
    assert evidence.support == tuple(effect.facts[0] for effect in evidence.facts if effect.effect > 0)
    assert evidence.before == Outcome.of(flow.trace.scores, flow.answer)


def test_groups_hold_all_events_of_a_pair_or_of_a_time() -> None:
    rows = [(0, 1, 1, 2), (0, 1, 1, 4), (0, 1, 1, 4), (1, 1, 0, 4), (0, 0, 1, 7), (1, 0, 2, 4), (3, 0, 4, 9)]
    explainer = OracleExplainer(from_facts(5, 2, rows), tiny_config(), span=12)
    _, _, evidence = found(explainer, groups=5)
    facts = explainer.graph.find_facts(*np.array(rows, dtype=np.int64).T.copy()).tolist()
    (pair,), (time,) = evidence.pairs, evidence.times
    assert set(pair.facts) == {facts[0], facts[1]}  # the copy is the same fact; the way back another group
    assert set(time.facts) == {facts[1], facts[3], facts[5]}


def test_groups_of_two_entities_hold_what_happened_between_them_either_way() -> None:
    rows = [(0, 1, 1, 2), (0, 0, 1, 4), (1, 1, 0, 9), (0, 1, 2, 4), (2, 0, 3, 4)]
    explainer = OracleExplainer(from_facts(4, 2, rows), tiny_config(), span=12)
    trace = explainer.trace(QUERY)
    flow = AnswerFlow.of(explainer.graph, trace, 1)
    evidence = measure_evidence(Counterfactual(explainer, trace, 1), flow)
    facts = explainer.graph.find_facts(*np.array(rows, dtype=np.int64).T.copy()).tolist()
    between = [found for found in evidence.groups if found.group.kind == "between"]
    assert [set(found.facts) for found in between if set(found.group.ends) == {0, 1}] == [set(facts[:3])]


Formula = Callable[[frozenset[int]], bool]


class Planted(Counterfactual):
    """An answer that stands and falls with a formula over the facts that are left."""

    def __init__(self, flow: AnswerFlow, formula: Formula, explainer: OracleExplainer) -> None:
        super().__init__(explainer, flow.trace, flow.answer)
        self.formula = formula

    def scores_without(self, sets: Sequence[FactIds]) -> FloatArray:
        every = frozenset(range(self.explainer.graph.num_facts))
        found = np.zeros((len(sets), self.explainer.graph.num_entities), np.float32)
        for row, facts in enumerate(sets):
            held = self.formula(every - {int(fact) for fact in facts})
            found[row, self.answer] = 0.9 if held else 0.02
            found[row, (self.answer + 1) % found.shape[1]] = 0.05
        return found


def planted(seed: int, joined: Callable[[int, int], Formula]) -> tuple[tuple[int, int], Evidence, AnswerFlow]:
    """Evidence for an answer that depends on two of its facts, and those two."""
    explainer = tiny_explainer(seed, facts=20)
    trace = explainer.trace(QUERY)
    flow = AnswerFlow.of(explainer.graph, trace, int(trace.scores.argmax()))
    one, two = flow.strongest_facts(2).tolist()
    return (one, two), measure_evidence(Planted(flow, joined(one, two), explainer), flow), flow


@pytest.mark.parametrize("seed", range(20))
def test_two_facts_that_are_both_needed_are_told_as_both(seed: int) -> None:
    facts, evidence, flow = planted(seed, lambda one, two: lambda left: one in left and two in left)
    assert {found.facts[0] for found in evidence.facts if evidence.decides(found)} == set(facts)
    couple = next(found for found in evidence.couples if set(found.facts) == set(facts))
    assert joint_kind(evidence, couple) == "and"
    assert verdict(Names(small_dataset()), flow, evidence).kind == "both"


@pytest.mark.parametrize("seed", range(20))
def test_two_facts_of_which_either_is_enough_are_told_as_either(seed: int) -> None:
    facts, evidence, flow = planted(seed, lambda one, two: lambda left: one in left or two in left)
    assert not any(map(evidence.decides, evidence.facts))
    couple = next(found for found in evidence.couples if set(found.facts) == set(facts))
    assert joint_kind(evidence, couple) == "or"
    found = verdict(Names(small_dataset()), flow, evidence)
    assert found.kind == "either"
    assert "With only one of them gone the probability would still be 90 % or more" in found.sentence


def test_an_answer_out_of_reach_has_no_evidence() -> None:
    explainer = OracleExplainer(from_facts(3, 2, [(0, 0, 1, 4)]), tiny_config(), span=12)
    trace = explainer.trace(QUERY)
    flow = AnswerFlow.of(explainer.graph, trace, 2)
    evidence = measure_evidence(Counterfactual(explainer, trace, 2), flow)
    assert all_of(evidence) == []
    assert evidence.support == ()


def test_facts_that_are_hidden_from_the_trace_stay_hidden() -> None:
    explainer = tiny_explainer(4)
    hidden = AnswerFlow.of(explainer.graph, explainer.trace(QUERY), 0).strongest_facts(1).tolist()
    asked, flow, evidence = found(explainer, groups=99, view=View.all().without(hidden))
    other = flow.strongest_facts(1).tolist()
    expected = explainer.trace(QUERY, View.all().without(hidden + other)).scores
    assert asked.without(other) == Outcome.of(expected, flow.answer)
    assert np.array_equal(asked.trace_without(other).scores, expected)
    named = {fact for effect in all_of(evidence) for fact in effect.facts}
    assert named
    assert not named & set(hidden)


def test_first_facts_grow_to_the_whole_list() -> None:
    assert [len(first) for first in first_facts(range(12))] == [1, 2, 3, 5, 10, 12]
    assert [list(first) for first in first_facts([7, 8])] == [[7], [7, 8]]
    assert first_facts([]) == []
