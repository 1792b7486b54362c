"""The compiled kernels as differentiable torch operations: shapes and buffers here, arithmetic in the kernels.

``gather`` is the message passing of PGNN and SGNN on factored tables; ``flow_step`` and its kin move mass. Work is cut
into as many chunks as there are threads, by estimated cost and always the same way, and buffers that several
chunks add to are summed in order: the same inputs give the same bits.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from tgap.kernels import compiled_flow, compiled_flow_backward, compiled_messages
from tgap.kernels.clock import Clock
from tgap.kernels.compiled_flow import FlowShape, Keys, Workspace
from tgap.kernels.compiled_messages import MessageShape
from tgap.kernels.layout import Lanes
from tgap.kernels.structure import EdgeSet, Roads, Walkers
from tgap.kernels.threads import num_threads, run_chunks

Array = NDArray[Any]


def _flat(tensor: Tensor) -> Array:
    """The tensor's numbers as a flat array, without a copy where possible."""
    return tensor.detach().contiguous().numpy().reshape(-1)


def _even_cuts(cumulative: NDArray[np.int64], chunks: int) -> list[int]:
    """Row numbers that cut rows with cumulative cost into chunks of about equal cost."""
    goals = np.linspace(0, cumulative[-1], chunks + 1)[1:-1]
    inner = np.searchsorted(cumulative, goals)
    return [0, *(int(cut) for cut in inner), len(cumulative) - 1]


class _Gather(torch.autograd.Function):
    """out_j = sum of softmax(act(u_j . m_e)) m_e over the edges into j, with m = A + B + C."""

    @staticmethod
    def forward(ctx: Any, u: Tensor, a: Tensor, b: Tensor, c: Tensor, edges: EdgeSet, clock: Clock, lanes: Lanes,
                slope: float) -> Tensor:  # fmt: skip
        incoming = edges.incoming
        _, signs, n = b.shape
        shape = MessageShape(
            row=n,
            source_signs=a.shape[1],
            signs=signs,
            buckets=c.shape[0],
            loop=edges.loop,
            origin=edges.origin,
            exact=clock.exact,
            slope=slope,
        )
        targets = edges.num_targets
        tables = [_flat(tensor) for tensor in (u, a, b, c)]
        dtype = tables[0].dtype
        out = torch.empty((targets, n), dtype=u.dtype)
        score = np.empty(edges.num_edges * lanes.width, dtype)
        top, inverse = np.empty(targets * lanes.width, dtype), np.empty(targets * lanes.width, dtype)
        cost = incoming.pair_edge[incoming.pair_row] + np.arange(targets + 1)
        cuts = _even_cuts(cost, num_threads())
        out_flat = _flat(out)

        degree = int(np.diff(incoming.pair_edge[incoming.pair_row]).max(initial=0))
        desk_size = (b.shape[0], c.shape[0], signs, degree, lanes.width, dtype)

        def kernel(chunk: int) -> None:
            desk = compiled_messages.desk(False, *desk_size)
            compiled_messages.gather_forward(
                cuts[chunk], cuts[chunk + 1], incoming, clock.bounds, shape, lanes.tuple, *tables, out_flat, score, top,
                inverse, desk,
            )  # fmt: skip

        run_chunks(kernel, len(cuts) - 1)
        ctx.save_for_backward(u, a, b, c, out)
        ctx.rest = (incoming, clock.bounds, shape, lanes, score, top, inverse, cuts, desk_size)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_out: Tensor) -> tuple[Any, ...]:
        u, a, b, c, out = ctx.saved_tensors
        incoming, bounds, shape, lanes, score, top, inverse, cuts, desk_size = ctx.rest
        chunks = len(cuts) - 1
        grad = _flat(d_out)
        tables = [_flat(tensor) for tensor in (u, a, b, c)]
        d_u, d_a = torch.empty(u.shape, dtype=u.dtype), torch.empty(a.shape, dtype=a.dtype)
        d_b = torch.zeros((chunks, *b.shape), dtype=b.dtype)
        d_c = torch.zeros((chunks, *c.shape), dtype=c.dtype)
        pairs = len(incoming.pair_source)
        coefficient = np.empty(pairs * shape.source_signs * 2 * lanes.width, grad.dtype)
        d_u_flat, d_a_flat = _flat(d_u), _flat(d_a)
        source_cuts = _even_cuts(incoming.source_row + np.arange(len(incoming.source_row)), chunks)

        def rows(chunk: int) -> None:
            desk = compiled_messages.desk(True, *desk_size)
            compiled_messages.gather_backward(
                cuts[chunk], cuts[chunk + 1], incoming, bounds, shape, lanes.tuple, *tables, _flat(out), score, top,
                inverse, grad, d_u_flat, _flat(d_b[chunk]), _flat(d_c[chunk]), coefficient, desk,
            )  # fmt: skip

        def sources(chunk: int) -> None:
            compiled_messages.gather_sources(
                source_cuts[chunk], source_cuts[chunk + 1], incoming, shape, lanes.tuple, tables[0], grad, coefficient,
                d_a_flat,
            )  # fmt: skip

        run_chunks(rows, chunks)
        run_chunks(sources, chunks)
        return d_u, d_a, _sum_chunks(d_b), _sum_chunks(d_c), None, None, None, None


def _sum_chunks(buffers: Tensor) -> Tensor:
    """Sum over the first axis in order, into its first entry."""
    result = buffers[0]
    for buffer in buffers[1:]:
        result += buffer
    return result


def gather(
    u: Tensor, a: Tensor, b: Tensor, c: Tensor, edges: EdgeSet, clock: Clock, lanes: Lanes, slope: float
) -> Tensor:
    """[M, n] aggregate from tables in lane layout.

    Shapes: u [M, n], a [sources, S or 1, n], b [2R+1, S, n], c [D, S, n].
    """
    result: Tensor = _Gather.apply(u, a, b, c, edges, clock, lanes, slope)  # type: ignore[no-untyped-call]
    return result


@dataclass(frozen=True)
class FlowInput:
    """What a flow step reads besides tensors."""

    walkers: Walkers
    roads: Roads
    clock: Clock
    lanes: Lanes
    flows: int  # H
    loop: int
    slope: float

    @property
    def num_queries(self) -> int:
        """B."""
        return len(self.walkers.origin)

    def shape(self, n: int) -> FlowShape:
        """Numbers for the kernels; ``n`` is the row length."""
        return FlowShape(n, self.flows, self.loop, self.clock.buckets, self.clock.exact, self.slope)

    def chunks(self) -> list[NDArray[np.int64]]:
        """Queries of each chunk: the dearest first, each to the chunk with least work (ties: the first)."""
        walkers, count = self.walkers, num_threads()
        degree = np.diff(self.roads.row)
        total = np.concatenate([[0], np.cumsum(degree[walkers.sub_node])])
        cost = np.diff(total[walkers.sub_row]) + np.diff(walkers.mass_row)
        load = [0] * count
        members: list[list[int]] = [[] for _ in range(count)]
        for query in np.argsort(-cost, kind="stable"):
            lightest = load.index(min(load))
            load[lightest] += int(cost[query]) + 1
            members[lightest].append(int(query))
        return [np.array(sorted(part), dtype=np.int64) for part in members if part]


class _Spaces:
    """Workspaces by size, lent to one chunk at a time."""

    def __init__(self) -> None:
        self._free: dict[tuple[Any, ...], list[Workspace]] = {}
        self._lock = threading.Lock()

    def lend(self, given: FlowInput, relations: int, dtype: np.dtype[Any]) -> tuple[tuple[Any, ...], Workspace]:
        """A workspace and the key to give it back with."""
        degree = int(np.diff(given.roads.row).max(initial=1))
        entities = len(given.roads.row) - 1
        key = (entities, relations, given.clock.buckets, degree, given.lanes.width, dtype)
        with self._lock:
            if self._free.get(key):
                return key, self._free[key].pop()
        return key, compiled_flow.workspace(*key)

    def take_back(self, key: tuple[Any, ...], space: Workspace) -> None:
        """Return a workspace; those of other sizes are dropped, so memory stays bounded."""
        with self._lock:
            if key not in self._free and len(self._free) >= 4:
                self._free.pop(next(iter(self._free)))
            self._free.setdefault(key, []).append(space)


_spaces = _Spaces()


@dataclass
class Recording:
    """Where a step writes the attention of edges: entry m of the mass list from start[m] on (-1: nowhere)."""

    start: NDArray[np.int64]  # [M]
    mean: Array  # [room]
    full: Array  # [room * W], or empty


@dataclass
class MassLists:
    """The new mass of each query."""

    row: NDArray[np.int64]  # [B+1]
    node: NDArray[np.int32]  # [M]


class _FlowStep(torch.autograd.Function):
    """a^(t) from a^(t-1); the entities of the new lists go into ``lists``."""

    @staticmethod
    def forward(ctx: Any, mass: Tensor, u: Tensor, g: Tensor, h: Tensor, relation: Tensor, time: Tensor,
                given: FlowInput, recording: Recording, lists: MassLists) -> Tensor:  # fmt: skip
        walkers, roads, lanes = given.walkers, given.roads, given.lanes
        keys = Keys(*(_flat(tensor) for tensor in (u, g, h, relation, time)))
        shape, parts = given.shape(u.shape[1]), given.chunks()
        # Room for each query's new list: every pair out of an entity with mass, at most all entities.
        pairs = np.diff(roads.pair_row)
        reach = np.concatenate([[0], np.cumsum(pairs[walkers.mass_node])])
        room = np.minimum(np.diff(reach[walkers.mass_row]), len(roads.row) - 1)
        start = np.concatenate([[0], np.cumsum(room)])
        node = np.empty(int(start[-1]), np.int32)
        flat = _flat(mass)
        value = np.empty(int(start[-1]) * lanes.width, flat.dtype)
        count = np.zeros(given.num_queries, np.int64)
        record = (recording.start, recording.mean, recording.full)

        def kernel(chunk: int) -> None:
            key, space = _spaces.lend(given, relation.shape[0], flat.dtype)
            compiled_flow.flow_forward(
                parts[chunk], walkers, roads, given.clock.bounds, shape, lanes.tuple, keys, space, flat, start, node,
                value, count, record,
            )  # fmt: skip
            _spaces.take_back(key, space)

        run_chunks(kernel, len(parts))
        lists.row = np.concatenate([[0], np.cumsum(count)])
        kept = [slice(int(begin), int(begin + length)) for begin, length in zip(start[:-1], count, strict=True)]
        lists.node = np.concatenate([node[part] for part in kept])
        table = value.reshape(-1, lanes.width)
        out = torch.from_numpy(np.concatenate([table[part] for part in kept]))
        ctx.save_for_backward(mass, u, g, h, relation, time)
        ctx.rest = (given, lists)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        given, lists = ctx.rest
        return (*_flow_backward(given, ctx.saved_tensors, lists.row, lists.node, grad), None, None, None)


def _flow_backward(
    given: FlowInput, tensors: tuple[Tensor, ...], out_row: NDArray[np.int64], out_node: NDArray[np.int32], grad: Tensor
) -> tuple[Tensor, ...]:
    """Gradients of (mass, u, g, h, relation, time) from the gradient at entities ``out_node``."""
    mass, u, g, h, relation, time = tensors
    walkers, lanes = given.walkers, given.lanes
    n = u.shape[1]
    keys = Keys(*(_flat(tensor) for tensor in (u, g, h, relation, time)))
    shape, parts = given.shape(n), given.chunks()
    d_mass, d_u, d_g = (
        torch.zeros(tensor.shape, dtype=tensor.dtype) for tensor in (mass, u, g)
    )  # contiguous, whatever the inputs are
    d_relation = torch.zeros((len(parts), *relation.shape), dtype=u.dtype)
    d_time = torch.zeros((len(parts), *time.shape), dtype=u.dtype)
    blocks = _HBlocks(walkers, parts, h)
    flat_mass, flat_grad = _flat(mass), _flat(grad)
    outputs = [_flat(tensor) for tensor in (d_mass, d_u, d_g)]

    def kernel(chunk: int) -> None:
        key, space = _spaces.lend(given, relation.shape[0], flat_mass.dtype)
        compiled_flow_backward.flow_backward(
            parts[chunk], walkers, given.roads, given.clock.bounds, shape, lanes.tuple, keys, space, flat_mass, out_row,
            out_node, flat_grad, outputs[0], (outputs[1], outputs[2], _flat(d_relation[chunk]), _flat(d_time[chunk])),
            _flat(blocks.buffer), blocks.shift,
        )  # fmt: skip
        _spaces.take_back(key, space)

    run_chunks(kernel, len(parts))
    return d_mass, d_u, d_g, blocks.sum(), _sum_chunks(d_relation), _sum_chunks(d_time)


class _HBlocks:
    """Buffers for the gradient of the h keys: one for each (chunk, group of equal time) that occurs.

    A batch of one day on two threads has two; a mixed batch barely more than one a day, since its queries are dealt to
    chunks but each chunk only touches the blocks of its own groups.
    """

    def __init__(self, walkers: Walkers, parts: list[NDArray[np.int64]], h: Tensor) -> None:
        first = walkers.place.min(axis=1, where=walkers.place >= 0, initial=h.shape[0])
        size = walkers.place.max(axis=1, initial=-1) - first + 1
        self._blocks: list[tuple[int, int, int]] = []  # (begin in the buffer, first row of h, rows)
        self.shift = np.zeros(len(walkers.origin), np.int64)
        begin = 0
        for part in parts:
            for group in np.unique(walkers.group[part]):
                members = part[walkers.group[part] == group]
                self.shift[members] = begin - int(first[group])
                self._blocks.append((begin, int(first[group]), int(size[group])))
                begin += int(size[group])
        self.buffer = torch.zeros((begin, h.shape[1]), dtype=h.dtype)
        self._shape = h.shape

    def sum(self) -> Tensor:
        """Gradient of h: the blocks added in order."""
        if all(size == self._shape[0] for _, _, size in self._blocks):  # one group: every block is all of h
            return _sum_chunks(self.buffer.view(-1, *self._shape))
        result = torch.zeros(self._shape, dtype=self.buffer.dtype)
        for begin, first, size in self._blocks:
            result[first : first + size] += self.buffer[begin : begin + size]
        return result


class _FlowToTargets(torch.autograd.Function):
    """Mean mass that arrives at given entities in the last step."""

    @staticmethod
    def forward(ctx: Any, mass: Tensor, u: Tensor, g: Tensor, h: Tensor, relation: Tensor, time: Tensor,
                given: FlowInput, target_row: NDArray[np.int64], target_node: NDArray[np.int32]) -> Tensor:  # fmt: skip
        keys = Keys(*(_flat(tensor) for tensor in (u, g, h, relation, time)))
        shape, parts = given.shape(u.shape[1]), given.chunks()
        flat = _flat(mass)
        out = np.zeros(len(target_node), flat.dtype)
        active = np.zeros(len(given.walkers.mass_node), np.uint8)

        def kernel(chunk: int) -> None:
            key, space = _spaces.lend(given, relation.shape[0], flat.dtype)
            compiled_flow.flow_to_targets(
                parts[chunk], given.walkers, given.roads, given.clock.bounds, shape, given.lanes.tuple, keys, space,
                flat, target_row, target_node, out, active,
            )  # fmt: skip
            _spaces.take_back(key, space)

        run_chunks(kernel, len(parts))
        ctx.save_for_backward(mass, u, g, h, relation, time)
        ctx.rest = (given, target_row, target_node)
        return torch.from_numpy(out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        given, target_row, target_node = ctx.rest
        every = (grad / given.flows)[:, None].expand(-1, given.lanes.width)
        return (*_flow_backward(given, ctx.saved_tensors, target_row, target_node, every), None, None, None)


def flow_step(tensors: tuple[Tensor, ...], given: FlowInput, recording: Recording) -> tuple[MassLists, Tensor]:
    """New mass lists [M', W] from (mass, u, g, h, relation, time) in lane layout."""
    lists = MassLists(np.empty(0, np.int64), np.empty(0, np.int32))
    mass: Tensor = _FlowStep.apply(*tensors, given, recording, lists)  # type: ignore[no-untyped-call]
    return lists, mass


def flow_to_targets(
    tensors: tuple[Tensor, ...], given: FlowInput, target_row: NDArray[np.int64], target_node: NDArray[np.int32]
) -> Tensor:
    """Mean mass of the targets [targets] after the last step."""
    result: Tensor = _FlowToTargets.apply(*tensors, given, target_row, target_node)  # type: ignore[no-untyped-call]
    return result


def flow_to_all(tensors: tuple[Tensor, ...], given: FlowInput) -> Tensor:
    """Mean mass of every entity [B, N] after the last step; no gradient."""
    mass, u, g, h, relation, time = tensors
    keys = Keys(*(_flat(tensor) for tensor in (u, g, h, relation, time)))
    shape, parts = given.shape(u.shape[1]), given.chunks()
    flat = _flat(mass)
    out = np.zeros((given.num_queries, len(given.roads.row) - 1), flat.dtype)

    def kernel(chunk: int) -> None:
        key, space = _spaces.lend(given, relation.shape[0], flat.dtype)
        compiled_flow.flow_to_all(
            parts[chunk],
            given.walkers,
            given.roads,
            given.clock.bounds,
            shape,
            given.lanes.tuple,
            keys,
            space,
            flat,
            out,
        )
        _spaces.take_back(key, space)

    run_chunks(kernel, len(parts))
    return torch.from_numpy(out)
