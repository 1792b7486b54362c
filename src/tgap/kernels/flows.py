"""The flow of attention as differentiable torch operations: shapes and buffers here, arithmetic in the kernels.

Long rows of the graph are scored against all relations and displacements by one matrix product (``_dense_scores``),
whose gradient torch finds by itself; the rest is the kernels'.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from tgap.kernels import compiled_flow, compiled_flow_backward
from tgap.kernels.backend import Recording
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.chunks import flat, sum_chunks
from tgap.kernels.compiled_flow import FlowScratch, FlowShape, Keys
from tgap.kernels.layout import Lanes, head_widths
from tgap.kernels.products import product
from tgap.kernels.structure import Adjacency, QueryState
from tgap.kernels.threads import num_threads, run_chunks

_LONG = 16  # a row of the graph is long if it has one edge for so many rows of the shared table


@dataclass(frozen=True)
class FlowInput:
    """What a flow step reads besides tensors."""

    state: QueryState
    adjacency: Adjacency
    buckets: DisplacementBuckets
    lanes: Lanes
    flows: int  # H
    loop: int
    slope: float
    signed: bool  # displacements before and after the query have rows of their own in the shared table
    own: tuple[Adjacency, ...] = ()  # see ``FlowBatch``

    def seen(self, queries: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], Adjacency]]:
        """Queries that a kernel can take together, and what they see: all of them, or one by one where that differs."""
        if not self.own:
            return [(queries, self.adjacency)]
        return [(queries[k : k + 1], self.own[query]) for k, query in enumerate(queries.tolist())]

    @property
    def num_queries(self) -> int:
        """B."""
        return len(self.state.origin)

    def shape(self, n: int) -> FlowShape:
        """Numbers for the kernels; ``n`` is the row length."""
        return FlowShape(n, self.flows, self.loop, self.signed, self.slope)

    def chunks(self) -> list[NDArray[np.int64]]:
        """Queries of each chunk: the dearest first, each to the chunk with least work (ties: the first)."""
        state, count = self.state, num_threads()
        degree = np.diff(self.adjacency.row)
        total = np.concatenate([[0], np.cumsum(degree[state.sub_entity])])
        cost = np.diff(total[state.sub_row]) + np.diff(state.mass_row)
        load = [0] * count
        members: list[list[int]] = [[] for _ in range(count)]
        for query in np.argsort(-cost, kind="stable"):
            lightest = load.index(min(load))
            load[lightest] += int(cost[query]) + 1
            members[lightest].append(int(query))
        return [np.array(sorted(part), dtype=np.int64) for part in members if part]


class _ScratchPool:
    """Scratch arrays by size, each set used by one chunk at a time."""

    def __init__(self) -> None:
        self._free: dict[tuple[Any, ...], list[FlowScratch]] = {}
        self._lock = threading.Lock()

    def acquire(self, given: FlowInput, shared: int, dtype: np.dtype[Any]) -> tuple[tuple[Any, ...], FlowScratch]:
        """Scratch arrays and the key to give them back with; ``shared``: rows of the shared table."""
        entities = len(given.adjacency.row) - 1
        degree, pairs = (int(np.diff(row).max(initial=1)) for row in (given.adjacency.row, given.adjacency.pair_row))
        key = (entities, shared, degree, pairs, given.flows, given.lanes.width, dtype)
        with self._lock:
            if self._free.get(key):
                return key, self._free[key].pop()
        return key, compiled_flow.flow_scratch(*key)

    def release(self, key: tuple[Any, ...], scratch: FlowScratch) -> None:
        """Return scratch arrays; those of other sizes are dropped, so memory stays bounded."""
        with self._lock:
            if key not in self._free and len(self._free) >= 4:
                self._free.pop(next(iter(self._free)))
            self._free.setdefault(key, []).append(scratch)


_pool = _ScratchPool()


class Dense(NamedTuple):
    """Products of u with the whole shared table, for the rows of the graph that are long."""

    score: Tensor  # [rows, S] or [rows, S, W]
    row: NDArray[np.int64]  # [Q] row of a subgraph entry, or -1


@dataclass
class MassLists:
    """The new mass of each query."""

    row: NDArray[np.int64]  # [B+1]
    entity: NDArray[np.int32]  # [M]


def _dense_scores(u: Tensor, shared: Tensor, given: FlowInput, wanted: NDArray[np.bool_] | None = None) -> Dense:
    """Products of u with the whole shared table for long rows (of the ``wanted`` subgraph entries; None: of all).

    A row of degree n meets at most 2 n of the S rows of the table, each at the price of a scattered read in the forward
    and an addition to scattered memory in the backward pass. Measured: from n = S / 16 on a product with all of them
    costs less.
    """
    long = np.diff(given.adjacency.row)[given.state.sub_entity] * _LONG >= len(shared)
    if wanted is not None:
        long &= wanted
    entries = np.flatnonzero(long)
    row = np.full(len(long), -1, np.int64)
    row[entries] = np.arange(len(entries))
    chosen = u.index_select(0, torch.from_numpy(entries))
    if given.flows == 1:
        return Dense(product(chosen, shared.T), row)
    positions = torch.split_with_sizes(given.lanes.position, head_widths(given.lanes.dimension, given.flows))
    each = [product(chosen[:, places], shared[:, places].T) for places in positions]
    each += [torch.zeros_like(each[0])] * (given.lanes.width - given.flows)
    return Dense(torch.stack(each, dim=2), row)


class _FlowStep(torch.autograd.Function):
    """a^(t) from a^(t-1); the entities of the new lists go into ``lists``."""

    @staticmethod
    def forward(ctx: Any, mass: Tensor, u: Tensor, g: Tensor, h: Tensor, shared: Tensor, dense: Tensor,
                given: FlowInput, dense_row: NDArray[np.int64], recording: Recording,
                lists: MassLists) -> Tensor:  # fmt: skip
        state, adjacency, lanes = given.state, given.adjacency, given.lanes
        keys = _keys((u, g, h, shared, dense), dense_row)
        shape, parts = given.shape(u.shape[1]), given.chunks()
        # Room for each query's new list: every pair out of an entity with mass, at most all entities.
        pairs = np.diff(adjacency.pair_row)
        reach = np.concatenate([[0], np.cumsum(pairs[state.mass_entity])])
        room = np.minimum(np.diff(reach[state.mass_row]), len(adjacency.row) - 1)
        start = np.concatenate([[0], np.cumsum(room)])
        entity = np.empty(int(start[-1]), np.int32)
        held = flat(mass)
        value = np.empty(int(start[-1]) * lanes.width, held.dtype)
        count = np.zeros(given.num_queries, np.int64)
        record = (recording.start, recording.mean, recording.full.reshape(-1))

        def kernel(chunk: int) -> None:
            key, scratch = _pool.acquire(given, len(shared), held.dtype)
            for queries, seen in given.seen(parts[chunk]):
                compiled_flow.flow_forward(
                    queries, state, seen, given.buckets.table, shape, lanes.tuple, keys, scratch, held, start,
                    entity, value, count, record,
                )  # fmt: skip
            _pool.release(key, scratch)

        run_chunks(kernel, len(parts))
        lists.row = np.concatenate([[0], np.cumsum(count)])
        kept = [slice(int(begin), int(begin + length)) for begin, length in zip(start[:-1], count, strict=True)]
        lists.entity = np.concatenate([entity[part] for part in kept])
        table = value.reshape(-1, lanes.width)
        out = torch.from_numpy(np.concatenate([table[part] for part in kept]))
        ctx.save_for_backward(mass, u, g, h, shared, dense)
        ctx.rest = (given, dense_row, lists)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        given, dense_row, lists = ctx.rest
        gradients = _flow_backward(given, ctx.saved_tensors, dense_row, lists.row, lists.entity, grad)
        return (*gradients, None, None, None, None)


def _keys(tensors: tuple[Tensor, ...], dense_row: NDArray[np.int64]) -> Keys:
    """(u, g, h, shared, dense) as the kernels read them."""
    u, g, h, shared, dense = (flat(tensor) for tensor in tensors)
    return Keys(u, g, h, shared, dense, dense_row)


def _flow_backward(
    given: FlowInput,
    tensors: tuple[Tensor, ...],
    dense_row: NDArray[np.int64],
    out_row: NDArray[np.int64],
    out_entity: NDArray[np.int32],
    grad: Tensor,
) -> tuple[Tensor, ...]:
    """Gradients of (mass, u, g, h, shared, dense) from the gradient at entities ``out_entity``."""
    assert not given.own, "in training all queries of a batch see the same"
    mass, u, g, h, shared, dense = tensors
    state, lanes = given.state, given.lanes
    keys = _keys(tensors[1:], dense_row)
    shape, parts = given.shape(u.shape[1]), given.chunks()
    d_mass, d_u, d_g, d_dense = (
        torch.zeros(tensor.shape, dtype=tensor.dtype) for tensor in (mass, u, g, dense)
    )  # contiguous, whatever the inputs are
    d_shared = torch.zeros((len(parts), *shared.shape), dtype=u.dtype)
    blocks = _HBlocks(state, parts, h)
    flat_mass, flat_grad = flat(mass), flat(grad)
    outputs = [flat(tensor) for tensor in (d_mass, d_u, d_g, d_dense)]

    def kernel(chunk: int) -> None:
        key, scratch = _pool.acquire(given, len(shared), flat_mass.dtype)
        compiled_flow_backward.flow_backward(
            parts[chunk], state, given.adjacency, given.buckets.table, shape, lanes.tuple, keys, scratch, flat_mass,
            out_row, out_entity, flat_grad, outputs[0],
            (outputs[1], outputs[2], flat(d_shared[chunk]), outputs[3]), flat(blocks.buffer), blocks.shift,
        )  # fmt: skip
        _pool.release(key, scratch)

    run_chunks(kernel, len(parts))
    return d_mass, d_u, d_g, blocks.sum(), sum_chunks(d_shared), d_dense


class _HBlocks:
    """Buffers for the gradient of the h keys: one for each (chunk, group of equal time) that occurs.

    A batch of one day on two threads has two; a mixed batch barely more than one per day, since its queries are dealt
    to chunks but each chunk only touches the blocks of its own groups.
    """

    def __init__(self, state: QueryState, parts: list[NDArray[np.int64]], h: Tensor) -> None:
        first = state.h_row.min(axis=1, where=state.h_row >= 0, initial=h.shape[0])
        size = state.h_row.max(axis=1, initial=-1) - first + 1
        self._blocks: list[tuple[int, int, int]] = []  # (begin in the buffer, first row of h, rows)
        self.shift = np.zeros(len(state.origin), np.int64)
        begin = 0
        for part in parts:
            for group in np.unique(state.group[part]):
                members = part[state.group[part] == group]
                self.shift[members] = begin - int(first[group])
                self._blocks.append((begin, int(first[group]), int(size[group])))
                begin += int(size[group])
        self.buffer = torch.zeros((begin, h.shape[1]), dtype=h.dtype)
        self._shape = h.shape

    def sum(self) -> Tensor:
        """Gradient of h: the blocks added in order."""
        if all(size == self._shape[0] for _, _, size in self._blocks):  # one group: every block is all of h
            return sum_chunks(self.buffer.view(-1, *self._shape))
        result = torch.zeros(self._shape, dtype=self.buffer.dtype)
        for begin, first, size in self._blocks:
            result[first : first + size] += self.buffer[begin : begin + size]
        return result


class _FlowToTargets(torch.autograd.Function):
    """Mean mass that arrives at given entities in the last step."""

    @staticmethod
    def forward(ctx: Any, mass: Tensor, u: Tensor, g: Tensor, h: Tensor, shared: Tensor, dense: Tensor,
                given: FlowInput, dense_row: NDArray[np.int64], targets: Targets) -> Tensor:  # fmt: skip
        keys = _keys((u, g, h, shared, dense), dense_row)
        shape, parts = given.shape(u.shape[1]), given.chunks()
        held = flat(mass)
        out = targets.out.copy()

        def kernel(chunk: int) -> None:
            key, scratch = _pool.acquire(given, len(shared), held.dtype)
            compiled_flow.flow_to_targets(
                parts[chunk], given.state, given.adjacency, given.buckets.table, shape, given.lanes.tuple, keys,
                scratch, held, targets.row, targets.entity, out, targets.active,
            )  # fmt: skip
            _pool.release(key, scratch)

        run_chunks(kernel, len(parts))
        ctx.save_for_backward(mass, u, g, h, shared, dense)
        ctx.rest = (given, dense_row, targets)
        return torch.from_numpy(out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        given, dense_row, targets = ctx.rest
        every = (grad / given.flows)[:, None].expand(-1, given.lanes.width)
        gradients = _flow_backward(given, ctx.saved_tensors, dense_row, targets.row, targets.entity, every)
        return (*gradients, None, None, None)


class Targets(NamedTuple):
    """The entities whose mass is asked for, and what is known before any row is scored."""

    row: NDArray[np.int64]  # [B+1] targets of each query
    entity: NDArray[np.int32]  # [targets]
    out: NDArray[Any]  # [targets] mass that uniform rows bring
    active: NDArray[np.bool_]  # [M] entries of the mass lists whose rows must be scored

    @classmethod
    def find(
        cls, given: FlowInput, mass: Tensor, n: int, shared: int, row: NDArray[np.int64], entity: NDArray[np.int32]
    ) -> Targets:
        """Look which rows have an edge into a target."""
        held = flat(mass)
        found = cls(row, entity, np.zeros(len(entity), held.dtype), np.zeros(len(given.state.mass_entity), np.bool_))
        shape, parts = given.shape(n), given.chunks()

        def kernel(chunk: int) -> None:
            key, scratch = _pool.acquire(given, shared, held.dtype)
            compiled_flow.find_active(
                parts[chunk], given.state, given.adjacency, shape, given.lanes.tuple, scratch, held, row, entity,
                found.out, found.active,
            )  # fmt: skip
            _pool.release(key, scratch)

        run_chunks(kernel, len(parts))
        return found

    def scored(self, state: QueryState, entities: int) -> NDArray[np.bool_]:
        """[Q] subgraph entries whose rows are scored."""
        query_of_mass = np.repeat(np.arange(len(state.origin)), np.diff(state.mass_row))[self.active]
        query_of_sub = np.repeat(np.arange(len(state.origin)), np.diff(state.sub_row))
        wanted = query_of_mass * entities + state.mass_entity[self.active]
        return np.isin(query_of_sub * entities + state.sub_entity, wanted)


def flow_step(tensors: tuple[Tensor, ...], given: FlowInput, recording: Recording) -> tuple[MassLists, Tensor]:
    """New mass lists [M', W] from (mass, u, g, h, shared) in lane layout."""
    lists = MassLists(np.empty(0, np.int64), np.empty(0, np.int32))
    dense, dense_row = _dense_scores(tensors[1], tensors[4], given)
    mass: Tensor = _FlowStep.apply(*tensors, dense, given, dense_row, recording, lists)  # type: ignore[no-untyped-call]
    return lists, mass


def flow_to_targets(
    tensors: tuple[Tensor, ...], given: FlowInput, target_row: NDArray[np.int64], target_entity: NDArray[np.int32]
) -> Tensor:
    """Mean mass of the targets [targets] after the last step."""
    mass, u, _, _, shared = tensors
    targets = Targets.find(given, mass, u.shape[1], len(shared), target_row, target_entity)
    dense, dense_row = _dense_scores(u, shared, given, targets.scored(given.state, len(given.adjacency.degree)))
    result: Tensor = _FlowToTargets.apply(*tensors, dense, given, dense_row, targets)  # type: ignore[no-untyped-call]
    return result


def flow_to_all(tensors: tuple[Tensor, ...], given: FlowInput) -> Tensor:
    """Mean mass of every entity [B, N] after the last step; no gradient."""
    mass, u, g, h, shared = tensors
    dense, dense_row = _dense_scores(u, shared, given)
    keys = _keys((u, g, h, shared, dense), dense_row)
    shape, parts = given.shape(u.shape[1]), given.chunks()
    held = flat(mass)
    out = np.zeros((given.num_queries, len(given.adjacency.row) - 1), held.dtype)

    def kernel(chunk: int) -> None:
        key, scratch = _pool.acquire(given, len(shared), held.dtype)
        for queries, seen in given.seen(parts[chunk]):
            compiled_flow.flow_to_all(
                queries, given.state, seen, given.buckets.table, shape, given.lanes.tuple, keys, scratch, held, out
            )
        _pool.release(key, scratch)

    run_chunks(kernel, len(parts))
    return torch.from_numpy(out)
