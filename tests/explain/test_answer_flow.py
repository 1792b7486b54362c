from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.explain.walks import every_walk
from tests.tiny import NAMED, NAMED_SPAN, tiny_config
from tgap.explain.answer_flow import AnswerFlow
from tgap.scorer import Query


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(1, 3), flows=st.booleans())
def test_shares_are_those_of_full_enumeration(seed: int, steps: int, flows: bool) -> None:
    explainer = tiny_explainer(seed, steps, flows, entities=4, facts=7)
    graph = explainer.graph
    trace = explainer.trace(Query(seed % 4, 0, 3))
    for answer in np.flatnonzero(trace.scores).tolist():
        flow = AnswerFlow.of(graph, trace, answer)
        edges: list[dict[int, float]] = [defaultdict(float) for _ in trace.steps]
        entities: list[dict[int, float]] = [defaultdict(float) for _ in range(steps + 1)]
        facts: dict[int, float] = defaultdict(float)
        for walk, end, weight in every_walk(trace):
            if end != answer:
                continue
            share = weight / float(trace.scores[answer])
            entities[0][trace.query.subject] += share
            for step, edge in enumerate(walk):
                edges[step][edge] += share
                entities[step + 1][int(graph.neighbour[edge])] += share
                facts[int(graph.fact[edge])] += share / steps
        for step, record in enumerate(trace.steps):
            expected = [edges[step][edge] for edge in record.edge.tolist()]
            assert flow.edges[step] == pytest.approx(expected, abs=1e-6)
        for column, held in enumerate(flow.entities):
            assert held == pytest.approx([entities[column][node] for node in range(4)], abs=1e-6)
        assert flow.facts == pytest.approx([facts[fact] for fact in range(graph.num_facts)], abs=1e-6)
        assert flow.self_loops == pytest.approx(facts[-1], abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_nothing_is_lost(seed: int) -> None:
    explainer = tiny_explainer(seed)
    trace = explainer.trace(Query(0, 1, 4))
    for answer in np.flatnonzero(trace.scores).tolist():
        flow = AnswerFlow.of(explainer.graph, trace, answer)
        for share in (*flow.edges, *flow.entities):
            assert share.sum() == pytest.approx(1.0, abs=1e-5)
        assert flow.entities[0][0] == 1.0
        assert flow.entities[-1][answer] == pytest.approx(1.0, abs=1e-5)
        moved = 1.0 - flow.self_loops
        times, by_time = flow.by_time()
        assert np.all(np.diff(times) > 0)
        for parts in (flow.facts, flow.by_relation(), by_time):
            assert parts.sum() == pytest.approx(moved, abs=1e-5)


@pytest.mark.parametrize("name", sorted(NAMED))
def test_relations_and_times_are_sums_over_facts(name: str) -> None:
    graph = NAMED[name]()
    trace = OracleExplainer(graph, tiny_config(), NAMED_SPAN).trace(Query(0, 0, 4))
    flow = AnswerFlow.of(graph, trace, int(trace.scores.argmax()))
    relations = np.zeros(graph.num_relations)
    times: dict[int, float] = defaultdict(float)
    for fact, share in enumerate(flow.facts.tolist()):
        edge = min(graph.fact_edge[graph.fact_row[fact] : graph.fact_row[fact + 1]], key=lambda e: graph.relation[e])
        relations[graph.relation[edge]] += share
        times[int(graph.time[edge])] += share
    assert flow.by_relation() == pytest.approx(relations)
    found = dict(zip(*(part.tolist() for part in flow.by_time()), strict=True))
    assert found == pytest.approx({time: share for time, share in times.items() if share > 0})


def test_the_strongest_facts_fall_in_share() -> None:
    explainer = tiny_explainer(5)
    trace = explainer.trace(Query(0, 1, 4))
    flow = AnswerFlow.of(explainer.graph, trace, int(trace.scores.argmax()))
    every = flow.strongest_facts(1000)
    assert np.all(np.diff(flow.facts[every]) <= 0)
    assert set(every.tolist()) == set(np.flatnonzero(flow.facts).tolist())
    assert flow.strongest_facts(2).tolist() == every[:2].tolist()


def test_an_answer_out_of_reach_has_no_flow() -> None:
    graph = NAMED["lonely_entity"]()
    trace = OracleExplainer(graph, tiny_config(), NAMED_SPAN).trace(Query(0, 0, 4))
    flow = AnswerFlow.of(graph, trace, 2)
    assert flow.mass == 0
    assert all(not share.any() for share in (*flow.edges, *flow.entities, flow.facts))
    assert len(flow.strongest_facts(5)) == 0
