"""What must hold of the oracle's subgraph: its limits, its ties, and what it depends on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle import (
    Oracle,
    edge_hash,
    edges_of,
    entity_hash,
    mean,
    step_key,
)
from tests.oracle_cases import SPAN, VARIANTS, build, whole
from tests.tiny import (
    random_parameters,
    star_hub,
    tiny_config,
    tiny_graph,
    zero_parameters,
)


@pytest.mark.parametrize("name", ["recommended", "paper", "narrow", "four_steps"])
def test_sampling_limits(name: str) -> None:
    config = VARIANTS[name]
    walker = build(config, tiny_graph(6, facts=40))
    result = walker.run(3, 4, 7)
    previous_edges: set[int] = set()
    previous_mass = {entity: float(entity == 3) for entity in walker.entities}
    for number, step in enumerate(result.steps, start=1):
        if number == config.steps:
            assert (step.core, step.candidates, step.added) == ([], [], [])
            assert step.features is step.flow_features
            assert set(step.edges) == previous_edges
            continue
        assert len(step.core) == min(config.core_nodes, sum(value > 0 for value in previous_mass.values()))
        best = sorted(previous_mass.values(), reverse=True)[: len(step.core)]
        assert [previous_mass[entity] for entity in step.core] == best
        for entity in step.core:
            own = [e for e in step.candidates if walker.edges[e].source == entity]
            assert len(own) == min(config.sampled_edges, len(walker.out_of[entity]))
        assert len(step.added) == min(config.added_edges, len(step.candidates))
        left = set(step.candidates) - set(step.added)
        worst = min(mean(step.attention[e]) for e in step.added)
        assert all(mean(step.attention[e]) <= worst for e in left)
        assert set(step.edges) == previous_edges | set(step.added)
        ends = {end for e in step.edges for end in (walker.edges[e].source, walker.edges[e].target)}
        assert set(step.entities) == set(step.features) == ends | {3}
        previous_edges = set(step.edges)
        previous_mass = {entity: mean(step.mass[entity]) for entity in walker.entities}


def test_ties_are_decided_by_hash() -> None:
    """With all parameters zero every edge of the hub ties, and so do the leaves that it feeds."""
    config = tiny_config(core_nodes=4, sampled_edges=6, added_edges=3, steps=3)
    graph = star_hub(12)
    for seed in range(5):
        walker = Oracle(config, zero_parameters(config, 13, 1, SPAN), graph, 0, SPAN, None, seed)
        result = walker.run(0, 0, 6)
        key = step_key(seed, 0, 0, 6, 1)
        edges = edges_of(graph)
        row = sorted(range(int(graph.row[1])), key=lambda e: edge_hash(key, edges[e]))
        assert result.steps[0].candidates == row[:6]
        assert result.steps[0].added == row[:3]
        key = step_key(seed, 0, 0, 6, 2)
        assert result.steps[1].core == sorted(range(13), key=lambda entity: entity_hash(key, entity))[:4]


def test_sample_depends_on_seed_and_question() -> None:
    config = tiny_config(sampled_edges=2, added_edges=2)
    parameters = zero_parameters(config, 13, 1, SPAN)

    def sample(seed: int, relation: int, time: int) -> frozenset[int]:
        walker = Oracle(config, parameters, star_hub(12), 0, SPAN, None, seed)
        return frozenset(walker.run(0, relation, time).steps[0].added)

    assert sample(1, 0, 6) == sample(1, 0, 6)
    assert len({sample(seed, 0, 6) for seed in range(8)}) > 2
    assert len({sample(1, 0, time) for time in range(8)}) > 2
    assert sample(1, 0, 6) != sample(1, 1, 6)


def test_hidden_edges_are_not_sampled() -> None:
    graph = star_hub(6)
    visible = np.ones(graph.num_edges, dtype=np.uint8)
    visible[[1, 2]] = 0
    config = whole(tiny_config())
    walker = Oracle(config, random_parameters(config, 7, 1, SPAN, 0), graph, 0, SPAN, visible, 0)
    result = walker.run(0, 0, 3)
    assert not {1, 2} & set(result.steps[0].candidates)
    assert not {1, 2} & set(result.steps[0].transition)


def test_handed_in_subgraph_replaces_sampling() -> None:
    walker = build(tiny_config(), tiny_graph(8))
    free = walker.run(1, 0, 3)
    again = walker.run(1, 0, 3, subgraphs=free.subgraphs)
    np.testing.assert_array_equal(free.scores, again.scores)
    other = walker.run(1, 0, 3, subgraphs=[[], [], []])
    assert [step.entities for step in other.steps] == [[1], [1], [1]]
    assert other.steps[0].candidates == free.steps[0].candidates


def test_unlimited_sampling_still_differs_from_no_subgraph() -> None:
    """Without subgraph every row is scored; with one, rows that nothing has joined yet stay uniform."""
    graph = tiny_graph(9)
    limited = build(whole(tiny_config()), graph).run(1, 0, 3)
    free = build(tiny_config(subgraph=False), graph).run(1, 0, 3)
    assert set(free.steps[0].flow_features) == set(range(8))
    assert set(limited.steps[0].flow_features) == {1}
    np.testing.assert_array_equal(limited.h, free.h)
    np.testing.assert_array_equal(limited.q, free.q)
