"""Compiled attention flow of training, for long rows that several queries score: eight queries at a time.

Queries of one day meet the same hubs. What an edge tells (its relation, its displacement, its far end) is the same for
all of them, only u = W_Q g differs. So up to eight queries that score the row of one entity form a *block*: their
numbers lie side by side, and every look-up of the flow (see compiled_flow.py) brings one number for each of them. A
dot product with h_j serves the whole block; with g_j, which belongs to one query, it is formed for that query alone.

Forward leaves the transition from the entity to each neighbour for every lane; compiled_flow.py moves mass with it.
Backward takes the gradient of the scores' softmax per neighbour from compiled_flow_backward.py and goes on from there.

Evaluation does without blocks: there a row must give the same bits whatever other queries are asked beside it.

Legend: K blocks, Q entries of the subgraph lists, S rows of the shared table, n row length; lanes that are not used
hold zeros.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.compiled_flow import find_times
from tgap.kernels.compiled_rows import dot_rows
from tgap.kernels.layout import LANES
from tgap.kernels.simd import exp, fill, item, load, load16, maximum, put, slope_of, store

_LOWEST = -3.0e38  # the score of a hidden edge


class Blocks(NamedTuple):
    """Which queries score a row together."""

    entity: NDArray[np.int32]  # [K] whose row it is
    origin: NDArray[np.int64]  # [K] the time that displacements are measured from
    entry: NDArray[np.int64]  # [K, LANES] entry of the subgraph lists, or -1
    query: NDArray[np.int64]  # [K, LANES] its query, or -1
    mass: NDArray[np.int64]  # [K, LANES] its entry of the mass lists, or -1
    move_start: NDArray[np.int64]  # [K+1] where the pairs of the row begin in arrays of [pairs, LANES]
    member_row: NDArray[np.int64]  # [N+1] entries of the subgraph lists of each entity ...
    member: NDArray[np.int64]  # [Q] ... and which they are
    query_of: NDArray[np.int64]  # [Q] query of an entry


class BlockScratch(NamedTuple):
    """Scratch arrays of one chunk."""

    time_row: NDArray[np.int32]  # [largest degree] where the time of each edge stands in the shared table
    score: NDArray[np.floating]  # [largest degree, LANES]
    lane_of: NDArray[np.int64]  # [B] lane of a query in the block at hand, or -1
    of_h: NDArray[np.floating]  # [LANES] sums of a pair
    of_g: NDArray[np.floating]  # [LANES]


def block_scratch(degree: int, queries: int, dtype: np.dtype) -> BlockScratch:
    """Fresh scratch arrays."""
    return BlockScratch(
        time_row=np.empty(degree, np.int32),
        score=np.empty(degree * LANES, dtype),
        lane_of=np.full(queries, -1, np.int64),
        of_h=np.zeros(LANES, dtype),
        of_g=np.zeros(LANES, dtype),
    )


@kernel(_nrt=False, inline="always")
def _dots(turned, block, keys, row, n, wide):
    """Dot products of one key row with the u of every lane; ``turned`` [K, n, LANES]; ``wide``: a tuple of LANES."""
    at = block * n * LANES
    one = fill(keys, 0.0, wide)
    two = fill(keys, 0.0, wide)
    three = fill(keys, 0.0, wide)
    four = fill(keys, 0.0, wide)
    for c in range(0, n, 4):
        one = one + load(turned, at + c * LANES, wide) * item(keys, row + c)
        two = two + load(turned, at + c * LANES + LANES, wide) * item(keys, row + c + 1)
        three = three + load(turned, at + c * LANES + 2 * LANES, wide) * item(keys, row + c + 2)
        four = four + load(turned, at + c * LANES + 3 * LANES, wide) * item(keys, row + c + 3)
    return (one + two) + (three + four)


@kernel(_nrt=False, inline="always")
def _dots_with_g(j, block, blocks, n, lanes, wide, keys, scratch):
    """Dot products u . g_j of the lanes whose subgraph holds ``j``, into ``scratch.of_g``; 0 in the others."""
    store(scratch.of_g, 0, fill(keys.u, 0.0, wide))
    for place in range(item(blocks.member_row, j), item(blocks.member_row, j + 1)):
        entry = item(blocks.member, place)
        lane = item(scratch.lane_of, item(blocks.query_of, entry))
        if lane >= 0:
            u = item(blocks.entry, block * LANES + lane) * n
            store(scratch.of_g, lane, dot_rows(keys.u, u, keys.g, entry * n, n, lanes))


@kernel(_nrt=False, inline="always")
def _enter(block, blocks, adjacency, buckets, shape, scratch):
    """Lead from queries to lanes; find the times of the row's edges."""
    for place in range(block * LANES, block * LANES + LANES):
        if blocks.query[place] >= 0:
            scratch.lane_of[blocks.query[place]] = place - block * LANES
    i = blocks.entity[block]
    find_times(adjacency.row[i], adjacency.row[i + 1], blocks.origin[block], adjacency, buckets, shape, scratch)


@kernel(_nrt=False, inline="always")
def _leave(block, blocks, scratch):
    for place in range(block * LANES, block * LANES + LANES):
        if blocks.query[place] >= 0:
            scratch.lane_of[blocks.query[place]] = -1


@kernel(_nrt=False)
def block_forward(
    first_block, last_block, blocks, h_row, adjacency, buckets, shape, lanes, wide, keys, turned, table, scratch, mass,
    moves, row_max, row_scale, start, mean,
):  # fmt: skip
    """Transitions of blocks first..last: ``moves`` [pairs, LANES], ``row_max`` and ``row_scale`` [K, LANES].

    ``table`` [K, S, LANES]: products of u with the shared table. ``start``, ``mean``: the attention to record, as in
    ``flow_forward``.
    """
    n = shape.row
    size = len(keys.shared) // n * LANES
    for block in range(first_block, last_block):
        i = blocks.entity[block]
        _enter(block, blocks, adjacency, buckets, shape, scratch)
        first = adjacency.row[i]
        begin, end = adjacency.pair_row[i], adjacency.pair_row[i + 1]
        base = block * size
        lowest = fill(keys.u, 0.0, wide) + _LOWEST
        highest = lowest
        for pair in range(begin, end):
            j = np.int64(item(adjacency.pair_neighbour, pair))
            dot_h = _dots(turned, block, keys.h, np.int64(item(h_row, j)) * n, n, wide)
            _dots_with_g(j, block, blocks, n, lanes, wide, keys, scratch)
            dot_g = load(scratch.of_g, 0, wide)
            for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
                score = lowest
                if item(adjacency.mask, edge) != 0:
                    relation = np.int64(item(adjacency.relation, edge)) * LANES
                    time = np.int64(item(scratch.time_row, edge - first)) * LANES
                    rest = load(table, base + relation, wide) + load(table, base + time, wide)
                    x = dot_h + rest
                    y = dot_g + rest
                    score = maximum(x, x * shape.slope) + maximum(y, y * shape.slope)
                store(scratch.score, (edge - first) * LANES, score)
                highest = maximum(score, highest)
        sums = fill(keys.u, 0.0, wide)
        to = blocks.move_start[block] - begin
        for pair in range(begin, end):
            move = fill(keys.u, 0.0, wide)
            for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
                p = exp(load(scratch.score, (edge - first) * LANES, wide) - highest)
                store(scratch.score, (edge - first) * LANES, p)
                move = move + p
            store(moves, (to + pair) * LANES, move)
            sums = sums + move
        scale = (fill(keys.u, 0.0, wide) + 1.0) / sums
        for pair in range(begin, end):
            store(moves, (to + pair) * LANES, load(moves, (to + pair) * LANES, wide) * scale)
        store(row_max, block * LANES, highest)
        store(row_scale, block * LANES, scale)
        for place in range(block * LANES, block * LANES + LANES):
            m = blocks.mass[place]
            if m >= 0 and start[m] >= 0:
                factor = row_scale[place] * mass[m]
                for edge in range(adjacency.row[i + 1] - first):
                    put(mean, start[m] + edge, item(scratch.score, edge * LANES + place - block * LANES) * factor)
        _leave(block, blocks, scratch)


@kernel(_nrt=False)
def block_backward(
    first_block, last_block, blocks, h_row, adjacency, buckets, shape, lanes, wide, keys, turned, rows, table, scratch,
    row_max, row_scale, grad_move, d_rows, d_g, d_table, d_h, shift,
):  # fmt: skip
    """Gradients of blocks first..last from ``grad_move`` [pairs, LANES], the gradient of each neighbour's scores.

    ``rows``, ``d_rows`` [K, LANES, n]: u of every lane and its gradient (beside what ``d_table`` brings). ``d_g`` and
    ``d_h`` are this chunk's buffers; row k of h stands at k + shift in it. All come zeroed.
    """
    n = shape.row
    size = len(keys.shared) // n * LANES
    for block in range(first_block, last_block):
        i = blocks.entity[block]
        _enter(block, blocks, adjacency, buckets, shape, scratch)
        first = adjacency.row[i]
        begin = adjacency.pair_row[i]
        base = block * size
        highest = load(row_max, block * LANES, wide)
        scale = load(row_scale, block * LANES, wide)
        for pair in range(begin, adjacency.pair_row[i + 1]):
            if item(adjacency.pair_count, pair) == 0:
                continue
            j = np.int64(item(adjacency.pair_neighbour, pair))
            of_h = np.int64(item(h_row, j)) * n
            dot_h = _dots(turned, block, keys.h, of_h, n, wide)
            _dots_with_g(j, block, blocks, n, lanes, wide, keys, scratch)
            dot_g = load(scratch.of_g, 0, wide)
            change = load(grad_move, (blocks.move_start[block] + pair - begin) * LANES, wide) * scale
            sum_h = fill(keys.u, 0.0, wide)
            sum_g = fill(keys.u, 0.0, wide)
            for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
                if item(adjacency.mask, edge) == 0:
                    continue
                relation = base + np.int64(item(adjacency.relation, edge)) * LANES
                time = base + np.int64(item(scratch.time_row, edge - first)) * LANES
                rest = load(table, relation, wide) + load(table, time, wide)
                x = dot_h + rest
                y = dot_g + rest
                score = maximum(x, x * shape.slope) + maximum(y, y * shape.slope)
                ds = exp(score - highest) * change
                dh = ds * slope_of(x, shape.slope)
                dg = ds * slope_of(y, shape.slope)
                sum_h = sum_h + dh
                sum_g = sum_g + dg
                both = dh + dg
                store(d_table, relation, load(d_table, relation, wide) + both)
                store(d_table, time, load(d_table, time, wide) + both)
            store(scratch.of_h, 0, sum_h)
            store(scratch.of_g, 0, sum_g)
            _pair_gradients(block, j, of_h, shift * n, blocks, n, keys, rows, d_rows, d_g, d_h, scratch)
        _leave(block, blocks, scratch)


@kernel(_nrt=False)
def _pair_gradients(block, j, of_h, shift, blocks, n, keys, rows, d_rows, d_g, d_h, scratch):
    """Gradients of the dot products of one neighbour, whose own stand in ``scratch.of_h`` and ``of_g``."""
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
