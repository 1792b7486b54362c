"""Capped rows and lazy features: exact where nothing is cut, normalised and batch-independent where something is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.config import EvaluationConfig, ModelConfig
from tgap.graph import TemporalGraph, Visibility
from tgap.graph.capping import Cap, capped_roads, capped_rows
from tgap.model.scorer import TGAPScorer
from tgap.model.tgap import TGAP
from tgap.scorer import Query, QueryBatch

SPAN = 12
GRAPH = tiny_graph(3, facts=60)
QUERIES = QueryBatch(np.array([2, 0, 5]), np.array([1, 4, 2]), np.array([5, 3, 5]))
ANSWERS = np.array([1, 3, 2])
BASE = tiny_config()


def build(config: ModelConfig, kernels: str = "compiled") -> TGAP:
    model = TGAP(config, GRAPH, SPAN, kernels=kernels).double()
    values = random_parameters(BASE, GRAPH.num_entities, GRAPH.num_relations, SPAN, seed=1)
    model.load_state_dict({name: torch.from_numpy(np.array(value)).double() for name, value in values.items()})
    return model


def results(config: ModelConfig, kernels: str = "compiled") -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    model, view = build(config, kernels), Visibility(GRAPH)
    scores = model.score(QUERIES, view, 0)
    loss = model.loss(QUERIES, ANSWERS, view, 0).value
    loss.backward()  # type: ignore[no-untyped-call]
    grads = [parameter.grad.flatten() for parameter in model.parameters() if parameter.grad is not None]
    return scores, loss.detach(), torch.cat(grads)


@pytest.mark.parametrize(
    "values",
    [
        {"lazy": True},
        {"walk_cap": 1000, "gather_cap": 1000},
        {"walk_cap": 1000, "gather_cap": 1000, "lazy": True, "cap_choice": "near"},
        {"lazy": True, "pgnn_layers": 0},
    ],
)
def test_nothing_changes_where_nothing_is_cut(values: dict[str, object]) -> None:
    config = replace(BASE, **values)  # type: ignore[arg-type]
    if config.pgnn_layers == 0:
        plain = TGAP(replace(config, lazy=False), GRAPH, SPAN).double().score(QUERIES, Visibility(GRAPH), 0)
        lazy = TGAP(config, GRAPH, SPAN).double().score(QUERIES, Visibility(GRAPH), 0)
        torch.testing.assert_close(lazy, plain)
        return
    for found, wanted in zip(results(config), results(BASE), strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "values", [{"walk_cap": 4, "gather_cap": 3, "lazy": True}, {"walk_cap": 4, "cap_choice": "near"}, {"gather_cap": 3}]
)
def test_capped_kernels_agree_with_the_reference(values: dict[str, object]) -> None:
    config = replace(BASE, **values)  # type: ignore[arg-type]
    compiled, reference = results(config), results(config, "reference")
    for found, wanted in zip(compiled, reference, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(compiled[0].sum(1), torch.ones(3, dtype=torch.float64))
    assert not torch.allclose(compiled[0], results(BASE)[0])


def test_a_capped_query_does_not_depend_on_its_batch() -> None:
    model = build(replace(BASE, walk_cap=4, gather_cap=3, lazy=True))
    together = model.score(QUERIES, Visibility(GRAPH), 0)
    for row in range(len(QUERIES)):
        alone = model.score(QUERIES.take(slice(row, row + 1)), Visibility(GRAPH), 0)
        torch.testing.assert_close(alone[0], together[row])


@pytest.mark.parametrize("near", [False, True])
def test_capped_rows_keep_visible_edges_of_their_own(near: bool) -> None:
    view = Visibility(GRAPH)
    nodes = np.arange(GRAPH.num_entities)
    with view.hidden(np.array([0, 3, 7])):
        row, edge = capped_rows(view, nodes, 5, Cap(4, near, 1))
        assert (np.diff(row) >= 1).all()
        assert (np.diff(row) <= 4).all()
        assert view.mask[edge].all()
        assert (GRAPH.source[edge] == np.repeat(nodes, np.diff(row))).all()
        seen = capped_roads(view, nodes, 5, Cap(4, near, 1))
    assert (seen.edge == edge).all()
    assert seen.pair_count.sum() == len(edge)
    assert (seen.pair_neighbour == GRAPH.neighbour[edge[seen.pair_edge[:-1]]]).all()


def test_uniform_caps_are_uniform_and_near_caps_prefer_near() -> None:
    count = 400
    hub = TemporalGraph.build(
        2, 1, np.zeros(count, np.int64), np.zeros(count, np.int64), np.ones(count, np.int64), np.arange(count)
    )
    view, node = Visibility(hub), np.array([0])

    def mean_time(near: bool) -> float:
        kept = [capped_rows(view, node, 0, Cap(20, near, seed))[1] for seed in range(200)]
        edge = np.concatenate(kept)
        return float(hub.time[edge[hub.fact[edge] >= 0]].mean())

    assert abs(mean_time(False) - (count - 1) / 2) < 10
    assert mean_time(True) < 0.6 * mean_time(False)


def test_a_trace_of_a_capped_model_sums_to_its_scores() -> None:
    model = build(replace(BASE, walk_cap=4, gather_cap=3, lazy=True))
    scorer = TGAPScorer(model, EvaluationConfig())
    trace = scorer.trace(Query(2, 1, 5))
    scores = scorer.score(QueryBatch.of([Query(2, 1, 5)]))[0]
    np.testing.assert_allclose(trace.scores, scores, rtol=1e-6)
    for step in trace.steps:
        np.testing.assert_allclose(step.attention.sum(0), 1, rtol=1e-5)
        assert (GRAPH.source[step.edge] == step.subject).all()
