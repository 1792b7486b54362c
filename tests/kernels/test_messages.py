"""Attention over messages: compiled and reference alike on empty rows, single edges, any order; gradients checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.tiny import tiny_graph
from tgap.graph import View
from tgap.graph.resolve import visible_graph
from tgap.graph.subgraph import compact_edge_set, whole_edge_set
from tgap.kernels import backend, messages, num_threads, set_threads
from tgap.kernels.backend import AttentionSettings, AttentionWeights
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.layout import Lanes
from tgap.kernels.structure import EdgeSet

WIDTH, HEADS, LOOP, SPAN = 7, 3, 4, 6
BUCKETS = DisplacementBuckets.of(SPAN, 4, 2)
SETTINGS = AttentionSettings(heads=HEADS, scale=0.7, slope=0.1, buckets=BUCKETS)
Edges = list[tuple[int, int, int, int]]  # (source, relation, target, dt)


@dataclass(frozen=True)
class Inputs:
    """Everything that ``attend`` differentiates."""

    target: Tensor
    source: Tensor
    weights: AttentionWeights
    relation: Tensor
    displacement: Tensor

    @property
    def tensors(self) -> list[Tensor]:
        weights = self.weights
        found = [self.target, self.source, self.relation, self.displacement, weights.message, weights.query]
        return found + [extra for extra in (weights.message_bias, weights.key) if extra is not None]


def inputs(targets: int, sources: int, seed: int = 0, full: bool = True) -> Inputs:
    random = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, dtype=torch.float64, generator=random).requires_grad_()

    weights = AttentionWeights(
        message=normal(3, WIDTH, WIDTH),
        message_bias=normal(3, WIDTH) if full else None,
        query=normal(WIDTH, WIDTH),
        key=normal(HEADS, 3, 3) if full else None,
    )
    return Inputs(
        normal(targets, WIDTH), normal(sources, WIDTH), weights, normal(5, WIDTH), normal(BUCKETS.count, WIDTH)
    )


def edge_set(edges: Edges, targets: int, sources: int) -> EdgeSet:
    """Edges in the given order within each target."""
    table = np.array(edges, np.int64).reshape(-1, 4)
    table = table[np.argsort(table[:, 2], kind="stable")]
    row = np.searchsorted(table[:, 2], np.arange(targets + 1)).astype(np.int64)
    return compact_edge_set(row, table[:, 0], table[:, 1].astype(np.int32), table[:, 3], 3, sources, LOOP)


def attend(kernels: str, given: Inputs, edges: EdgeSet) -> tuple[Tensor, list[Tensor]]:
    """Result and the gradients of a fixed weighted sum of it."""
    chosen = backend(kernels)
    maps = chosen.maps(given.weights, given.relation, given.displacement, SETTINGS)
    out = maps.tables(given.target, given.source).attend(edges)
    pull = torch.sin(torch.arange(out.numel(), dtype=torch.float64)).view_as(out)
    found = torch.autograd.grad((out * pull).sum(), given.tensors, allow_unused=True, materialize_grads=True)
    return out.detach(), list(found)


def assert_backends_agree(given: Inputs, edges: EdgeSet) -> Tensor:
    out, grads = attend("compiled", given, edges)
    wanted, wanted_grads = attend("reference", given, edges)
    torch.testing.assert_close(out, wanted, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(grads, wanted_grads, rtol=1e-9, atol=1e-11)
    return out


def random_edges(seed: int, count: int, targets: int, sources: int) -> Edges:
    random = np.random.default_rng(seed)
    bounds = [sources, LOOP + 1, targets, 2 * SPAN + 1]
    table = random.integers(0, bounds, size=(count, 4))
    table[:, 3] -= SPAN
    table[table[:, 1] == LOOP, 3] = 0
    return [(int(s), int(r), int(o), int(dt)) for s, r, o, dt in table]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 40), full=st.booleans())
def test_random_edges(seed: int, count: int, full: bool) -> None:
    assert_backends_agree(inputs(6, 4, seed, full), edge_set(random_edges(seed, count, 6, 4), 6, 4))


def test_a_target_without_edges_gets_zero_and_gives_no_gradient() -> None:
    given = inputs(4, 3)
    edges = edge_set([(0, 1, 1, -2), (2, 0, 1, 3)], 4, 3)
    out = assert_backends_agree(given, edges)
    assert (out[[0, 2, 3]] == 0).all()
    target_gradient = attend("compiled", given, edges)[1][0]
    assert (target_gradient[[0, 2, 3]] == 0).all()


def test_no_edges_at_all() -> None:
    assert (assert_backends_agree(inputs(3, 2), edge_set([], 3, 2)) == 0).all()


def test_one_edge_passes_its_message_whole() -> None:
    given = inputs(1, 1)
    out = assert_backends_agree(given, edge_set([(0, 2, 0, -5)], 1, 1))
    weights = given.weights
    assert weights.message_bias is not None
    row = int(BUCKETS.bucket(np.array([5]))[0])
    message = weights.message[0] @ (given.source[0] + given.relation[2] + given.displacement[row])
    torch.testing.assert_close(out[0], (message + weights.message_bias[0]).detach())


def test_the_order_of_edges_does_not_matter() -> None:
    given = inputs(3, 4)
    edges = random_edges(8, 30, 3, 4)
    shuffled = [edges[k] for k in np.random.default_rng(1).permutation(len(edges))]
    one, two = (attend("compiled", given, edge_set(some, 3, 4)) for some in (edges, shuffled))
    torch.testing.assert_close(one[0], two[0], rtol=1e-11, atol=1e-13)
    torch.testing.assert_close(one[1], two[1], rtol=1e-9, atol=1e-12)


def test_copies_of_an_edge_share_its_weight() -> None:
    given = inputs(1, 2)
    edges: Edges = [(0, 1, 0, 2)]
    single = attend("compiled", given, edge_set(edges, 1, 2))
    triple = attend("compiled", given, edge_set(edges * 3, 1, 2))
    torch.testing.assert_close(single[0], triple[0])
    torch.testing.assert_close(single[1], triple[1])


def test_great_scores_do_not_overflow() -> None:
    given = inputs(2, 3)
    with torch.no_grad():
        given.weights.query.mul_(1e4)
    edges = edge_set(random_edges(2, 12, 2, 3), 2, 3)
    out, grads = attend("compiled", given, edges)
    wanted, wanted_grads = attend("reference", given, edges)
    torch.testing.assert_close(out, wanted, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(grads, wanted_grads, rtol=1e-6, atol=1e-6)  # differences of equals, times 1e4


def test_the_whole_graph_with_hidden_facts() -> None:
    graph = tiny_graph(4, relations=2, span=SPAN)
    given = inputs(8, 8)
    inverse = graph.inverse(graph.relation).astype(np.int32)
    visible = visible_graph(graph, View.all().without(range(0, graph.num_facts, 2)))
    assert_backends_agree(given, whole_edge_set(visible, inverse, origin=3))


@pytest.mark.parametrize("threads", [1, 3, 7])
def test_chunks_change_nothing_but_rounding(threads: int) -> None:
    given = inputs(5, 4)
    edges = edge_set(random_edges(3, 25, 5, 4), 5, 4)
    before = num_threads()
    wanted = attend("reference", given, edges)
    try:
        set_threads(threads)
        got = attend("compiled", given, edges)
    finally:
        set_threads(before)
    torch.testing.assert_close(got[0], wanted[0], rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(got[1], wanted[1], rtol=1e-9, atol=1e-11)


# --------------------------------------------------------------------------------------------- the kernel's own tables

LANES = Lanes(17, HEADS)  # rows of two vectors, with zeros at their ends
SHORT = DisplacementBuckets.of(1, 1, 1)


def tables(targets: int, sources: int, blocks: int) -> list[Tensor]:
    """u, a, b, c, to be spread to lane layout."""
    random = torch.Generator().manual_seed(0)
    shapes = [(targets, 17), (sources, blocks, 17), (5, 3, 17), (SHORT.count, 3, 17)]
    return [(0.3 * torch.randn(shape, dtype=torch.float64, generator=random)).requires_grad_() for shape in shapes]


def gathered(edges: EdgeSet, u: Tensor, a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    return messages.gather(u, a, b, c, edges, SHORT, LANES, 0.1)


def test_gradcheck_with_a_source_row_for_each_sign() -> None:
    graph = tiny_graph(6, entities=2, relations=2, facts=5, span=3)
    edges = whole_edge_set(visible_graph(graph, View.all()), graph.inverse(graph.relation).astype(np.int32), origin=1)
    assert torch.autograd.gradcheck(lambda *given: gathered(edges, *map(LANES.spread, given)), tables(2, 2, blocks=3))


def test_gradcheck_with_source_rows_that_occur() -> None:
    edges = edge_set(random_edges(5, 6, 2, 2), 2, 2)
    assert edges.source_index is not None
    given = tables(2, len(edges.source_index), blocks=1)
    assert torch.autograd.gradcheck(lambda *some: gathered(edges, *map(LANES.spread, some)), given)


@pytest.mark.parametrize("which", [0, 1])
def test_tables_that_lie_column_by_column_get_the_same_gradient(which: int) -> None:
    edges = edge_set(random_edges(5, 8, 3, 3), 3, 3)
    assert edges.source_index is not None
    given = [LANES.spread(table).detach().requires_grad_() for table in tables(3, len(edges.source_index), blocks=1)]
    wanted = torch.autograd.grad(gathered(edges, *given).square().sum(), given)
    given[which] = given[which].detach().transpose(0, -1).contiguous().transpose(0, -1).requires_grad_()
    assert not given[which].is_contiguous()
    got = torch.autograd.grad(gathered(edges, *given).square().sum(), given)
    torch.testing.assert_close(got, wanted)
