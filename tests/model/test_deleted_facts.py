"""An answer depends on the facts that are seen, not on how the others were taken away: hidden, or never there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.model.tiny_models import batch_of, model_of
from tests.tiny import from_facts, random_parameters, tiny_config, tiny_graph
from tgap.config import EvaluationConfig
from tgap.graph import TemporalGraph, View
from tgap.model.scorer import TGAPScorer
from tgap.scorer import FloatArray

SPAN, ENTITIES = 12, 10
NARROW: dict[str, Any] = {"core_nodes": 2, "sampled_edges": 2, "added_edges": 4}
QUERIES = batch_of((0, 1, 6), (3, 0, 6), (7, 4, 6), (2, 5, 6))


def without(graph: TemporalGraph, facts: list[int]) -> TemporalGraph:
    """The graph of the facts that are left."""
    gone = set(facts)
    edges = [
        int(edge)
        for fact in range(graph.num_facts)
        if fact not in gone
        for edge in graph.fact_edge[graph.fact_row[fact] : graph.fact_row[fact + 1]]
        if graph.relation[edge] < graph.num_relations
    ]
    columns = (getattr(graph, name)[edges].tolist() for name in ("source", "relation", "neighbour", "time"))
    return from_facts(graph.num_entities, graph.num_relations, list(zip(*columns, strict=True)))


def scores(graph: TemporalGraph, view: View, evaluation: EvaluationConfig, seed: int) -> FloatArray:
    config = tiny_config(**NARROW)
    parameters = random_parameters(config, ENTITIES, 3, SPAN, seed)
    return TGAPScorer(model_of(config, graph, SPAN, parameters), evaluation).score(QUERIES, view)


@pytest.mark.parametrize("hub_edges", [0, 3])
@pytest.mark.parametrize("seed", range(6))
def test_hidden_facts_and_facts_that_were_never_there_give_the_same_bits(seed: int, hub_edges: int) -> None:
    graph = tiny_graph(seed, entities=ENTITIES, facts=60, span=SPAN)
    evaluation = EvaluationConfig(hub_edges=hub_edges)
    gone = np.random.default_rng(seed).choice(graph.num_facts, 9, replace=False).tolist()
    hidden = scores(graph, View.all().without(gone), evaluation, seed)
    assert not np.array_equal(hidden, scores(graph, View.all(), evaluation, seed)), "the facts matter"
    np.testing.assert_array_equal(hidden, scores(without(graph, gone), View.all(), evaluation, seed))


@pytest.mark.parametrize("hub_edges", [0, 3])
def test_a_forecast_does_not_depend_on_the_future(hub_edges: int) -> None:
    graph = tiny_graph(8, entities=ENTITIES, facts=60, span=SPAN)
    times = graph.time[graph.fact_edge[graph.fact_row[:-1]]]
    past = without(graph, np.flatnonzero(times >= 6).tolist())
    evaluation = EvaluationConfig(hub_edges=hub_edges)
    wanted = scores(past, View.all().before_query(), evaluation, 1)
    np.testing.assert_array_equal(scores(graph, View.all().before_query(), evaluation, 1), wanted)


@pytest.mark.parametrize(("hub_edges", "same"), [(0, True), (2, False)])
def test_the_seed_decides_nothing_unless_hubs_are_sampled(hub_edges: int, same: bool) -> None:
    graph = tiny_graph(2, entities=ENTITIES, facts=80, span=SPAN)
    found = [scores(graph, View.all(), EvaluationConfig(hub_edges=hub_edges, sampling_seed=seed), 2) for seed in (0, 1)]
    assert np.array_equal(found[0], found[1]) is same
