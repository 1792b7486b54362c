"""Blocks of queries that score a long row of the graph together: who joins which block, forward and backward.

The arithmetic is in compiled_blocks.py. Only training uses blocks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.kernels import compiled_blocks
from tgap.kernels.chunks import even_cuts, flat
from tgap.kernels.flow_plan import FlowPlan
from tgap.kernels.flow_records import (
    AttentionRecord,
    BlockGradients,
    BlockMoves,
    BlockTables,
    FlowArrays,
    FlowKeys,
    RowBlocks,
)
from tgap.kernels.flow_scratch import block_scratch
from tgap.kernels.layout import LANES
from tgap.kernels.threads import num_threads, run_chunks

SHARED = 6  # queries that must score a row for a block of it to pay


class ScoredBlocks(NamedTuple):
    """What scoring the blocks leaves for the flow and for the backward pass."""

    tables: BlockTables
    moves: BlockMoves


def make_blocks(
    plan: FlowPlan, entry_mass: NDArray[np.int64], long: NDArray[np.bool_]
) -> tuple[RowBlocks, NDArray[np.int64]]:
    """Blocks of the long rows that at least ``SHARED`` queries of one time score, and the lane of each entry.

    None in evaluation, with several flows, or where the batch has features of several times.
    """
    state, adjacency = plan.state, plan.adjacency
    query_of = np.repeat(np.arange(len(state.origin)), np.diff(state.sub_row))
    entries = np.empty(0, np.int64)
    if torch.is_grad_enabled() and plan.settings.flows == 1 and len(state.h_row) == 1 and not plan.own:
        entries = np.flatnonzero(long)
    _, time = np.unique(state.origin, return_inverse=True)
    order = entries[np.lexsort((entries, state.sub_entity[entries], time[query_of[entries]]))]
    key = time[query_of[order]] * (len(adjacency.row) - 1) + state.sub_entity[order]
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    shared = count >= SHARED
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
    blocks = RowBlocks(
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


def score_blocks(
    plan: FlowPlan,
    arrays: FlowArrays,
    keys: FlowKeys,
    blocks: RowBlocks,
    block_u: Tensor,
    block_dense: Tensor,
    record: AttentionRecord,
) -> ScoredBlocks:
    """Transitions of the rows that queries score together; ``block_u`` [K LANES, n], ``block_dense`` [K, S, LANES]."""
    mass, count, n = arrays.mass, len(blocks.entity), block_u.shape[1]
    transposed = flat(block_u.detach().view(count, LANES, n).transpose(1, 2))
    tables = BlockTables(transposed, flat(block_u), flat(block_dense))
    moves = BlockMoves(
        np.empty(int(blocks.move_start[-1]) * LANES, mass.dtype),
        np.empty(count * LANES, mass.dtype),
        np.empty(count * LANES, mass.dtype),
    )
    if count:
        cuts = _cuts(plan, blocks, num_threads())

        def kernel(chunk: int) -> None:
            scratch = block_scratch(plan, mass.dtype)
            compiled_blocks.block_forward(
                cuts[chunk], cuts[chunk + 1], arrays, keys, blocks, tables, scratch, moves, record
            )

        run_chunks(kernel, len(cuts) - 1)
    return ScoredBlocks(tables, moves)


def blocks_backward(
    plan: FlowPlan,
    arrays: FlowArrays,
    keys: FlowKeys,
    blocks: RowBlocks,
    scored: ScoredBlocks,
    gradients: list[BlockGradients],
) -> None:
    """Gradients of the blocks; ``gradients`` has the buffers of each chunk of the plan, of which the first are used."""
    cuts = _cuts(plan, blocks, len(gradients))

    def kernel(chunk: int) -> None:
        compiled_blocks.block_backward(
            cuts[chunk], cuts[chunk + 1], arrays, keys, blocks, scored.tables, scored.moves,
            block_scratch(plan, arrays.mass.dtype), gradients[chunk],
        )  # fmt: skip

    run_chunks(kernel, len(cuts) - 1)


def _cuts(plan: FlowPlan, blocks: RowBlocks, chunks: int) -> list[int]:
    """Blocks of each chunk."""
    degree = plan.degree[blocks.entity]
    return even_cuts(np.concatenate([[0], np.cumsum(degree)]), chunks)
