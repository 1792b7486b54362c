from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import tiny_explainer
from tests.explain.small_dataset import small_dataset, small_explainer
from tgap.asking.model import Model
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.bundles import EVENTS, bundles
from tgap.explain.edges import masses, mean_attention
from tgap.explain.paths import heaviest_walks
from tgap.scorer import Query


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), flows=st.booleans(), count=st.integers(1, 40))
def test_bundles_are_exact_sums_over_all_edges_that_belong_together(seed: int, flows: bool, count: int) -> None:
    explainer = tiny_explainer(seed, 3, flows)
    graph = explainer.graph
    trace = explainer.trace(Query(seed % 6, 1, 5))
    answer = int(trace.scores.argmax())
    flow = AnswerFlow.of(graph, trace, answer)
    walks = heaviest_walks(trace, answer, graph.loop_relation, 3).walks
    for number, (step, found) in enumerate(zip(trace.steps, bundles(flow, walks, count), strict=True)):
        sums: dict[tuple[int, int, int, bool], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        for place in np.flatnonzero(step.relation != graph.loop_relation):
            sign = int(np.sign(step.time[place] - trace.query.time))
            key = (int(step.subject[place]), int(step.object[place]), sign, step.relation[place] >= graph.num_relations)
            for part, value in enumerate((1, mean_attention(step)[place], flow.edges[number][place])):
                sums[key][part] += value
        for bundle in found:
            key = (bundle.subject, bundle.object, bundle.sign, bundle.inverse)
            assert [bundle.size, bundle.attention, bundle.answer_share] == pytest.approx(sums[key], abs=1e-9)
            less = sum(attention for _, attention, _ in sums.values() if attention < bundle.attention * (1 - 1e-9))
            equal = sum(attention for _, attention, _ in sums.values()) - less
            assert less - 1e-9 <= bundle.rest_attention <= less + equal - bundle.attention + 1e-9
            assert len(bundle.edges) >= min(EVENTS, bundle.size)
        falling = [bundle.attention for bundle in found]
        assert falling == sorted(falling, reverse=True)
        expected = sorted((attention for _, attention, _ in sums.values() if attention > 0), reverse=True)[:count]
        assert falling[: len(expected)] == pytest.approx(expected, abs=1e-9)
        if found and len(found) == len(sums):
            assert found[-1].rest_attention == pytest.approx(0, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_every_step_of_a_listed_walk_is_in_a_bundle_that_names_it(seed: int) -> None:
    explainer = tiny_explainer(seed)
    trace = explainer.trace(Query(0, 0, 3))
    answer = int(trace.scores.argmin())  # few edges of its walks are among the strongest
    flow = AnswerFlow.of(explainer.graph, trace, answer)
    walks = heaviest_walks(trace, answer, explainer.graph.loop_relation, 5).walks
    found = bundles(flow, walks, 1)
    for place, walk in enumerate(walks):
        for edge, step in zip(walk.edges, walk.steps, strict=True):
            (bundle,) = (bundle for bundle in found[step - 1] if place in bundle.walks)
            assert edge in trace.steps[step - 1].edge[list(bundle.edges)]
    named = sum(len(bundle.walks) for step in found for bundle in step)
    assert named == sum(len(walk) for walk in walks)


def test_the_table_holds_what_a_picture_needs() -> None:
    dataset = small_dataset()
    model = Model(small_explainer(dataset), dataset)
    explained = model.explain("North Korea", "Threaten", "?", "2014-04-29", answer="Japan", bundles=50)
    document = explained.document
    table = document.flow
    assert table is not None
    assert [(node.name, node.attention, node.answer_share) for node in table.columns[0]] == [("North Korea", 1.0, 1.0)]
    assert document.instant == 118
    held = masses(explained.trace)
    for column, step in enumerate(table.steps):
        assert step.moved + step.self_loops == pytest.approx(1, abs=1e-5)
        assert step.moved_share + step.self_loops_share == pytest.approx(1, abs=1e-5)
        assert sum(bundle.attention for bundle in step.bundles) == pytest.approx(step.moved)  # nothing is left out
        assert sum(bundle.answer_share for bundle in step.bundles) == pytest.approx(step.moved_share)
        before = {node.name for node in table.columns[column]}
        after = {node.name for node in table.columns[column + 1]}
        assert all(bundle.subject in before and bundle.object in after for bundle in step.bundles)
        for node in table.columns[column + 1]:
            assert node.attention == held[column + 1][dataset.entities.id(node.name)]
    last = {node.name: node for node in table.columns[-1]}
    assert last["Japan"].attention == pytest.approx(document.answer.score, rel=1e-6)
    assert last["Japan"].answer_share == pytest.approx(1, abs=1e-6)
    for row in document.paths.walks:
        assert row.entities[0] == "North Korea"
        assert row.entities[-1] == "Japan"
