from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import tiny_explainer
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.edges import mean_attention, strongest_edges
from tgap.scorer import Query


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 40))
def test_lists_are_the_highest_of_each_step_without_self_loops(seed: int, count: int) -> None:
    explainer = tiny_explainer(seed)
    loop = explainer.graph.loop_relation
    trace = explainer.trace(Query(0, 1, 4))
    held = {0: 1.0}
    for step, found in zip(trace.steps, strongest_edges(trace, loop, count), strict=True):
        attention = mean_attention(step)
        moving = attention[step.relation != loop]
        assert [edge.attention for edge in found.edges] == pytest.approx(sorted(moving, reverse=True)[:count])
        assert found.self_loops + moving.sum() == pytest.approx(1.0, abs=1e-5)
        assert found.carried == len(moving)
        assert all(edge.before == pytest.approx(held[edge.subject], abs=1e-6) for edge in found.edges)
        held = dict(zip(step.entities.tolist(), step.mass.mean(axis=1).tolist(), strict=True))
        masses = [mass for _, mass in found.nodes]
        assert masses == pytest.approx(sorted(held.values(), reverse=True)[:count], abs=1e-6)


def test_edges_tell_how_much_of_the_answer_went_through_them() -> None:
    explainer = tiny_explainer(7)
    trace = explainer.trace(Query(0, 1, 4))
    answer = int(trace.scores.argmax())
    flow = AnswerFlow.of(explainer.graph, trace, answer)
    for step in strongest_edges(trace, explainer.graph.loop_relation, 1000, flow):
        assert 0 < sum(edge.answer_share for edge in step.edges) <= 1 + 1e-5
    last = strongest_edges(trace, explainer.graph.loop_relation, 1000, flow)[-1]
    assert all(edge.answer_share == 0 for edge in last.edges if edge.object != answer)


def test_an_entity_without_facts_has_empty_lists() -> None:
    explainer = tiny_explainer(0, entities=9, facts=1)
    lonely = next(node for node in range(9) if explainer.graph.degree[node] == 1)
    for step in strongest_edges(explainer.trace(Query(lonely, 0, 4)), explainer.graph.loop_relation):
        assert step.edges == ()
        assert step.self_loops == pytest.approx(1.0)
