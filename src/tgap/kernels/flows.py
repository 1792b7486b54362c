"""The flow of attention as differentiable torch operations: shapes and buffers here, arithmetic in the kernels.

Long rows of the graph are scored against all relations and displacements by one matrix product (``ScoredRows``), whose
gradient torch finds by itself; the rest is the kernels'. In training, long rows that several queries of a batch score
are formed in blocks (compiled_blocks.py).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from tgap.kernels import compiled_blocks, compiled_flow, compiled_flow_backward
from tgap.kernels.backend import Recording
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.chunks import even_cuts, flat, sum_chunks
from tgap.kernels.compiled_blocks import Blocks, BlockScratch
from tgap.kernels.compiled_flow import FlowScratch, FlowShape, Keys
from tgap.kernels.layout import LANES, Lanes, head_widths
from tgap.kernels.products import product
from tgap.kernels.structure import Adjacency, QueryState
from tgap.kernels.threads import num_threads, run_chunks

_SHARED = 6  # queries that must score a row for a block of it to pay
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

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """[N] edges out of each entity."""
        return np.diff(self.adjacency.row)

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """[N] entities that each entity has edges to."""
        return np.diff(self.adjacency.pair_row)

    @cached_property
    def longest(self) -> tuple[int, int]:
        """Edges and pairs of the entity with most of them, at least 1."""
        return int(self.degree.max(initial=1)), int(self.pairs.max(initial=1))

    @cached_property
    def chunks(self) -> list[NDArray[np.int64]]:
        """Queries of each chunk: the dearest first, each to the chunk with least work (ties: the first)."""
        state, count = self.state, num_threads()
        total = np.concatenate([[0], np.cumsum(self.degree[state.sub_entity])])
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
        key = (entities, shared, *given.longest, given.flows, given.lanes.width, dtype)
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


@dataclass
class MassLists:
    """The new mass of each query."""

    row: NDArray[np.int64]  # [B+1]
    entity: NDArray[np.int32]  # [M]


@dataclass(frozen=True)
class ScoredRows:
    """How the rows that a step scores are formed: alone, or in blocks; the long ones by matrix products before."""

    entry_mass: NDArray[np.int64]  # [Q] entry of the mass lists, or -1 where the row is not scored
    dense: Tensor  # [rows, S] or [rows, S, W] products of u with the shared table
    dense_row: NDArray[np.int64]  # [Q] row of a subgraph entry in it, or -1
    blocks: Blocks
    lane: NDArray[np.int64]  # [Q] place of an entry among the lanes of all blocks, or -1
    block_u: Tensor  # [K LANES, n] u of every lane
    block_dense: Tensor  # [K, S, LANES]

    @classmethod
    def of(cls, u: Tensor, shared: Tensor, given: FlowInput, entry_mass: NDArray[np.int64]) -> ScoredRows:
        """A row of degree n meets at most 2 n of the S rows of the shared table, each at the price of a scattered read

        in the forward and an addition to scattered memory in the backward pass. Measured: from n = S / 16 on a product
        with all of them costs less.
        """
        long = given.degree[given.state.sub_entity] * _LONG >= len(shared)
        long &= entry_mass >= 0
        blocks, lane = _make_blocks(given, entry_mass, long)
        entries = np.flatnonzero(long & (lane < 0))
        row = np.full(len(long), -1, np.int64)
        row[entries] = np.arange(len(entries))
        used = torch.from_numpy(np.maximum(blocks.entry, 0))
        block_u = u.index_select(0, used) * torch.from_numpy(blocks.entry >= 0)[:, None]
        every = product(block_u, shared.T).view(-1, LANES, len(shared)).transpose(1, 2).contiguous()
        return cls(entry_mass, _dense_scores(u, shared, given, entries), row, blocks, lane, block_u, every)

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """Those that have gradients."""
        return self.dense, self.block_u, self.block_dense


def _dense_scores(u: Tensor, shared: Tensor, given: FlowInput, entries: NDArray[np.int64]) -> Tensor:
    """Products of u with the whole shared table for some entries of the subgraph lists."""
    chosen = u.index_select(0, torch.from_numpy(entries))
    if given.flows == 1:
        return product(chosen, shared.T)
    positions = torch.split_with_sizes(given.lanes.position, head_widths(given.lanes.dimension, given.flows))
    each = [product(chosen[:, places], shared[:, places].T) for places in positions]
    each += [torch.zeros_like(each[0])] * (given.lanes.width - given.flows)
    return torch.stack(each, dim=2)


def _make_blocks(
    given: FlowInput, entry_mass: NDArray[np.int64], long: NDArray[np.bool_]
) -> tuple[Blocks, NDArray[np.int64]]:
    """Blocks of the long rows that at least ``_SHARED`` queries of one time score, and the lane of each entry.

    None in evaluation, with several flows, or where features of several times are at hand.
    """
    state, adjacency = given.state, given.adjacency
    query_of = np.repeat(np.arange(len(state.origin)), np.diff(state.sub_row))
    entries = np.empty(0, np.int64)
    if torch.is_grad_enabled() and given.flows == 1 and len(state.h_row) == 1 and not given.own:
        entries = np.flatnonzero(long)
    _, time = np.unique(state.origin, return_inverse=True)
    order = entries[np.lexsort((entries, state.sub_entity[entries], time[query_of[entries]]))]
    key = time[query_of[order]] * (len(adjacency.row) - 1) + state.sub_entity[order]
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    shared = count >= _SHARED
    order = order[np.repeat(shared, count)]
    first, count = np.cumsum(count[shared]) - count[shared], count[shared]
    parts = -(-count // LANES)  # blocks of each row, of nearly equal size
    place = np.arange(len(order)) - np.repeat(first, count)
    block = np.repeat(np.cumsum(parts) - parts, count) + place % np.repeat(parts, count)
    lane = np.full(len(query_of), -1, np.int64)
    lane[order] = block * LANES + place // np.repeat(parts, count)
    total = int(parts.sum())
    entry = np.full(total * LANES, -1, np.int64)
    entry[lane[order]] = order
    used = entry >= 0
    leader = order[np.repeat(first, parts)] if total else order
    entity = state.sub_entity[leader]
    pairs = adjacency.pair_row[entity + 1] - adjacency.pair_row[entity]
    members = np.argsort(state.sub_entity, kind="stable") if total else np.empty(0, np.int64)
    counts = np.bincount(state.sub_entity, minlength=len(adjacency.row) - 1) if total else np.empty(0, np.int64)
    blocks = Blocks(
        entity=entity,
        origin=state.origin[query_of[leader]],
        entry=entry,
        query=np.where(used, query_of[np.maximum(entry, 0)], -1),
        mass=np.where(used, entry_mass[np.maximum(entry, 0)], -1),
        move_start=np.concatenate([[0], np.cumsum(pairs)]),
        member_row=np.concatenate([[0], np.cumsum(counts)]),
        member=members,
        query_of=query_of,
    )
    return blocks, lane


class BlockMoves(NamedTuple):
    """What scoring the blocks leaves for the flow and for the backward pass."""

    turned: NDArray[Any]  # [K, n, LANES] u of every lane, turned
    moves: NDArray[Any]  # [pairs, LANES]
    row_max: NDArray[Any]  # [K, LANES]
    row_scale: NDArray[Any]  # [K, LANES]


def _score_blocks(
    given: FlowInput, rows: ScoredRows, tensors: tuple[Tensor, ...], recording: Recording | None
) -> BlockMoves:
    """Transitions of the rows that queries score together; ``tensors``: (mass, u, g, h, shared, ..)."""
    mass, blocks = flat(tensors[0]), rows.blocks
    count, n = len(blocks.entity), rows.block_u.shape[1]
    turned = flat(rows.block_u.detach().view(count, LANES, n).transpose(1, 2))
    found = BlockMoves(
        turned,
        np.empty(int(blocks.move_start[-1]) * LANES, mass.dtype),
        np.empty(count * LANES, mass.dtype),
        np.empty(count * LANES, mass.dtype),
    )
    if not count:
        return found
    keys, shape, cuts = _keys(tensors, rows), given.shape(n), _block_cuts(given, blocks, num_threads())
    start = np.full(len(mass), -1, np.int64) if recording is None else recording.start
    mean = np.empty(0, mass.dtype) if recording is None else recording.mean
    table, wide = flat(rows.block_dense), (0,) * LANES

    def kernel(chunk: int) -> None:
        scratch = _block_scratch(given, mass.dtype)
        compiled_blocks.block_forward(
            cuts[chunk], cuts[chunk + 1], blocks, given.state.h_row[0], given.adjacency, given.buckets.table, shape,
            given.lanes.tuple, wide, keys, turned, table, scratch, mass, found.moves, found.row_max, found.row_scale,
            start, mean,
        )  # fmt: skip

    run_chunks(kernel, len(cuts) - 1)
    return found


def _block_cuts(given: FlowInput, blocks: Blocks, chunks: int) -> list[int]:
    """Blocks of each chunk."""
    degree = given.degree[blocks.entity]
    return even_cuts(np.concatenate([[0], np.cumsum(degree)]), chunks)


def _block_scratch(given: FlowInput, dtype: np.dtype[Any]) -> BlockScratch:
    return compiled_blocks.block_scratch(given.longest[0], given.num_queries, dtype)


class _FlowStep(torch.autograd.Function):
    """a^(t) from a^(t-1); the entities of the new lists go into ``lists``."""

    @staticmethod
    def forward(ctx: Any, mass: Tensor, u: Tensor, g: Tensor, h: Tensor, shared: Tensor, dense: Tensor,
                block_u: Tensor, block_dense: Tensor, given: FlowInput, rows: ScoredRows, recording: Recording,
                lists: MassLists) -> Tensor:  # fmt: skip
        state, adjacency, lanes = given.state, given.adjacency, given.lanes
        tensors = (mass, u, g, h, shared, dense, block_u, block_dense)
        blocks = _score_blocks(given, rows, tensors, recording)
        keys = _keys(tensors, rows, blocks)
        shape, parts = given.shape(u.shape[1]), given.chunks
        # Room for each query's new list: every pair out of an entity with mass, at most all entities.
        reach = np.concatenate([[0], np.cumsum(given.pairs[state.mass_entity])])
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
        ctx.save_for_backward(*tensors)
        ctx.rest = (given, rows, blocks, lists)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        given, rows, blocks, lists = ctx.rest
        gradients = _flow_backward(given, rows, blocks, ctx.saved_tensors, (lists.row, lists.entity), grad)
        return (*gradients, None, None, None, None)


def _keys(tensors: tuple[Tensor, ...], rows: ScoredRows, blocks: BlockMoves | None = None) -> Keys:
    """(mass, u, g, h, shared, dense, ..) as the kernels read them."""
    u, g, h, shared, dense = (flat(tensor) for tensor in tensors[1:6])
    moves = np.empty(0, u.dtype) if blocks is None else blocks.moves
    return Keys(u, g, h, shared, dense, rows.dense_row, rows.lane, rows.blocks.move_start, moves)


def _flow_backward(
    given: FlowInput,
    rows: ScoredRows,
    blocks: BlockMoves,
    tensors: tuple[Tensor, ...],
    out: tuple[NDArray[np.int64], NDArray[np.int32]],
    grad: Tensor,
) -> tuple[Tensor, ...]:
    """Gradients of (mass, u, g, h, shared, dense, block_u, block_dense) from that at the entities of ``out``."""
    assert not given.own, "in training all queries of a batch see the same"
    mass, u, g, h, shared = tensors[:5]
    state, lanes = given.state, given.lanes
    keys = _keys(tensors, rows, blocks)
    shape, parts = given.shape(u.shape[1]), given.chunks
    # Contiguous, whatever the inputs are.
    d_mass, d_u, d_g, d_dense, d_block_u, d_block_dense = (
        torch.zeros(tensor.shape, dtype=tensor.dtype) for tensor in (mass, u, g, *tensors[5:])
    )
    d_shared = torch.zeros((len(parts), *shared.shape), dtype=u.dtype)
    buffers = _HBlocks(state, parts, h)
    flat_mass, flat_grad, flat_h = flat(mass), flat(grad), flat(buffers.buffer)
    outputs = [flat(tensor) for tensor in (d_mass, d_u, d_g, d_dense)]
    grad_move = np.zeros(len(blocks.moves), flat_mass.dtype)

    def kernel(chunk: int) -> None:
        key, scratch = _pool.acquire(given, len(shared), flat_mass.dtype)
        compiled_flow_backward.flow_backward(
            parts[chunk], state, given.adjacency, given.buckets.table, shape, lanes.tuple, keys, scratch, flat_mass,
            *out, flat_grad, outputs[0], (outputs[1], outputs[2], flat(d_shared[chunk]), outputs[3]), flat_h,
            buffers.shift, grad_move,
        )  # fmt: skip
        _pool.release(key, scratch)

    run_chunks(kernel, len(parts))
    if len(rows.blocks.entity):
        cuts = _block_cuts(given, rows.blocks, len(parts))
        d_g_parts = torch.zeros((len(cuts) - 1, *g.shape), dtype=g.dtype)
        own, table, wide = flat(rows.block_u), flat(rows.block_dense), (0,) * LANES
        d_rows, d_table = flat(d_block_u), flat(d_block_dense)

        def more(chunk: int) -> None:
            compiled_blocks.block_backward(
                cuts[chunk], cuts[chunk + 1], rows.blocks, state.h_row[0], given.adjacency, given.buckets.table, shape,
                lanes.tuple, wide, keys, blocks.turned, own, table, _block_scratch(given, flat_mass.dtype),
                blocks.row_max, blocks.row_scale, grad_move, d_rows, flat(d_g_parts[chunk]), d_table, flat_h,
                int(buffers.shift[parts[chunk][0]]),
            )  # fmt: skip

        run_chunks(more, len(cuts) - 1)
        d_g += sum_chunks(d_g_parts)
    return d_mass, d_u, d_g, buffers.sum(), sum_chunks(d_shared), d_dense, d_block_u, d_block_dense


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
                block_u: Tensor, block_dense: Tensor, given: FlowInput, rows: ScoredRows,
                targets: Targets) -> Tensor:  # fmt: skip
        tensors = (mass, u, g, h, shared, dense, block_u, block_dense)
        blocks = _score_blocks(given, rows, tensors, None)
        keys = _keys(tensors, rows, blocks)
        shape, parts = given.shape(u.shape[1]), given.chunks
        held = flat(mass)
        out = targets.out.copy()

        def kernel(chunk: int) -> None:
            key, scratch = _pool.acquire(given, len(shared), held.dtype)
            compiled_flow.flow_to_targets(
                parts[chunk], given.state, given.adjacency, given.buckets.table, shape, given.lanes.tuple, keys,
                scratch, held, targets.row, targets.entity, out, rows.entry_mass,
            )  # fmt: skip
            _pool.release(key, scratch)

        run_chunks(kernel, len(parts))
        ctx.save_for_backward(*tensors)
        ctx.rest = (given, rows, blocks, targets)
        return torch.from_numpy(out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        given, rows, blocks, targets = ctx.rest
        every = (grad / given.flows)[:, None].expand(-1, given.lanes.width)
        gradients = _flow_backward(given, rows, blocks, ctx.saved_tensors, (targets.row, targets.entity), every)
        return (*gradients, None, None, None)


class Targets(NamedTuple):
    """The entities whose mass is asked for, and what is known before any row is scored."""

    row: NDArray[np.int64]  # [B+1] targets of each query
    entity: NDArray[np.int32]  # [targets]
    out: NDArray[Any]  # [targets] mass that uniform rows bring


def _scored(given: FlowInput, mass: Tensor, shared: int) -> NDArray[np.int64]:
    """[Q] where the entities of the subgraphs stand in the mass lists, -1 for those without mass."""
    entry_mass = np.full(len(given.state.sub_entity), -1, np.int64)

    def kernel(chunk: int) -> None:
        key, scratch = _pool.acquire(given, shared, flat(mass).dtype)
        compiled_flow.find_scored(parts[chunk], given.state, scratch, entry_mass)
        _pool.release(key, scratch)

    parts = given.chunks
    run_chunks(kernel, len(parts))
    return entry_mass


def _active(given: FlowInput, mass: Tensor, n: int, shared: int, targets: Targets) -> NDArray[np.int64]:
    """The same for rows with an edge into a target only; what uniform rows bring goes into ``targets.out``."""
    held = flat(mass)
    entry_mass = np.full(len(given.state.sub_entity), -1, np.int64)
    shape, parts = given.shape(n), given.chunks

    def kernel(chunk: int) -> None:
        key, scratch = _pool.acquire(given, shared, held.dtype)
        compiled_flow.find_active(
            parts[chunk], given.state, given.adjacency, shape, given.lanes.tuple, scratch, held, targets.row,
            targets.entity, targets.out, entry_mass,
        )  # fmt: skip
        _pool.release(key, scratch)

    run_chunks(kernel, len(parts))
    return entry_mass


def flow_step(tensors: tuple[Tensor, ...], given: FlowInput, recording: Recording) -> tuple[MassLists, Tensor]:
    """New mass lists [M', W] from (mass, u, g, h, shared) in lane layout."""
    lists = MassLists(np.empty(0, np.int64), np.empty(0, np.int32))
    mass, u, _, _, shared = tensors
    rows = ScoredRows.of(u, shared, given, _scored(given, mass, len(shared)))
    after: Tensor = _FlowStep.apply(*tensors, *rows.tensors, given, rows, recording, lists)  # type: ignore[no-untyped-call]
    return lists, after


def flow_to_targets(
    tensors: tuple[Tensor, ...], given: FlowInput, target_row: NDArray[np.int64], target_entity: NDArray[np.int32]
) -> Tensor:
    """Mean mass of the targets [targets] after the last step."""
    mass, u, _, _, shared = tensors
    targets = Targets(target_row, target_entity, np.zeros(len(target_entity), flat(mass).dtype))
    rows = ScoredRows.of(u, shared, given, _active(given, mass, u.shape[1], len(shared), targets))
    result: Tensor = _FlowToTargets.apply(*tensors, *rows.tensors, given, rows, targets)  # type: ignore[no-untyped-call]
    return result


def flow_to_all(tensors: tuple[Tensor, ...], given: FlowInput) -> Tensor:
    """Mean mass of every entity [B, N] after the last step; no gradient."""
    mass, u, _, _, shared = tensors
    rows = ScoredRows.of(u, shared, given, _scored(given, mass, len(shared)))
    keys = _keys((*tensors, *rows.tensors), rows)
    shape, parts = given.shape(u.shape[1]), given.chunks
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
