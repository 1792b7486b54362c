from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.tiny import from_facts, tiny_config
from tgap.evaluation.ranks import scored_rank
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.faithfulness import check, faithfulness, used_facts
from tgap.graph import View
from tgap.scorer import Query, QueryBatch


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 4))
def test_check_recomputes_without_the_strongest_facts(seed: int, count: int) -> None:
    explainer = tiny_explainer(seed)
    trace = explainer.trace(Query(0, 0, 4))
    answer = int(trace.scores.argmax())
    found = check(explainer, trace, answer, count=count, seed=seed)
    facts, used = used_facts(explainer.graph, trace)
    assert list(found.strongest.facts) == facts[:count].tolist()
    assert np.all(np.diff(used) <= 0)
    again = explainer.trace(trace.query, trace.view.without(found.strongest.facts))
    assert found.strongest.after == scored_rank(again.scores, answer)
    touched = set(explainer.graph.fact[again.steps[0].edge].tolist())
    assert not touched & set(found.strongest.facts)
    brought = AnswerFlow.of(explainer.graph, trace, answer).strongest_facts(count)
    assert list(found.brought.facts) == brought.tolist()
    for control in found.controls.values():
        assert not set(control.facts) & set(found.strongest.facts)
        assert set(control.facts) <= set(facts.tolist())
        assert len(set(control.facts)) == len(control.facts) <= count
    assert found == check(explainer, trace, answer, count=count, seed=seed)


def test_a_check_sees_what_its_trace_saw() -> None:
    explainer = tiny_explainer(7, entities=8, facts=30)
    trace = explainer.trace(Query(0, 0, 6), View.all().before_query().without([2]))
    answer = int(trace.scores.argmax())
    found = check(explainer, trace, answer, count=2)
    view = View.all().before_query().without([2, *found.strongest.facts])
    assert found.strongest.after == scored_rank(explainer.trace(trace.query, view).scores, answer)
    elsewhere = explainer.trace(trace.query, View.all().without(found.strongest.facts))
    assert found.strongest.after != scored_rank(elsewhere.scores, answer)


def test_attention_over_all_facts_and_waits_is_the_number_of_steps() -> None:
    explainer = tiny_explainer(11)
    trace = explainer.trace(Query(0, 0, 4))
    _, used = used_facts(explainer.graph, trace)
    loops = sum(
        float(step.attention.mean(axis=1)[step.relation == explainer.graph.loop_relation].sum()) for step in trace.steps
    )
    assert used.sum() + loops == pytest.approx(len(trace.steps), abs=1e-4)


def test_the_only_way_removed_leaves_nothing() -> None:
    explainer = OracleExplainer(from_facts(2, 1, [(0, 0, 1, 2)]), tiny_config(), span=4)
    trace = explainer.trace(Query(0, 0, 2))
    found = check(explainer, trace, 1, count=1)
    assert found.strongest.after.score == 0
    assert found.drop(found.strongest) == pytest.approx(1.0)
    assert found.controls == {}  # no other fact carried mass


def test_means_over_questions() -> None:
    explainer = tiny_explainer(4, entities=8, facts=20)
    queries = [Query(subject, 0, 5) for subject in range(4)]
    traces = [explainer.trace(query) for query in queries]
    second = np.array([int(np.argsort(-trace.scores)[1]) for trace in traces])
    best, true = faithfulness(explainer, QueryBatch.of(queries), second, count=2, seed=1)
    for found, answers in ((best, [int(trace.scores.argmax()) for trace in traces]), (true, second.tolist())):
        single = [
            check(explainer, trace, answer, count=2, seed=1) for trace, answer in zip(traces, answers, strict=True)
        ]
        before = np.mean([one.before.score for one in single])
        assert found.checks == 4
        assert found.unreached == 0
        assert found.probability["before"] == pytest.approx(before)
        after = np.mean([one.strongest.after.score for one in single])
        assert found.drop["strongest"] == pytest.approx(1 - after / before)
        after = np.mean([one.controls["random"].after.score for one in single])
        assert found.drop["random"] == pytest.approx(1 - after / before)
        assert found.mrr["before"] == pytest.approx(np.mean([1 / one.before.rank for one in single]))
        lost = [one.strongest.after.score < one.controls["random"].after.score for one in single]
        assert found.worse["strongest"]["random"] == pytest.approx(np.mean(lost))
        after = np.mean([one.brought.after.score for one in single])
        assert found.drop["brought"] == pytest.approx(1 - after / before)
    assert (best.answers, true.answers) == ("best", "true")
    assert best.hits1["before"] == 1.0
    assert true.hits1["before"] == 0.0


def test_answers_out_of_reach_are_counted_and_left_out() -> None:
    explainer = OracleExplainer(from_facts(3, 1, [(0, 0, 1, 2)]), tiny_config(), span=4)
    queries = QueryBatch.of([Query(0, 0, 2), Query(0, 0, 2)])
    best, true = faithfulness(explainer, queries, np.array([2, 1]), count=1)
    assert (best.checks, best.unreached) == (2, 0)
    assert (true.checks, true.unreached) == (1, 1)
    _, nothing = faithfulness(explainer, queries, np.array([2, 2]), count=1)
    assert (nothing.checks, nothing.unreached, nothing.drop["strongest"]) == (0, 2, 0.0)
