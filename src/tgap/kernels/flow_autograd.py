"""The flow of attention as differentiable torch functions: buffers here, arithmetic in the compiled kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from tgap.kernels import compiled_flow, compiled_flow_backward
from tgap.kernels.backend import Recording
from tgap.kernels.chunks import flat, sum_chunks
from tgap.kernels.flow_blocks import ScoredBlocks, blocks_backward, score_blocks
from tgap.kernels.flow_plan import FlowPlan
from tgap.kernels.flow_records import (
    AttentionRecord,
    BlockGradients,
    FlowArrays,
    FlowGradients,
    FlowKeys,
    FlowScratch,
    FlowTargets,
    MassBuffers,
    OutputGradient,
)
from tgap.kernels.flow_rows import ScoredRows
from tgap.kernels.flow_scratch import run_queries
from tgap.kernels.h_gradients import HGradients


class NewMass:
    """The mass list of each query after a step, without the values: those are the step's tensor."""

    row: NDArray[np.int64]  # [B+1]
    entity: NDArray[np.int32]  # [M]


class FlowStep(torch.autograd.Function):
    """a^(t) from a^(t-1); the entities of the new lists go into ``lists``."""

    @staticmethod
    def forward(ctx: Any, mass: Tensor, u: Tensor, g: Tensor, h: Tensor, shared: Tensor, dense: Tensor,
                block_u: Tensor, block_dense: Tensor, plan: FlowPlan, rows: ScoredRows, recording: Recording,
                lists: NewMass) -> Tensor:  # fmt: skip
        """One step; see the kernel ``flow_forward``."""
        tensors = (mass, u, g, h, shared, dense, block_u, block_dense)
        arrays, state, width = plan.arrays(mass), plan.state, plan.lanes.width
        record = AttentionRecord(recording.start, recording.mean, recording.full.reshape(-1))
        keys, scored = _score(plan, arrays, rows, tensors, record)
        # Room for each query's new list: every pair out of an entity with mass, at most all entities.
        reach = np.concatenate([[0], np.cumsum(plan.pairs[state.mass_entity])])
        room = np.minimum(np.diff(reach[state.mass_row]), len(plan.adjacency.row) - 1)
        start = np.concatenate([[0], np.cumsum(room)])
        size = int(start[-1])
        buffers = MassBuffers(
            start, np.empty(size, np.int32), np.empty(size * width, arrays.mass.dtype), np.zeros(len(room), np.int64)
        )

        def work(_: int, queries: NDArray[np.int64], scratch: FlowScratch) -> None:
            for part, seen in plan.seen(queries, arrays):
                compiled_flow.flow_forward(part, seen, keys, scratch, buffers, record)

        run_queries(plan, len(shared), arrays.mass.dtype, work)
        lists.row = np.concatenate([[0], np.cumsum(buffers.length)])
        kept = [slice(int(first), int(first + count)) for first, count in zip(start[:-1], buffers.length, strict=True)]
        lists.entity = np.concatenate([buffers.entity[part] for part in kept])
        value = buffers.mass.reshape(-1, width)
        out = torch.from_numpy(np.concatenate([value[part] for part in kept]))
        ctx.save_for_backward(*tensors)
        ctx.rest = (plan, rows, scored, lists)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Gradients of the tensors; none of the rest."""
        plan, rows, scored, lists = ctx.rest
        out = OutputGradient(lists.row, lists.entity, flat(grad))
        return (*_flow_backward(plan, rows, scored, ctx.saved_tensors, out), None, None, None, None)


class FlowToTargets(torch.autograd.Function):
    """Mean mass that arrives at given entities in the last step."""

    @staticmethod
    def forward(ctx: Any, mass: Tensor, u: Tensor, g: Tensor, h: Tensor, shared: Tensor, dense: Tensor,
                block_u: Tensor, block_dense: Tensor, plan: FlowPlan, rows: ScoredRows,
                targets: FlowTargets) -> Tensor:  # fmt: skip
        """Last step; see the kernel ``flow_to_targets``."""
        tensors = (mass, u, g, h, shared, dense, block_u, block_dense)
        arrays = plan.arrays(mass)
        keys, scored = _score(plan, arrays, rows, tensors, nothing_recorded(arrays))
        found = targets._replace(out=targets.out.copy())

        def work(_: int, queries: NDArray[np.int64], scratch: FlowScratch) -> None:
            compiled_flow.flow_to_targets(queries, arrays, keys, scratch, found, rows.entry_mass)

        run_queries(plan, len(shared), arrays.mass.dtype, work)
        ctx.save_for_backward(*tensors)
        ctx.rest = (plan, rows, scored, targets)
        return torch.from_numpy(found.out)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Gradients of the tensors; none of the rest."""
        plan, rows, scored, targets = ctx.rest
        every = (grad / plan.settings.flows)[:, None].expand(-1, plan.lanes.width)
        out = OutputGradient(targets.row, targets.entity, flat(every))
        return (*_flow_backward(plan, rows, scored, ctx.saved_tensors, out), None, None, None)


def flow_keys(tensors: tuple[Tensor, ...], rows: ScoredRows) -> FlowKeys:
    """(mass, u, g, h, shared, dense, ..) as the kernels read them, before blocks are scored."""
    u, g, h, shared, dense = (flat(tensor) for tensor in tensors[1:6])
    return FlowKeys(u, g, h, shared, dense, rows.dense_row, rows.lane, rows.blocks.move_start, np.empty(0, u.dtype))


def nothing_recorded(arrays: FlowArrays) -> AttentionRecord:
    """Record no edge."""
    empty = np.empty(0, arrays.mass.dtype)
    return AttentionRecord(np.full(len(arrays.mass), -1, np.int64), empty, empty)


def _score(
    plan: FlowPlan, arrays: FlowArrays, rows: ScoredRows, tensors: tuple[Tensor, ...], record: AttentionRecord
) -> tuple[FlowKeys, ScoredBlocks]:
    """Score the blocks; the keys with what they found."""
    keys = flow_keys(tensors, rows)
    scored = score_blocks(plan, arrays, keys, rows.blocks, rows.block_u, rows.block_dense, record)
    return keys._replace(moves=scored.moves.moves), scored


def _flow_backward(
    plan: FlowPlan, rows: ScoredRows, scored: ScoredBlocks, tensors: tuple[Tensor, ...], out: OutputGradient
) -> tuple[Tensor, ...]:
    """Gradients of (mass, u, g, h, shared, dense, block_u, block_dense) from that of what a step wrote."""
    assert not plan.own, "in training all queries of a batch see the same"
    mass, u, g, h, shared = tensors[:5]
    arrays, parts = plan.arrays(mass), plan.chunks
    keys = flow_keys(tensors, rows)._replace(moves=scored.moves.moves)
    # Contiguous, whatever the inputs are.
    d_mass, d_u, d_g, d_dense, d_block_u, d_block_dense = (
        torch.zeros(tensor.shape, dtype=tensor.dtype) for tensor in (mass, u, g, *tensors[5:])
    )
    d_shared = torch.zeros((len(parts), *shared.shape), dtype=u.dtype)
    d_h = HGradients(plan.state, parts, h)
    d_moves = np.zeros(len(keys.moves), arrays.mass.dtype)
    common = FlowGradients(
        mass=flat(d_mass), u=flat(d_u), g=flat(d_g), h=flat(d_h.buffer), h_shift=d_h.shift,
        shared=flat(d_shared[0]), dense=flat(d_dense), moves=d_moves,
    )  # fmt: skip

    def work(chunk: int, queries: NDArray[np.int64], scratch: FlowScratch) -> None:
        own = common._replace(shared=flat(d_shared[chunk]))
        compiled_flow_backward.flow_backward(queries, arrays, keys, scratch, out, own)

    run_queries(plan, len(shared), arrays.mass.dtype, work)
    if len(rows.blocks.entity):
        d_g_parts = torch.zeros((len(parts), *g.shape), dtype=g.dtype)
        gradients = [
            BlockGradients(
                moves=d_moves, rows=flat(d_block_u), dense=flat(d_block_dense), g=flat(d_g_parts[chunk]),
                h=common.h, h_shift=int(d_h.shift[part[0]]),
            )
            for chunk, part in enumerate(parts)
        ]  # fmt: skip
        blocks_backward(plan, arrays, keys, rows.blocks, scored, gradients)
        d_g += sum_chunks(d_g_parts)
    return d_mass, d_u, d_g, d_h.sum(), sum_chunks(d_shared), d_dense, d_block_u, d_block_dense
