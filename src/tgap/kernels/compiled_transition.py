"""Compiled attention flow: one row of the transition matrix, T_e = softmax of score_e over the edges out of i.

A score splits into  u_i.k(h_j) + u_i.k(rho_r) + u_i.k(tau_d)  and the same with g_j (compiled_score.py). The entity
parts are formed once per distinct neighbour. Relations and displacements stand in one shared table: a long row meets a
good part of it, so all of its products are formed by one matrix product before the kernel runs (``FlowKeys.dense``); a
short row forms those that occur in it and keeps them in the scratch buffers. What is left for an edge is three
look-ups, a few additions and one exponential. Scores of a row lie side by side for each flow, so exponentials are taken
sixteen at a time.

Legend: see flow_records.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.compiled_rows import bucket_of, dot_rows
from tgap.kernels.compiled_score import edge_score, score_arguments
from tgap.kernels.flow_records import FlowArrays, FlowKeys, FlowScratch
from tgap.kernels.layout import LANES
from tgap.kernels.simd import Vector, exp, fill, item, load, load16, maximum, put, store, total, width_of, zero16
from tgap.kernels.structure import QueryState

LOWEST = -3.0e38  # the score of a hidden edge: its exponential is zero


@kernel(_nrt=False, inline="always")
def map_subgraph(b: int, state: QueryState, scratch: FlowScratch) -> None:
    """Fill the map from the entities of the query's subgraph to their rows."""
    for q in range(state.sub_row[b], state.sub_row[b + 1]):
        scratch.sub_index[state.sub_entity[q]] = q


@kernel(_nrt=False, inline="always")
def unmap_subgraph(b: int, state: QueryState, scratch: FlowScratch) -> None:
    """Reset what ``map_subgraph`` filled."""
    for q in range(state.sub_row[b], state.sub_row[b + 1]):
        scratch.sub_index[state.sub_entity[q]] = -1


@kernel(_nrt=False)
def find_times(i: int, origin: int, arrays: FlowArrays, time_row: NDArray[np.int32]) -> None:
    """Where the times of a row's edges stand in the shared table, into ``time_row``."""
    adjacency, buckets, shape = arrays.adjacency, arrays.buckets, arrays.shape
    first, last = adjacency.row[i], adjacency.row[i + 1]
    start = np.int32(shape.loop + 1)
    if len(buckets.bounds) > 0 or shape.signed or abs(origin) > 2**30:
        for edge in range(first, last):
            dt = np.int64(0)
            if adjacency.relation[edge] != shape.loop:
                dt = np.int64(adjacency.time[edge]) - origin
            size = bucket_of(abs(dt), buckets)
            if shape.signed:
                size = buckets.number - 1 + (size if dt >= 0 else -size)
            time_row[edge - first] = start + size
        return
    here, loop, most = np.int32(origin), np.int32(shape.loop), np.int32(buckets.number - 1)
    for place in range(last - first):  # every size is a bucket: plain arithmetic, done on several edges at a time
        near = min(np.int32(abs(np.int32(item(adjacency.time, first + place) - here))), most)
        put(time_row, place, start + (np.int32(0) if item(adjacency.relation, first + place) == loop else near))


@kernel(_nrt=False)
def transition_row(i: int, b: int, arrays: FlowArrays, keys: FlowKeys, scratch: FlowScratch, keep: bool) -> None:
    """The transition from ``i`` to each neighbour, into ``scratch.pair_move``.

    Of a single edge it is ``score`` times ``scale`` of the scratch buffers (not of a row that a block has scored).
    ``keep``: also what the gradient needs.
    """
    adjacency, shape = arrays.adjacency, arrays.shape
    width = width_of(arrays.lanes)
    lane = keys.lane[scratch.sub_index[i]]
    if lane >= 0:
        at = first_move(lane, keys)
        for pair in range(adjacency.pair_row[i + 1] - adjacency.pair_row[i]):
            put(scratch.pair_move, pair, item(keys.moves, at + pair * LANES))
        return
    kind = scratch.score.dtype.type
    _form_products(i, b, arrays, keys, scratch, keep)
    dense = keys.dense_row[scratch.sub_index[i]]
    table = keys.dense if dense >= 0 else scratch.shared_score
    base = max(dense, 0) * len(scratch.shared_stamp) * width
    first, last = adjacency.row[i], adjacency.row[i + 1]
    # The next lines are equivalent, for each flow, to: pair_move = softmax(scores)[edges of the pair].sum()
    for flow in range(shape.flows):
        begin = flow * room_of(scratch.score, shape.flows)
        highest = _score_edges(i, flow, arrays, table, base, scratch, keep)
        part = kind(1) / _exponentials(begin, last - first, highest, scratch)
        scratch.scale[flow] = part
        for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
            move = kind(0)
            for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
                move += item(scratch.score, begin + edge - first)
            put(scratch.pair_move, (pair - adjacency.pair_row[i]) * width + flow, move * part)


@kernel(_nrt=False)
def _form_products(i: int, b: int, arrays: FlowArrays, keys: FlowKeys, scratch: FlowScratch, keep: bool) -> None:
    """What the scores of a row are sums of: u.k(h_j) and u.k(g_j) per neighbour, u.k per row of the shared table."""
    adjacency, lanes, n = arrays.adjacency, arrays.lanes, arrays.shape.row
    h_row = arrays.state.h_row[arrays.state.group[b]]
    width = width_of(lanes)
    u = np.int64(scratch.sub_index[i]) * n
    first, last = adjacency.row[i], adjacency.row[i + 1]
    find_times(i, arrays.state.origin[b], arrays, scratch.time_row)
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    scratch.used[0] = 0
    if keys.dense_row[scratch.sub_index[i]] < 0:
        for edge in range(first, last):
            if item(adjacency.mask, edge) != 0:
                _need(np.int64(item(adjacency.relation, edge)), u, stamp, lanes, keys, n, scratch, keep)
                _need(np.int64(item(scratch.time_row, edge - first)), u, stamp, lanes, keys, n, scratch, keep)
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        if adjacency.pair_count[pair] == 0:
            continue
        j = adjacency.pair_neighbour[pair]
        at = (pair - adjacency.pair_row[i]) * width
        store(scratch.pair_h, at, dot_rows(keys.u, u, keys.h, np.int64(h_row[j]) * n, n, lanes))
        dot_g = fill(keys.u, 0.0, lanes)
        if scratch.sub_index[j] >= 0:
            dot_g = dot_rows(keys.u, u, keys.g, np.int64(scratch.sub_index[j]) * n, n, lanes)
        store(scratch.pair_g, at, dot_g)


@kernel(_nrt=False, inline="always")
def _need(
    key: np.int64, u: np.int64, stamp: int, lanes: tuple[int, ...], keys: FlowKeys, n: int, scratch: FlowScratch,
    keep: bool,
) -> None:  # fmt: skip
    """Form the product of u with a row of the shared table, if the current row does not have it yet."""
    if item(scratch.shared_stamp, key) != stamp:
        put(scratch.shared_stamp, key, stamp)
        store(scratch.shared_score, key * width_of(lanes), dot_rows(keys.u, u, keys.shared, key * n, n, lanes))
        if keep:
            store(scratch.shared_grad, key * width_of(lanes), fill(keys.u, 0.0, lanes))
            scratch.shared_list[scratch.used[0]] = key
            scratch.used[0] += 1


@kernel(_nrt=False)
def _score_edges(
    i: int, flow: int, arrays: FlowArrays, table: NDArray[np.floating], base: int, scratch: FlowScratch, keep: bool
) -> np.floating:
    """Scores of a row's edges in one flow, into ``scratch.score``; returns their maximum.

    ``table`` [S, W] from ``base`` on: products of u with the shared table. ``keep``: also both arguments of the scores.
    """
    adjacency, shape = arrays.adjacency, arrays.shape
    width = width_of(arrays.lanes)
    kind = scratch.score.dtype.type
    slope, lowest = kind(shape.slope), kind(LOWEST)
    highest: np.floating = lowest
    first = adjacency.row[i]
    begin = flow * room_of(scratch.score, shape.flows)
    base += flow
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        at = (pair - adjacency.pair_row[i]) * width + flow
        u_h = item(scratch.pair_h, at)
        u_g = item(scratch.pair_g, at)
        for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
            rho = base + np.int64(item(adjacency.relation, edge)) * width
            tau = base + np.int64(item(scratch.time_row, edge - first)) * width
            x, y = score_arguments(u_h, u_g, item(table, rho), item(table, tau))
            score = edge_score(x, y, slope)
            score = score if item(adjacency.mask, edge) != 0 else lowest
            highest = maximum(score, highest)
            put(scratch.score, begin + edge - first, score)
            if keep:
                put(scratch.arg_h, begin + edge - first, x)
                put(scratch.arg_g, begin + edge - first, y)
    return highest


@kernel(_nrt=False, inline="always")
def room_of(score: NDArray[np.floating], flows: int) -> int:
    """Numbers that ``scratch.score`` has for each flow."""
    return len(score) // flows


@kernel(_nrt=False)
def _exponentials(begin: int, count: int, highest: np.floating, scratch: FlowScratch) -> np.floating:
    """Replace ``count`` scores by exp(score - highest); returns their sum."""
    kind = scratch.score.dtype.type
    for place in range(begin + count, begin + (count + 15) // 16 * 16):
        scratch.score[place] = kind(LOWEST)
    sums = zero16(scratch.score)
    for place in range(begin, begin + count, 16):
        p = exp(load16(scratch.score, place) - highest)
        store(scratch.score, place, p)
        sums = sums + p
    return total(sums)


@kernel(_nrt=False, inline="always")
def first_move(lane: int, keys: FlowKeys) -> int:
    """Where the numbers of a lane begin in arrays of [pairs, LANES]."""
    return keys.move_start[lane // LANES] * LANES + lane % LANES


@kernel(_nrt=False, inline="always")
def pair_transition(pair: int, i: int, arrays: FlowArrays, scratch: FlowScratch) -> Vector:
    """Transition to the neighbour of a pair of the current row."""
    return load(scratch.pair_move, (pair - arrays.adjacency.pair_row[i]) * width_of(arrays.lanes), arrays.lanes)
