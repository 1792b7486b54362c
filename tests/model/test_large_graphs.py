"""Capped rows and lazy features: exact where nothing is cut, normalised and batch-independent where something is."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.config import EvaluationConfig
from tgap.graph import TemporalGraph, View
from tgap.graph.capping import Cap, capped_rows
from tgap.graph.resolve import VisibleGraph, visible_graph
from tgap.model.forward import ForwardPass
from tgap.model.scorer import TGAPScorer
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.scorer import Query, QueryBatch

Choice = Literal["uniform", "near"]
SPAN = 12
GRAPH = tiny_graph(3, facts=60)
QUERIES = QueryBatch(np.array([2, 0, 5]), np.array([1, 4, 2]), np.array([5, 3, 5]))
ANSWERS = np.array([1, 3, 2])
BASE = tiny_config()


def build(config: TGAPSettings, kernels: str = "compiled") -> TGAP:
    model = TGAP(config, GRAPH, SPAN, kernels=kernels).double()
    values = random_parameters(BASE, GRAPH.num_entities, GRAPH.num_relations, SPAN, seed=1)
    model.load_state_dict({name: torch.from_numpy(np.array(value)).double() for name, value in values.items()})
    return model


def results(config: TGAPSettings, kernels: str = "compiled") -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    model, view = build(config, kernels), View.all()
    scores = model.score(QUERIES, view, 0)
    loss = model.loss(QUERIES, ANSWERS, view, 0).value
    loss.backward()  # type: ignore[no-untyped-call]
    grads = [parameter.grad.to_dense().flatten() for parameter in model.parameters() if parameter.grad is not None]
    return scores, loss.detach(), torch.cat(grads)


@pytest.mark.parametrize(
    "values",
    [
        {"lazy": True},
        {"lazy": True, "sparse": True},
        {"walk_cap": 1000, "gather_cap": 1000},
        {"walk_cap": 1000, "gather_cap": 1000, "lazy": True, "cap_choice": "near"},
        {"lazy": True, "pgnn_layers": 0},
    ],
)
def test_nothing_changes_where_nothing_is_cut(values: dict[str, object]) -> None:
    config = BASE.replace(**values)
    if config.pgnn_layers == 0:
        plain = TGAP(config.replace(lazy=False), GRAPH, SPAN).double().score(QUERIES, View.all(), 0)
        lazy = TGAP(config, GRAPH, SPAN).double().score(QUERIES, View.all(), 0)
        torch.testing.assert_close(lazy, plain)
        return
    for found, wanted in zip(results(config), results(BASE), strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "values", [{"walk_cap": 4, "gather_cap": 3, "lazy": True}, {"walk_cap": 4, "cap_choice": "near"}, {"gather_cap": 3}]
)
def test_capped_kernels_agree_with_the_reference(values: dict[str, object]) -> None:
    config = BASE.replace(**values)
    compiled, reference = results(config), results(config, "reference")
    for found, wanted in zip(compiled, reference, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(compiled[0].sum(1), torch.ones(3, dtype=torch.float64))
    assert not torch.allclose(compiled[0], results(BASE)[0])


def test_a_capped_query_does_not_depend_on_its_batch() -> None:
    model = build(BASE.replace(walk_cap=4, gather_cap=3, lazy=True))
    together = model.score(QUERIES, View.all(), 0)
    for row in range(len(QUERIES)):
        alone = model.score(QUERIES.take(slice(row, row + 1)), View.all(), 0)
        torch.testing.assert_close(alone[0], together[row])


def only(edges: NDArray[np.int64]) -> VisibleGraph:
    """Nothing but the given edges: no view of the graph (an edge may be there without its inverse), but rows."""
    mask = np.zeros(GRAPH.num_edges, np.uint8)
    mask[edges] = 1
    total = np.concatenate([[0], np.cumsum(mask, dtype=np.int64)])
    degree, pair_count = (np.diff(total[row]).astype(np.int32) for row in (GRAPH.row, GRAPH.pair_edge))
    return VisibleGraph(GRAPH, mask, degree, pair_count)


def kept(visible: VisibleGraph, cap: Cap, time: int) -> NDArray[np.int64]:
    return capped_rows(visible, np.arange(GRAPH.num_entities), time, cap)[1]


@pytest.mark.parametrize("choice", ["uniform", "near"])
@pytest.mark.parametrize("hidden", [[], [0, 3, 7, 20]])
def test_features_are_normalised_over_the_kept_edges(choice: Choice, hidden: list[int]) -> None:
    capped, plain = build(BASE.replace(gather_cap=3, cap_choice=choice)), build(BASE)
    visible = visible_graph(GRAPH, View.all().without(hidden))
    edges = kept(visible, Cap(3, choice == "near", 6), 5)
    assert not np.isin(GRAPH.fact[edges], hidden).any()
    found, wanted = capped.features(5, visible, 6).h, plain.features(5, only(edges), 6).h
    whole = plain.features(5, visible, 6).h
    torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-12)
    assert not torch.allclose(found, whole)


@pytest.mark.parametrize("choice", ["uniform", "near"])
@pytest.mark.parametrize("hidden", [[], [0, 3, 7, 20]])
def test_a_step_is_normalised_over_the_kept_edges(choice: Choice, hidden: list[int]) -> None:
    config = BASE.replace(steps=1)
    capped, plain = build(config.replace(walk_cap=3, cap_choice=choice)), build(config)
    asked = QueryBatch(np.array([2, 5]), np.array([1, 2]), np.array([5, 5]))
    view = View.all().without(hidden)
    visible, cap = visible_graph(GRAPH, view), Cap(3, choice == "near", 6, step=1)
    features = [plain.features(5, visible)]
    found = capped.score(asked, view, 6, features)
    with torch.no_grad():
        wanted = ForwardPass(plain, asked, only(kept(visible, cap, 5)), 6, features).to_all()
    torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(found.sum(1), torch.ones(2, dtype=torch.float64))


def test_steps_and_times_see_different_edges_and_the_same_seed_the_same_bits() -> None:
    count = 300
    numbers = np.arange(count)
    star = TemporalGraph.build(count + 1, 1, 0 * numbers, 0 * numbers, numbers + 1, numbers % 12)
    config = BASE.replace(walk_cap=10, lazy=True, gather_cap=10)
    model = TGAP(config, star, SPAN).double()

    def edges_of_the_hub(time: int, seed: int) -> list[set[int]]:
        """Edges out of the hub in the first and the last step; in between its mass may all be at the leaves."""
        records = model.record(QueryBatch.of([Query(0, 0, time)]), View.all(), seed)
        adjacency = [records[0].adjacency, records[-1].adjacency]
        return [set(seen.edge[seen.row[0] : seen.row[1]].tolist()) for seen in adjacency]

    walked = edges_of_the_hub(5, 0)
    assert [len(edges) for edges in walked] == [10, 10]
    assert walked[0] != walked[1]
    assert walked == edges_of_the_hub(5, 0)
    assert walked[0] != edges_of_the_hub(6, 0)[0]
    assert walked[0] != edges_of_the_hub(5, 1)[0]
    one, two = (model.score(QueryBatch.of([Query(0, 0, 5)]), View.all(), 3) for _ in range(2))
    assert torch.equal(one, two)


@pytest.mark.parametrize("choice", ["uniform", "near"])
def test_a_cap_at_the_longest_row_changes_nothing_whatever_is_hidden(choice: Choice) -> None:
    longest = int(GRAPH.degree.max())
    config = BASE.replace(walk_cap=longest, gather_cap=longest, cap_choice=choice)
    whole, view = View.all(), View.all().without(range(0, GRAPH.num_facts, 2))
    torch.testing.assert_close(build(config).score(QUERIES, whole, 0), build(BASE).score(QUERIES, whole, 0))
    most = int(visible_graph(GRAPH, view).degree.max())  # rows are measured by what is visible of them
    assert most < longest
    config = config.replace(walk_cap=most, gather_cap=most)
    torch.testing.assert_close(build(config).score(QUERIES, view, 0), build(BASE).score(QUERIES, view, 0))


def test_a_trace_of_a_capped_model_sums_to_its_scores() -> None:
    model = build(BASE.replace(walk_cap=4, gather_cap=3, lazy=True))
    scorer = TGAPScorer(model, EvaluationConfig())
    trace = scorer.trace(Query(2, 1, 5))
    scores = scorer.score(QueryBatch.of([Query(2, 1, 5)]))[0]
    np.testing.assert_allclose(trace.scores, scores, rtol=1e-6)
    for step in trace.steps:
        np.testing.assert_allclose(step.attention.sum(0), 1, rtol=1e-5)
        assert (GRAPH.source[step.edge] == step.subject).all()
