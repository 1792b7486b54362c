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
from tgap.kernels import flows
from tgap.kernels.backend import Recording
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.flows import FlowInput, MassLists
from tgap.kernels.layout import Lanes
from tgap.kernels.structure import QueryState

FLOWS, SPAN = 3, 4
BUCKETS = DisplacementBuckets.of(SPAN, 2, 1)
LANES = Lanes(17, FLOWS)  # rows of two vectors, with zeros at their ends


@dataclass(frozen=True)
class Stage:
    """Two queries at different times on a graph of five entities, in the middle of their walks."""

    graph: TemporalGraph
    given: FlowInput
    tensors: tuple[Tensor, ...]  # mass, and the features that u, g, h and the shared table are

    def step(self, *tensors: Tensor, recording: Recording | None = None) -> tuple[MassLists, Tensor]:
        """One step from the given tensors."""
        return flows.flow_step(_rows(tensors), self.given, recording or self.recording)

    def to_targets(self, row: NDArray[np.int64], entity: NDArray[np.int32], *tensors: Tensor) -> Tensor:
        """Mass of the targets after a last step from the given tensors."""
        return flows.flow_to_targets(_rows(tensors), self.given, row, entity)

    @property
    def recording(self) -> Recording:
        """Record no edge."""
        return Recording(
            np.full(len(self.given.state.mass_entity), -1, np.int64), np.zeros(0), np.zeros((0, LANES.width))
        )


def _rows(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Features in lane layout."""
    return (tensors[0], *(LANES.spread(features) for features in tensors[1:]))


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
    given = FlowInput(state, visible_adjacency(visible), BUCKETS, LANES, FLOWS, graph.loop_relation, 0.1, signed=True)
    tensors = (mass.requires_grad_(), normal(3), normal(3), normal(10), normal(3 + 2 * BUCKETS.count - 1))
    return Stage(graph, given, tensors)


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
    np.testing.assert_allclose(flows.flow_to_all(_rows(play.tensors), play.given).numpy(), mean, rtol=1e-12, atol=1e-15)
    row, entity = np.array([0, 5, 10]), np.tile(np.arange(5, dtype=np.int32), 2)
    targets = play.to_targets(row, entity, *play.tensors)
    np.testing.assert_allclose(targets.detach().numpy().reshape(2, 5), mean, rtol=1e-12, atol=1e-15)
    assert (value[:, FLOWS:] == 0).all()


def test_an_entity_outside_the_subgraph_shares_its_mass_evenly() -> None:
    play = stage(2)
    state = play.given.state
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
    monkeypatch.setattr(flows, "_LONG", long)
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
        return [value.detach(), last.detach(), *grads, flows.flow_to_all(_rows(play.tensors), play.given)]

    mixed = everything()
    monkeypatch.setattr(flows, "_LONG", long)
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
        everywhere = flows.flow_to_all(_rows(play.tensors), play.given)
        return [torch.from_numpy(lists.entity), value.detach(), *grads, last.detach(), *more, everywhere]

    first = everything()
    for _ in range(3):
        for got, wanted in zip(everything(), first, strict=True):
            assert torch.equal(got, wanted)
