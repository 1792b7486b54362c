"""Backward of the compiled attention flow: scores are formed again, row by row, and each row gives its gradients back.

With p the transition out of i, a the mass of i and G_j the gradient at j:  da = sum p G,  ds = a p (G - da). The
gradient of a score goes to the query side of i and to the keys of h_j, g_j, the relation and the time; as in the
forward pass these are summed over parallel edges first, so a key is touched once per row of the graph. Gradients of
the shared key tables have one buffer per chunk. Rows without an edge to an entity that has a gradient are skipped.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.compiled_score import score_backward
from tgap.kernels.compiled_transition import (
    first_move,
    map_subgraph,
    pair_transition,
    room_of,
    transition_row,
    unmap_subgraph,
)
from tgap.kernels.flow_records import FlowArrays, FlowGradients, FlowKeys, FlowScratch, OutputGradient
from tgap.kernels.layout import LANES
from tgap.kernels.simd import Vector, fill, item, load, load16, put, spread, store, width_of

FloatArray = NDArray[np.floating]


@kernel(_nrt=False)
def flow_backward(
    queries: NDArray[np.int64],
    arrays: FlowArrays,
    keys: FlowKeys,
    scratch: FlowScratch,
    out: OutputGradient,
    gradients: FlowGradients,
) -> None:
    """Backward of a step for the given queries, from the gradient of what it wrote.

    Of rows that a block has scored, only ``gradients.moves`` is written: compiled_blocks.py goes on from there.
    """
    state, adjacency, lanes = arrays.state, arrays.adjacency, arrays.lanes
    width = width_of(lanes)
    for b in queries:
        map_subgraph(b, state, scratch)
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[m]] = m
            store(gradients.mass, m * width, fill(keys.u, 0.0, lanes))
        for k in range(out.row[b], out.row[b + 1]):
            scratch.out_index[out.entity[k]] = k
        if adjacency.symmetric:
            _pull_uniform(b, arrays, scratch, out, gradients.mass)
        else:
            _push_uniform(b, arrays, scratch, out, gradients.mass)
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            i = state.mass_entity[m]
            if scratch.sub_index[i] < 0 or not _reaches_gradient(i, arrays, scratch):
                continue
            transition_row(i, b, arrays, keys, scratch, True)
            _row_backward(i, m, b, arrays, keys, scratch, out.grad, gradients)
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[m]] = -1
        for k in range(out.row[b], out.row[b + 1]):
            scratch.out_index[out.entity[k]] = -1
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def _row_backward(
    i: int, m: int, b: int, arrays: FlowArrays, keys: FlowKeys, scratch: FlowScratch, grad: FloatArray,
    gradients: FlowGradients,
) -> None:  # fmt: skip
    """Gradient of one scored row, whose transition stands in ``scratch``; ``out_index`` leads to entries of ``grad``.

    With p the transition, a the mass of i and G_j the gradient at j:  da = sum p G,  ds = a p (G - da).
    """
    adjacency, lanes, n = arrays.adjacency, arrays.lanes, arrays.shape.row
    h_row = arrays.state.h_row[arrays.state.group[b]]
    width = width_of(lanes)
    u = np.int64(scratch.sub_index[i]) * n
    mean = fill(keys.u, 0.0, lanes)
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        k = scratch.out_index[adjacency.pair_neighbour[pair]]
        if k >= 0 and adjacency.pair_count[pair] != 0:
            g = load(grad, np.int64(k) * width, lanes)
            mean = mean + g * pair_transition(pair, i, arrays, scratch)
    store(gradients.mass, m * width, mean)
    lane = keys.lane[scratch.sub_index[i]]
    if lane >= 0:
        at = first_move(lane, keys)
        held, own = arrays.mass[m], gradients.mass[m]
        for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
            k = np.int64(item(scratch.out_index, item(adjacency.pair_neighbour, pair)))
            arriving = item(grad, k) if k >= 0 else own * 0
            put(gradients.moves, at + (pair - adjacency.pair_row[i]) * LANES, (arriving - own) * held)
        return
    dense = keys.dense_row[scratch.sub_index[i]]
    table = gradients.dense if dense >= 0 else scratch.shared_grad
    base = max(dense, 0) * len(scratch.shared_stamp) * width
    for flow in range(arrays.shape.flows):
        _score_gradients(i, m, flow, arrays, grad, gradients.mass, table, base, scratch)
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        if adjacency.pair_count[pair] == 0:
            continue
        j = adjacency.pair_neighbour[pair]
        at = (pair - adjacency.pair_row[i]) * width
        k = np.int64(h_row[j]) * n
        shift = gradients.h_shift[b] * n
        _dot_backward(u, k, k + shift, load(scratch.pair_h, at, lanes), n, keys.u, keys.h, gradients.u, gradients.h)
        if scratch.sub_index[j] >= 0:
            k = np.int64(scratch.sub_index[j]) * n
            _dot_backward(u, k, k, load(scratch.pair_g, at, lanes), n, keys.u, keys.g, gradients.u, gradients.g)
    for place in range(scratch.used[0]):
        key = scratch.shared_list[place]
        ds = load(scratch.shared_grad, key * width, lanes)
        _dot_backward(u, key * n, key * n, ds, n, keys.u, keys.shared, gradients.u, gradients.shared)


@kernel(_nrt=False)
def _score_gradients(
    i: int, m: int, flow: int, arrays: FlowArrays, grad: FloatArray, d_mass: FloatArray, table: FloatArray, base: int,
    scratch: FlowScratch,
) -> None:  # fmt: skip
    """Gradients of a row's scores in one flow, summed by neighbour (``pair_h``, ``pair_g``) and by shared key.

    ``table`` [S, W] from ``base`` on: gradients of the products of u with the shared table.
    """
    adjacency, shape = arrays.adjacency, arrays.shape
    width = width_of(arrays.lanes)
    kind = scratch.score.dtype.type
    slope = kind(shape.slope)
    first = adjacency.row[i]
    begin = flow * room_of(scratch.score, shape.flows) - first
    base += flow
    mean = d_mass[m * width + flow]
    factor = arrays.mass[m * width + flow] * scratch.scale[flow]
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        k = scratch.out_index[adjacency.pair_neighbour[pair]]
        centred = -mean
        if k >= 0:
            centred = grad[np.int64(k) * width + flow] - mean
        centred *= factor
        sum_h = kind(0)
        sum_g = kind(0)
        for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
            ds = item(scratch.score, begin + edge) * centred  # a p (G - da); 0 where the edge is hidden
            dx, dy = score_backward(ds, item(scratch.arg_h, begin + edge), item(scratch.arg_g, begin + edge), slope)
            sum_h += dx
            sum_g += dy
            both = dx + dy
            rho = base + np.int64(item(adjacency.relation, edge)) * width
            put(table, rho, item(table, rho) + both)
            tau = base + np.int64(item(scratch.time_row, edge - first)) * width
            put(table, tau, item(table, tau) + both)
        at = (pair - adjacency.pair_row[i]) * width + flow
        put(scratch.pair_h, at, sum_h)
        put(scratch.pair_g, at, sum_g)


@kernel(_nrt=False, inline="always")
def _dot_backward(
    u: np.int64, k: np.int64, at: np.int64, ds: Vector, n: int, rows: FloatArray, keys: FloatArray, d_rows: FloatArray,
    d_keys: FloatArray,
) -> None:  # fmt: skip
    """Backward of a dot product u.k with gradient ds: d_u += ds k, d_k += ds u (d_k stands at ``at``)."""
    weight = spread(ds)
    for c in range(0, n, 16):
        store(d_rows, u + c, load16(d_rows, u + c) + weight * load16(keys, k + c))
        store(d_keys, at + c, load16(d_keys, at + c) + weight * load16(rows, u + c))


@kernel(_nrt=False)
def _pull_uniform(b: int, arrays: FlowArrays, scratch: FlowScratch, out: OutputGradient, d_mass: FloatArray) -> None:
    """Gradient of uniform rows, from the entities that have one: cheap where they are few (the targets of a loss)."""
    adjacency, lanes = arrays.adjacency, arrays.lanes
    width = width_of(lanes)
    for k in range(out.row[b], out.row[b + 1]):
        o = out.entity[k]
        g = load(out.grad, k * width, lanes)
        for pair in range(adjacency.pair_row[o], adjacency.pair_row[o + 1]):
            i = adjacency.pair_neighbour[pair]
            m = np.int64(scratch.mass_index[i])
            if m >= 0 and adjacency.pair_count[pair] != 0 and scratch.sub_index[i] < 0:
                share = adjacency.pair_count[pair] / adjacency.degree[i]
                store(d_mass, m * width, load(d_mass, m * width, lanes) + g * share)


@kernel(_nrt=False)
def _push_uniform(b: int, arrays: FlowArrays, scratch: FlowScratch, out: OutputGradient, d_mass: FloatArray) -> None:
    """The same along the edges out of the rows, for rows that are not symmetric."""
    state, adjacency, lanes = arrays.state, arrays.adjacency, arrays.lanes
    width = width_of(lanes)
    for m in range(state.mass_row[b], state.mass_row[b + 1]):
        i = state.mass_entity[m]
        if scratch.sub_index[i] >= 0:
            continue
        sum_g = fill(out.grad, 0.0, lanes)
        for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
            k = np.int64(scratch.out_index[adjacency.pair_neighbour[pair]])
            if k >= 0:
                share = adjacency.pair_count[pair] / adjacency.degree[i]
                sum_g = sum_g + load(out.grad, k * width, lanes) * share
        store(d_mass, m * width, sum_g)


@kernel(_nrt=False, inline="always")
def _reaches_gradient(i: int, arrays: FlowArrays, scratch: FlowScratch) -> bool:
    """Does ``i`` have a visible edge to an entity with a gradient?"""
    adjacency = arrays.adjacency
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        if adjacency.pair_count[pair] != 0 and scratch.out_index[adjacency.pair_neighbour[pair]] >= 0:
            return True
    return False
