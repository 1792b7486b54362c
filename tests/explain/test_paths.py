from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.explain.walks import Folded, every_walk
from tests.tiny import NAMED, NAMED_SPAN, tiny_config
from tgap.explain.paths import heaviest_walks
from tgap.scorer import Query, StepTrace, Trace


def folded(trace: Trace, explainer: OracleExplainer) -> dict[int, dict[Folded, float]]:
    """Weight of every folded walk, by its end."""
    loops = set(np.flatnonzero(explainer.graph.relation == explainer.graph.loop_relation).tolist())
    found: dict[int, dict[Folded, float]] = defaultdict(lambda: defaultdict(float))
    for edges, end, weight in every_walk(trace):
        if weight > 0:  # no flow takes all of its edges otherwise
            found[end][tuple(edge for edge in edges if edge not in loops)] += weight
    return found


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(1, 3), flows=st.booleans(), count=st.integers(1, 8))
def test_the_heaviest_walks_are_those_of_full_enumeration(seed: int, steps: int, flows: bool, count: int) -> None:
    explainer = tiny_explainer(seed, steps, flows)
    trace = explainer.trace(Query(seed % 6, 1, 5))
    by_end = folded(trace, explainer)
    for answer in range(explainer.num_entities):
        found = heaviest_walks(trace, answer, explainer.graph.loop_relation, count)
        expected = sorted(by_end[answer].values(), reverse=True)
        assert found.complete
        assert found.mass == pytest.approx(sum(expected), rel=1e-5, abs=1e-12)
        shares = [walk.share * found.mass for walk in found.walks]
        assert shares == pytest.approx(expected[:count], rel=1e-5)
        for walk in found.walks:  # each listed walk is a real one, with its own weight
            assert walk.share * found.mass == pytest.approx(by_end[answer][walk.edges], rel=1e-5)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), flows=st.booleans())
def test_edges_are_taken_in_the_steps_of_the_heaviest_way_to_wait(seed: int, flows: bool) -> None:
    explainer = tiny_explainer(seed, 3, flows)
    trace = explainer.trace(Query(seed % 6, 1, 5))
    loops = set(np.flatnonzero(explainer.graph.relation == explainer.graph.loop_relation).tolist())
    ways: dict[tuple[int, Folded], dict[tuple[int, ...], float]] = defaultdict(dict)
    for edges, end, weight in every_walk(trace):
        taken = tuple(step for step, edge in enumerate(edges, start=1) if edge not in loops)
        ways[end, tuple(edge for edge in edges if edge not in loops)][taken] = weight
    for answer in range(explainer.num_entities):
        for walk in heaviest_walks(trace, answer, explainer.graph.loop_relation, 6).walks:
            weights = ways[answer, walk.edges]
            assert weights[walk.steps] == pytest.approx(max(weights.values()), rel=1e-5)
            stands = walk.stands(trace.query.subject, 3)
            assert (len(stands), stands[0], stands[-1]) == (4, trace.query.subject, answer)
            assert [stands[step] for step in walk.steps] == list(walk.objects)
            assert [stands[step - 1] for step in walk.steps] == list(walk.subjects)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_shares_of_all_walks_sum_to_one(seed: int) -> None:
    explainer = tiny_explainer(seed, entities=4, facts=6)
    trace = explainer.trace(Query(0, 0, 3))
    by_end = folded(trace, explainer)
    for answer, walks in by_end.items():
        found = heaviest_walks(trace, answer, explainer.graph.loop_relation, len(walks) + 3)
        assert len(found.walks) == len(walks)
        assert sum(walk.share for walk in found.walks) == pytest.approx(1.0, abs=1e-5)
        assert found.rest == pytest.approx(0.0, abs=1e-5)


def test_the_best_walk_of_the_mean_attention_is_not_the_answer() -> None:
    """With several flows some seed has a best walk that a search on mean transitions would miss."""
    missed = 0
    for seed in range(40):
        explainer = tiny_explainer(seed)
        trace = explainer.trace(Query(0, 0, 3))
        answer = int(trace.scores.argmax())
        best = heaviest_walks(trace, answer, explainer.graph.loop_relation, 1).walks[0]
        means = replace(trace, steps=tuple(_mean_flow(step) for step in trace.steps))
        greedy = heaviest_walks(means, answer, explainer.graph.loop_relation, 1).walks[0]
        missed += best.edges != greedy.edges
    assert missed > 0


def _mean_flow(step: StepTrace) -> StepTrace:
    return replace(
        step,
        transition=step.transition.mean(axis=1, keepdims=True),
        attention=step.attention.mean(axis=1, keepdims=True),
        mass=step.mass.mean(axis=1, keepdims=True),
    )


@pytest.mark.parametrize("name", sorted(NAMED))
def test_named_graphs(name: str) -> None:
    graph = NAMED[name]()
    explainer = OracleExplainer(graph, tiny_config(), NAMED_SPAN)
    trace = explainer.trace(Query(0, 0, 4))
    by_end = folded(trace, explainer)
    for answer, walks in by_end.items():
        found = heaviest_walks(trace, answer, graph.loop_relation, 4)
        expected = sorted(walks.values(), reverse=True)[:4]
        assert [walk.share * found.mass for walk in found.walks] == pytest.approx(expected, rel=1e-5)


def test_parallel_edges_are_different_walks() -> None:
    graph = NAMED["parallel_copies"]()
    explainer = OracleExplainer(graph, tiny_config(steps=1), NAMED_SPAN)
    found = heaviest_walks(explainer.trace(Query(0, 0, 4)), 1, graph.loop_relation, 10)
    assert len(found.walks) == 3
    assert len({walk.edges for walk in found.walks}) == 3
    assert found.number == 3


def test_no_walk_to_an_answer_out_of_reach() -> None:
    graph = NAMED["lonely_entity"]()
    explainer = OracleExplainer(graph, tiny_config(), NAMED_SPAN)
    found = heaviest_walks(explainer.trace(Query(0, 0, 4)), 2, graph.loop_relation)
    assert found.walks == ()
    assert found.number == 0
    assert found.complete


def test_staying_is_a_walk_without_edges() -> None:
    graph = NAMED["lonely_entity"]()
    explainer = OracleExplainer(graph, tiny_config(), NAMED_SPAN)
    found = heaviest_walks(explainer.trace(Query(2, 0, 4)), 2, graph.loop_relation)
    assert [walk.edges for walk in found.walks] == [()]
    assert found.walks[0].share == pytest.approx(1.0)


def test_number_of_walks_counts_every_unfolded_walk() -> None:
    explainer = tiny_explainer(3, entities=4, facts=6)
    trace = explainer.trace(Query(0, 0, 3))
    counts: dict[int, int] = defaultdict(int)
    for _, end, _ in every_walk(trace):
        counts[end] += 1
    for answer, number in counts.items():
        assert heaviest_walks(trace, answer, explainer.graph.loop_relation).number == number


def test_a_search_out_of_budget_says_so() -> None:
    explainer = tiny_explainer(1, entities=8, facts=40)
    trace = explainer.trace(Query(0, 0, 3))
    answer = int(trace.scores.argmax())
    found = heaviest_walks(trace, answer, explainer.graph.loop_relation, 5, budget=3)
    assert not found.complete
    exact = heaviest_walks(trace, answer, explainer.graph.loop_relation, 5)
    assert sum(walk.share for walk in found.walks) <= sum(walk.share for walk in exact.walks) + 1e-9
