"""A forecast sees nothing from its own time on: not in scores, features, losses or gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.tiny_models import batch_of, loss_and_gradients, model_of, scores_of
from tests.oracle import Oracle
from tests.tiny import random_parameters, tiny_config, tiny_graph, variants
from tgap.graph import TemporalGraph
from tgap.graph.task import FORECAST
from tgap.scorer import IntArray

SPAN = 12
ENTITIES, RELATIONS = 8, 3
WIDE: dict[str, Any] = {
    "core_nodes": 50,
    "sampled_edges": 500,
    "added_edges": 500,
}  # nothing is sampled: numbers of edges do not matter
VARIANTS = {name: config.replace(**WIDE) for name, config in variants().items()}


def facts_of(graph: TemporalGraph) -> IntArray:
    """[F, 4] the facts of a graph, copies among them."""
    plain = np.flatnonzero(graph.relation < graph.num_relations)
    columns = (graph.source, graph.relation, graph.neighbour, graph.time)
    return np.stack([column[plain].astype(np.int64) for column in columns], axis=1)


def graph_from(facts: IntArray) -> TemporalGraph:
    return TemporalGraph.build(ENTITIES, RELATIONS, *facts.T)


def cut(graph: TemporalGraph, time: int) -> TemporalGraph:
    """The graph of the facts before a time, made by hand."""
    facts = facts_of(graph)
    return graph_from(facts[facts[:, 3] < time])


@pytest.mark.parametrize("kernels", ["compiled", "reference"])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_forecast_is_the_oracles_answer_on_a_graph_cut_by_hand(name: str, kernels: str) -> None:
    config, graph = VARIANTS[name], tiny_graph(5, entities=ENTITIES, relations=RELATIONS, span=SPAN)
    parameters = random_parameters(config, ENTITIES, RELATIONS, SPAN, 2)
    queries = [(0, 1, 4), (3, 0, 9), (3, 4, 9), (5, 2, 0), (1, 5, SPAN + 2)]
    model = model_of(config, graph, SPAN, parameters, kernels)
    scores = scores_of(model, batch_of(*queries), view=FORECAST.limits)
    for row, (subject, relation, time) in zip(scores, queries, strict=True):
        oracle = Oracle(config, parameters, cut(graph, time), 0, SPAN, None, 0)
        np.testing.assert_allclose(row, oracle.run(subject, relation, time).scores, rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 500), other=st.integers(501, 1000), time=st.integers(0, SPAN), at_all=st.booleans())
def test_the_present_and_the_future_change_nothing(seed: int, other: int, time: int, at_all: bool) -> None:
    """Loss and every gradient are the same whatever happens on the day of the question and after it."""
    config = tiny_config(**WIDE)
    facts = facts_of(tiny_graph(seed, entities=ENTITIES, relations=RELATIONS, span=SPAN))
    later = facts_of(tiny_graph(other, entities=ENTITIES, relations=RELATIONS, span=SPAN))
    past, news = facts[facts[:, 3] < time], later[later[:, 3] >= time]
    parameters = random_parameters(config, ENTITIES, RELATIONS, SPAN, 4)
    queries, answers = batch_of((0, 1, time), (0, 1, time), (2, 4, time)), [3, 4, 1]
    found = []
    for graph in (graph_from(facts), graph_from(np.concatenate([past, news]) if at_all else past)):
        model = model_of(config, graph, SPAN, parameters)
        found.append(loss_and_gradients(model, queries, answers, FORECAST.limits, seed=1))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-12)
    for name, gradient in found[0][1].items():
        np.testing.assert_allclose(gradient, found[1][1][name], rtol=1e-9, atol=1e-12, err_msg=name)


def test_a_batch_of_several_days_is_each_day_by_itself() -> None:
    config, graph = tiny_config(), tiny_graph(9, entities=ENTITIES, relations=RELATIONS, span=SPAN)
    model = model_of(config, graph, SPAN, random_parameters(config, ENTITIES, RELATIONS, SPAN, 1))
    queries = [(0, 1, 11), (3, 0, 2), (3, 4, 7), (0, 1, 2)]
    together = scores_of(model, batch_of(*queries), view=FORECAST.limits)
    for row, query in zip(together, queries, strict=True):
        alone = scores_of(model, batch_of(query), view=FORECAST.limits)[0]
        np.testing.assert_allclose(row, alone, rtol=1e-12)


def test_a_model_walks_another_graph_with_the_same_parameters() -> None:
    config, graph = tiny_config(**WIDE), tiny_graph(3, entities=ENTITIES, relations=RELATIONS, span=SPAN)
    parameters = random_parameters(config, ENTITIES, RELATIONS, SPAN, 8)
    short = cut(graph, 6)
    model = model_of(config, graph, SPAN, parameters)
    moved, fresh = model.on(short), model_of(config, short, SPAN, parameters)
    query = batch_of((1, 2, 8))
    np.testing.assert_array_equal(scores_of(moved, query), scores_of(fresh, query))
    assert model.graph is graph
    grown = model.on(tiny_graph(3, entities=ENTITIES + 1, relations=RELATIONS, span=SPAN))
    assert [len(one.entity) for one in (model, grown)] == [ENTITIES, ENTITIES + 1]
    model.entity.data.mul_(2)  # what the one learns the other knows
    assert not np.array_equal(scores_of(moved, query), scores_of(fresh, query))
