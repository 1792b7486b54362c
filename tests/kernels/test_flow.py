"""One step of the flow: three ways to ask for it agree, mass is kept, gradients are right, scratch is left clean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from tests.tiny import tiny_graph
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import visible_graph
from tgap.graph.subgraph import visible_adjacency
from tgap.kernels import flow_blocks, flow_rows, flows
from tgap.kernels.backend import FlowSettings, Recording
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.flow_autograd import NewMass
from tgap.kernels.flow_plan import FlowPlan
from tgap.kernels.flow_rows import ScoredRows
from tgap.kernels.flows import FlowTensors
from tgap.kernels.layout import Lanes
from tgap.kernels.structure import QueryState
from tgap.kernels.threads import num_threads, set_threads

FLOWS, SPAN = 3, 4
BUCKETS = DisplacementBuckets.of(SPAN, 2, 1)
LANES = Lanes(17, FLOWS)  # rows of two vectors, with zeros at their ends


@dataclass(frozen=True)
class Stage:
    """Two queries at different times on a graph of five entities, in the middle of their walks."""

    graph: TemporalGraph
    plan: FlowPlan
    tensors: tuple[Tensor, ...]  # mass, and the features that u, g, h and the shared table are
    lanes: Lanes = LANES

    def rows(self, tensors: tuple[Tensor, ...]) -> FlowTensors:
        """Features in lane layout."""
        return FlowTensors(tensors[0], *(self.lanes.spread(features) for features in tensors[1:]))

    def step(self, *tensors: Tensor, recording: Recording | None = None) -> tuple[NewMass, Tensor]:
        """One step from the given tensors."""
        return flows.flow_step(self.rows(tensors), self.plan, recording or self.recording)

    def to_targets(self, row: NDArray[np.int64], entity: NDArray[np.int32], *tensors: Tensor) -> Tensor:
        """Mass of the targets after a last step from the given tensors."""
        return flows.flow_to_targets(self.rows(tensors), self.plan, row, entity)

    @property
    def recording(self) -> Recording:
        """Record no edge."""
        return Recording(
            np.full(len(self.plan.state.mass_entity), -1, np.int64), np.zeros(0), np.zeros((0, self.lanes.width))
        )


def stage(seed: int = 0, hidden: int = 0) -> Stage:
    """The first query holds mass on 0, 2, 4 and has the subgraph 2, 3; the second holds all on 1, its subgraph."""
    graph = tiny_graph(seed, entities=5, relations=1, facts=9, span=SPAN)
    visible = visible_graph(graph, View.all().without(range(min(hidden, graph.num_facts))))
    state = QueryState(
        mass_row=np.array([0, 3, 4]),
        mass_entity=np.array([4, 0, 2, 1], np.int32),
        sub_row=np.array([0, 2, 3]),
        sub_entity=np.array([3, 2, 1], np.int32),
        origin=np.array([3, -1]),
        group=np.array([1, 0], np.int32),
        h_row=np.arange(10, dtype=np.int32).reshape(2, 5),
    )
    random = torch.Generator().manual_seed(seed)

    def normal(rows: int) -> Tensor:
        return torch.randn((rows, LANES.dimension), dtype=torch.float64, generator=random).requires_grad_()

    mass = torch.rand((4, LANES.width), dtype=torch.float64, generator=random)
    mass[:3] /= mass[:3].sum(0)
    mass[3] = 1
    mass[:, FLOWS:] = 0
    settings = FlowSettings(FLOWS, 1.0, 0.1, BUCKETS, graph.loop_relation, signed=True)
    plan = FlowPlan(state, visible_adjacency(visible), settings, LANES)
    tensors = (mass.requires_grad_(), normal(3), normal(3), normal(10), normal(3 + 2 * BUCKETS.count - 1))
    return Stage(graph, plan, tensors)


@pytest.mark.parametrize("hidden", [0, 4, 9])
def test_step_targets_and_all_tell_the_same(hidden: int) -> None:
    play = stage(1, hidden)
    lists, value = play.step(*play.tensors)
    entities = play.graph.num_entities
    mean = np.zeros((2, entities))
    for query in range(2):
        part = slice(int(lists.row[query]), int(lists.row[query + 1]))
        assert len(set(lists.entity[part].tolist())) == len(lists.entity[part])
        mean[query, lists.entity[part]] = value[part].sum(1).detach().numpy() / FLOWS
    np.testing.assert_allclose(mean.sum(1), 1, rtol=1e-12)
    np.testing.assert_allclose(
        flows.flow_to_all(play.rows(play.tensors), play.plan).numpy(), mean, rtol=1e-12, atol=1e-15
    )
    row, entity = np.array([0, 5, 10]), np.tile(np.arange(5, dtype=np.int32), 2)
    targets = play.to_targets(row, entity, *play.tensors)
    np.testing.assert_allclose(targets.detach().numpy().reshape(2, 5), mean, rtol=1e-12, atol=1e-15)
    assert (value[:, FLOWS:] == 0).all()


def test_an_entity_outside_the_subgraph_shares_its_mass_evenly() -> None:
    play = stage(2)
    state = play.plan.state
    start = np.full(len(state.mass_entity), -1, np.int64)
    start[1] = 0  # entity 0 of the first query has mass and no feature
    degree = int(play.graph.degree[0])
    recording = Recording(start, np.zeros(degree), np.zeros((degree, LANES.width)))
    play.step(*play.tensors, recording=recording)
    share = play.tensors[0][1].detach().numpy() / degree
    np.testing.assert_allclose(recording.full, np.tile(share, (degree, 1)), rtol=1e-12)
    np.testing.assert_allclose(recording.mean, share.sum() / FLOWS, rtol=1e-12)


ROWS = pytest.mark.parametrize("long", [0, 1000], ids=["every row short", "every row long"])


@ROWS
def test_gradcheck_of_a_step(long: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_rows, "LONG", long)
    play = stage(3, hidden=4)
    assert torch.autograd.gradcheck(lambda *tensors: play.step(*tensors)[1], play.tensors)


@ROWS
def test_a_row_may_be_scored_either_way(long: int, monkeypatch: pytest.MonkeyPatch) -> None:
    play = stage(6, hidden=2)
    row, entity = np.array([0, 2, 4]), np.array([1, 3, 0, 2], np.int32)

    def everything() -> list[Tensor]:
        _, value = play.step(*play.tensors)
        last = play.to_targets(row, entity, *play.tensors)
        grads = torch.autograd.grad(value.square().sum() + last.square().sum(), play.tensors)
        return [value.detach(), last.detach(), *grads, flows.flow_to_all(play.rows(play.tensors), play.plan)]

    mixed = everything()
    monkeypatch.setattr(flow_rows, "LONG", long)
    for one, other in zip(mixed, everything(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("targets", [[[0], [1]], [[2, 3, 4], []]])
def test_gradcheck_of_the_last_step(targets: list[list[int]]) -> None:
    play = stage(4)
    row = np.concatenate([[0], np.cumsum([len(some) for some in targets])])
    entity = np.array([one for some in targets for one in some], np.int32)
    assert torch.autograd.gradcheck(partial(play.to_targets, row, entity), play.tensors)


def test_a_step_leaves_no_trace_in_the_scratch_of_the_next() -> None:
    play = stage(5)

    def everything() -> list[Tensor]:
        lists, value = play.step(*play.tensors)
        grads = torch.autograd.grad(value.square().sum(), play.tensors)
        row, entity = np.array([0, 1, 2]), np.array([3, 0], np.int32)
        last = play.to_targets(row, entity, *play.tensors)
        more = torch.autograd.grad(last.sum(), play.tensors)
        everywhere = flows.flow_to_all(play.rows(play.tensors), play.plan)
        return [torch.from_numpy(lists.entity), value.detach(), *grads, last.detach(), *more, everywhere]

    first = everything()
    for _ in range(3):
        for got, wanted in zip(everything(), first, strict=True):
            assert torch.equal(got, wanted)


def crowd(seed: int, hidden: int, queries: int) -> Stage:
    """Queries of one time and one flow, with mass and subgraphs on few entities: they score rows together."""
    graph = tiny_graph(seed, entities=6, relations=2, facts=30, span=SPAN)
    visible = visible_graph(graph, View.all().without(range(hidden)))
    random = np.random.default_rng(seed)
    held = [random.permutation(6)[: random.integers(2, 6)] for _ in range(queries)]
    inside = [np.unique(np.concatenate([some[:2], random.permutation(6)[:2]])) for some in held]
    state = QueryState(
        mass_row=np.concatenate([[0], np.cumsum([len(some) for some in held])]),
        mass_entity=np.concatenate(held).astype(np.int32),
        sub_row=np.concatenate([[0], np.cumsum([len(some) for some in inside])]),
        sub_entity=np.concatenate(inside).astype(np.int32),
        origin=np.full(queries, 2),
        group=np.zeros(queries, np.int32),
        h_row=np.arange(6, dtype=np.int32).reshape(1, 6),
    )
    lanes = Lanes(17, 1)
    settings = FlowSettings(1, 1.0, 0.1, BUCKETS, graph.loop_relation, signed=False)
    plan = FlowPlan(state, visible_adjacency(visible), settings, lanes)
    sizes = len(state.sub_entity), len(state.sub_entity), 6, graph.loop_relation + 1 + BUCKETS.count
    numbers = torch.Generator().manual_seed(seed)
    rows = [torch.randn((size, 17), dtype=torch.float64, generator=numbers).requires_grad_() for size in sizes]
    mass = torch.rand((len(state.mass_entity), 1), dtype=torch.float64, generator=numbers).requires_grad_()
    return Stage(graph, plan, (mass, *rows), lanes)


def recorded(play: Stage) -> Recording:
    """Record the edges of every second entry."""
    degree = play.graph.degree[play.plan.state.mass_entity]
    start = np.cumsum(degree) - degree
    start[::2] = -1
    return Recording(start, np.zeros(int(degree.sum())), np.zeros((0, 1)))


@pytest.mark.parametrize("hidden", [0, 12])
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_that_queries_score_together_are_those_that_each_scores_alone(
    hidden: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = num_threads()
    set_threads(threads)
    monkeypatch.setattr(flow_rows, "LONG", 1000)
    play = crowd(7, hidden, queries=30)
    row, entity = np.arange(31), (np.arange(30) % 6).astype(np.int32)

    def everything() -> list[Tensor]:
        recording = recorded(play)
        _, value = play.step(*play.tensors, recording=recording)
        last = play.to_targets(row, entity, *play.tensors)
        grads = torch.autograd.grad(value.square().sum() + last.square().sum(), play.tensors)
        return [value.detach(), last.detach(), torch.from_numpy(recording.mean), *grads]

    together = everything()
    _, u, _, _, shared = play.rows(play.tensors)
    blocks = ScoredRows.of(u, shared, play.plan, np.zeros(len(u), np.int64)).blocks
    assert 6 >= len(np.unique(blocks.entity)) < len(blocks.entity), "rows with more queries than a block has room for"
    monkeypatch.setattr(flow_blocks, "SHARED", 100)
    alone = everything()
    set_threads(before)
    for one, other in zip(together, alone, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-13)


def test_gradcheck_of_rows_scored_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_rows, "LONG", 1000)
    monkeypatch.setattr(flow_blocks, "SHARED", 2)
    play = crowd(8, hidden=5, queries=3)
    assert torch.autograd.gradcheck(lambda *tensors: play.step(*tensors)[1], play.tensors)
    row, entity = np.arange(4), np.array([0, 3, 3], np.int32)
    assert torch.autograd.gradcheck(partial(play.to_targets, row, entity), play.tensors)
