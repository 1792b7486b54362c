"""Compiled attention flow of training, for long rows that several queries score: eight queries at a time.

Queries of one day meet the same hubs. What an edge tells (its relation, its displacement, its far end) is the same for
all of them, only u = W_Q g differs. So up to eight queries that score the row of one entity form a *block*: their
numbers lie side by side, and every look-up of the flow (see compiled_transition.py) brings one number for each of them.
A dot product with h_j serves the whole block; with g_j, which belongs to one query, it is formed for that query alone.

Forward leaves the transition from the entity to each neighbour for every lane; compiled_flow.py moves mass with it.
Backward takes the gradient of the scores' softmax per neighbour from compiled_flow_backward.py and goes on from there.

Evaluation uses no blocks, so that a query's results do not depend on its batch, bit for bit.

Legend: see flow_records.py; lanes that are not used hold zeros.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.compiled_rows import dot_rows
from tgap.kernels.compiled_score import edge_score, score_arguments, score_backward
from tgap.kernels.compiled_transition import LOWEST, find_times
from tgap.kernels.flow_records import (
    AttentionRecord,
    BlockGradients,
    BlockMoves,
    BlockScratch,
    BlockTables,
    FlowArrays,
    FlowKeys,
    RowBlocks,
)
from tgap.kernels.layout import LANES
from tgap.kernels.simd import Vector, exp, fill, item, load, load16, maximum, put, store

_WIDE = (0,) * LANES  # vectors of one number for each lane


@kernel(_nrt=False)
def block_forward(
    first_block: int,
    last_block: int,
    arrays: FlowArrays,
    keys: FlowKeys,
    blocks: RowBlocks,
    tables: BlockTables,
    scratch: BlockScratch,
    out: BlockMoves,
    record: AttentionRecord,
) -> None:
    """Transitions of blocks first..last, and the attention that ``record`` asks for."""
    adjacency, n = arrays.adjacency, arrays.shape.row
    h_row = arrays.state.h_row[0]
    size = len(keys.shared) // n * LANES
    for block in range(first_block, last_block):
        i = blocks.entity[block]
        _enter(block, blocks, arrays, scratch)
        first = adjacency.row[i]
        begin, end = adjacency.pair_row[i], adjacency.pair_row[i + 1]
        base = block * size
        lowest = fill(keys.u, 0.0, _WIDE) + LOWEST
        highest = lowest
        for pair in range(begin, end):
            j = np.int64(item(adjacency.pair_neighbour, pair))
            u_h = _dots(tables.transposed, block, keys.h, np.int64(item(h_row, j)) * n, n)
            _dots_with_g(j, block, blocks, n, arrays.lanes, keys, scratch)
            u_g = load(scratch.of_g, 0, _WIDE)
            for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
                score = lowest
                if item(adjacency.mask, edge) != 0:
                    rho = base + np.int64(item(adjacency.relation, edge)) * LANES
                    tau = base + np.int64(item(scratch.time_row, edge - first)) * LANES
                    x, y = score_arguments(u_h, u_g, load(tables.dense, rho, _WIDE), load(tables.dense, tau, _WIDE))
                    score = edge_score(x, y, arrays.shape.slope)
                store(scratch.score, (edge - first) * LANES, score)
                highest = maximum(score, highest)
        # The next lines are equivalent, for each lane, to: moves = softmax(scores)[edges of the pair].sum()
        sums = fill(keys.u, 0.0, _WIDE)
        to = blocks.move_start[block] - begin
        for pair in range(begin, end):
            move = fill(keys.u, 0.0, _WIDE)
            for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
                p = exp(load(scratch.score, (edge - first) * LANES, _WIDE) - highest)
                store(scratch.score, (edge - first) * LANES, p)
                move = move + p
            store(out.moves, (to + pair) * LANES, move)
            sums = sums + move
        scale = (fill(keys.u, 0.0, _WIDE) + 1.0) / sums
        for pair in range(begin, end):
            store(out.moves, (to + pair) * LANES, load(out.moves, (to + pair) * LANES, _WIDE) * scale)
        store(out.row_max, block * LANES, highest)
        store(out.row_scale, block * LANES, scale)
        for place in range(block * LANES, block * LANES + LANES):
            m = blocks.mass[place]
            if m >= 0 and record.start[m] >= 0:
                factor = out.row_scale[place] * arrays.mass[m]
                for edge in range(adjacency.row[i + 1] - first):
                    moved = item(scratch.score, edge * LANES + place - block * LANES) * factor
                    put(record.mean, record.start[m] + edge, moved)
        _leave(block, blocks, scratch)


@kernel(_nrt=False)
def block_backward(
    first_block: int,
    last_block: int,
    arrays: FlowArrays,
    keys: FlowKeys,
    blocks: RowBlocks,
    tables: BlockTables,
    moves: BlockMoves,
    scratch: BlockScratch,
    gradients: BlockGradients,
) -> None:
    """Gradients of blocks first..last from that of each neighbour's scores, ``gradients.moves``."""
    adjacency, n, slope = arrays.adjacency, arrays.shape.row, arrays.shape.slope
    h_row = arrays.state.h_row[0]
    d_dense = gradients.dense
    size = len(keys.shared) // n * LANES
    for block in range(first_block, last_block):
        i = blocks.entity[block]
        _enter(block, blocks, arrays, scratch)
        first = adjacency.row[i]
        begin = adjacency.pair_row[i]
        base = block * size
        highest = load(moves.row_max, block * LANES, _WIDE)
        scale = load(moves.row_scale, block * LANES, _WIDE)
        for pair in range(begin, adjacency.pair_row[i + 1]):
            if item(adjacency.pair_count, pair) == 0:
                continue
            j = np.int64(item(adjacency.pair_neighbour, pair))
            of_h = np.int64(item(h_row, j)) * n
            u_h = _dots(tables.transposed, block, keys.h, of_h, n)
            _dots_with_g(j, block, blocks, n, arrays.lanes, keys, scratch)
            u_g = load(scratch.of_g, 0, _WIDE)
            change = load(gradients.moves, (blocks.move_start[block] + pair - begin) * LANES, _WIDE) * scale
            sum_h = fill(keys.u, 0.0, _WIDE)
            sum_g = fill(keys.u, 0.0, _WIDE)
            for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
                if item(adjacency.mask, edge) == 0:
                    continue
                rho = base + np.int64(item(adjacency.relation, edge)) * LANES
                tau = base + np.int64(item(scratch.time_row, edge - first)) * LANES
                x, y = score_arguments(u_h, u_g, load(tables.dense, rho, _WIDE), load(tables.dense, tau, _WIDE))
                ds = exp(edge_score(x, y, slope) - highest) * change  # a p (G - da)
                dx, dy = score_backward(ds, x, y, slope)
                sum_h = sum_h + dx
                sum_g = sum_g + dy
                both = dx + dy
                store(d_dense, rho, load(d_dense, rho, _WIDE) + both)
                store(d_dense, tau, load(d_dense, tau, _WIDE) + both)
            store(scratch.of_h, 0, sum_h)
            store(scratch.of_g, 0, sum_g)
            _pair_gradients(block, j, of_h, n, keys, blocks, tables, scratch, gradients)
        _leave(block, blocks, scratch)


@kernel(_nrt=False)
def _pair_gradients(
    block: int, j: np.int64, of_h: np.int64, n: int, keys: FlowKeys, blocks: RowBlocks, tables: BlockTables,
    scratch: BlockScratch, gradients: BlockGradients,
) -> None:  # fmt: skip
    """Gradients of the dot products of one neighbour, whose own stand in ``scratch.of_h`` and ``of_g``."""
    rows, d_rows, d_g, d_h = tables.rows, gradients.rows, gradients.g, gradients.h
    shift = gradients.h_shift * n
    for c in range(0, n, 16):
        total = load16(d_h, of_h + shift + c)
        key = load16(keys.h, of_h + c)
        for lane in range(LANES):
            at = (block * LANES + lane) * n + c
            weight = item(scratch.of_h, lane)
            total = total + load16(rows, at) * weight
            store(d_rows, at, load16(d_rows, at) + key * weight)
        store(d_h, of_h + shift + c, total)
    for place in range(item(blocks.member_row, j), item(blocks.member_row, j + 1)):
        entry = item(blocks.member, place)
        lane = item(scratch.lane_of, item(blocks.query_of, entry))
        if lane >= 0:
            weight = item(scratch.of_g, lane)
            for c in range(0, n, 16):
                at = (block * LANES + lane) * n + c
                store(d_rows, at, load16(d_rows, at) + load16(keys.g, entry * n + c) * weight)
                store(d_g, entry * n + c, load16(d_g, entry * n + c) + load16(rows, at) * weight)


@kernel(_nrt=False, inline="always")
def _dots(transposed: NDArray[np.floating], block: int, keys: NDArray[np.floating], row: np.int64, n: int) -> Vector:
    """Dot products of one key row with the u of every lane; ``transposed`` [K, n, LANES]."""
    at = block * n * LANES
    one = fill(keys, 0.0, _WIDE)
    two = fill(keys, 0.0, _WIDE)
    three = fill(keys, 0.0, _WIDE)
    four = fill(keys, 0.0, _WIDE)
    for c in range(0, n, 4):
        one = one + load(transposed, at + c * LANES, _WIDE) * item(keys, row + c)
        two = two + load(transposed, at + c * LANES + LANES, _WIDE) * item(keys, row + c + 1)
        three = three + load(transposed, at + c * LANES + 2 * LANES, _WIDE) * item(keys, row + c + 2)
        four = four + load(transposed, at + c * LANES + 3 * LANES, _WIDE) * item(keys, row + c + 3)
    return (one + two) + (three + four)


@kernel(_nrt=False, inline="always")
def _dots_with_g(
    j: np.int64, block: int, blocks: RowBlocks, n: int, lanes: tuple[int, ...], keys: FlowKeys, scratch: BlockScratch
) -> None:
    """Dot products u . g_j of the lanes whose subgraph holds ``j``, into ``scratch.of_g``; 0 in the others."""
    store(scratch.of_g, 0, fill(keys.u, 0.0, _WIDE))
    for place in range(item(blocks.member_row, j), item(blocks.member_row, j + 1)):
        entry = item(blocks.member, place)
        lane = item(scratch.lane_of, item(blocks.query_of, entry))
        if lane >= 0:
            u = item(blocks.entry, block * LANES + lane) * n
            store(scratch.of_g, lane, dot_rows(keys.u, u, keys.g, entry * n, n, lanes))


@kernel(_nrt=False, inline="always")
def _enter(block: int, blocks: RowBlocks, arrays: FlowArrays, scratch: BlockScratch) -> None:
    """Map the queries of the block to its lanes; find the times of the row's edges."""
    for place in range(block * LANES, block * LANES + LANES):
        if blocks.query[place] >= 0:
            scratch.lane_of[blocks.query[place]] = place - block * LANES
    find_times(blocks.entity[block], blocks.origin[block], arrays, scratch.time_row)


@kernel(_nrt=False, inline="always")
def _leave(block: int, blocks: RowBlocks, scratch: BlockScratch) -> None:
    """Reset the map that ``_enter`` filled."""
    for place in range(block * LANES, block * LANES + LANES):
        if blocks.query[place] >= 0:
            scratch.lane_of[blocks.query[place]] = -1
