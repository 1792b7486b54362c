"""Backward of the compiled attention flow: scores are formed again, row by row, and each row gives its gradients back.

With p the transition out of i, a the mass of i and G_j the gradient at j:  da = sum p G,  ds = a p (G - da). The
gradient of a score goes to the query side of i and to the keys of h_j, g_j, the relation and the time; as in the
forward pass these are summed over parallel edges first, so a key is touched once per row of the graph. Gradients of
the shared key tables have one buffer per chunk. Rows without an edge to an entity that has a gradient are skipped.
"""

from __future__ import annotations

import numpy as np

from tgap.jit import kernel
from tgap.kernels.compiled_flow import first_move, map_subgraph, pair_transition, transition_row, unmap_subgraph
from tgap.kernels.layout import LANES
from tgap.kernels.simd import fill, item, load, load16, put, spread, store, width_of


@kernel(_nrt=False)
def _row_backward(
    i, m, h_row, adjacency, shape, lanes, keys, scratch, mass, grad, d_mass, d_keys, d_h, shift, grad_move
):
    """Gradient of one scored row, whose transition stands in ``scratch``; ``out_index`` leads to entries of ``grad``.

    With p the transition, a the mass of i and G_j the gradient at j:  da = sum p G,  ds = a p (G - da).
    """
    n = shape.row
    width = width_of(lanes)
    d_u, d_g, d_shared, d_dense = d_keys
    u = np.int64(scratch.sub_index[i]) * n
    mean = fill(keys.u, 0.0, lanes)
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        k = scratch.out_index[adjacency.pair_neighbour[pair]]
        if k >= 0 and adjacency.pair_count[pair] != 0:
            g = load(grad, np.int64(k) * width, lanes)
            mean = mean + g * pair_transition(pair, i, adjacency, lanes, scratch)
    store(d_mass, m * width, mean)
    lane = keys.lane[scratch.sub_index[i]]
    if lane >= 0:
        at = first_move(lane, keys)
        held, own = mass[m], d_mass[m]
        for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
            k = np.int64(item(scratch.out_index, item(adjacency.pair_neighbour, pair)))
            arriving = item(grad, k) if k >= 0 else own * 0
            put(grad_move, at + (pair - adjacency.pair_row[i]) * LANES, (arriving - own) * held)
        return
    dense = keys.dense_row[scratch.sub_index[i]]
    table = d_dense if dense >= 0 else scratch.shared_grad
    base = max(dense, 0) * len(scratch.shared_stamp) * width
    for flow in range(shape.flows):
        held = mass[m * width + flow]
        _score_gradients(i, flow, held, d_mass[m * width + flow], grad, adjacency, shape, lanes, table, base, scratch)
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        if adjacency.pair_count[pair] == 0:
            continue
        j = adjacency.pair_neighbour[pair]
        at = (pair - adjacency.pair_row[i]) * width
        k = np.int64(h_row[j]) * n
        _dot_backward(u, k, k + shift, load(scratch.pair_h, at, lanes), n, keys.u, keys.h, d_u, d_h)
        if scratch.sub_index[j] >= 0:
            k = np.int64(scratch.sub_index[j]) * n
            _dot_backward(u, k, k, load(scratch.pair_g, at, lanes), n, keys.u, keys.g, d_u, d_g)
    for place in range(scratch.used[0]):
        key = scratch.shared_list[place]
        ds = load(scratch.shared_grad, key * width, lanes)
        _dot_backward(u, key * n, key * n, ds, n, keys.u, keys.shared, d_u, d_shared)


@kernel(_nrt=False)
def _score_gradients(i, flow, held, mean, grad, adjacency, shape, lanes, table, base, scratch):
    """Gradients of a row's scores in one flow, summed by neighbour (``pair_h``, ``pair_g``) and by shared key.

    ``table`` [S, W] from ``base`` on: gradients of the products of u with the shared table.
    """
    width = width_of(lanes)
    kind = scratch.score.dtype.type
    slope, one = kind(shape.slope), kind(1)
    first = adjacency.row[i]
    begin = flow * (len(scratch.score) // shape.flows) - first
    base += flow
    factor = held * scratch.scale[flow]
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        k = scratch.out_index[adjacency.pair_neighbour[pair]]
        centred = -mean
        if k >= 0:
            centred = grad[np.int64(k) * width + flow] - mean
        centred *= factor
        sum_h = kind(0)
        sum_g = kind(0)
        for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
            ds = item(scratch.score, begin + edge) * centred  # 0 where the edge is hidden
            dh = ds * (one if item(scratch.arg_h, begin + edge) > 0 else slope)
            dg = ds * (one if item(scratch.arg_g, begin + edge) > 0 else slope)
            sum_h += dh
            sum_g += dg
            both = dh + dg
            relation = base + np.int64(item(adjacency.relation, edge)) * width
            put(table, relation, item(table, relation) + both)
            time = base + np.int64(item(scratch.time_row, edge - first)) * width
            put(table, time, item(table, time) + both)
        at = (pair - adjacency.pair_row[i]) * width + flow
        put(scratch.pair_h, at, sum_h)
        put(scratch.pair_g, at, sum_g)


@kernel(_nrt=False, inline="always")
def _dot_backward(u, k, at, ds, n, rows, keys, d_rows, d_keys):
    """Backward of a dot product u.k with gradient ds: d_u += ds k, d_k += ds u (d_k stands at ``at``)."""
    weight = spread(ds)
    for c in range(0, n, 16):
        store(d_rows, u + c, load16(d_rows, u + c) + weight * load16(keys, k + c))
        store(d_keys, at + c, load16(d_keys, at + c) + weight * load16(rows, u + c))


@kernel(_nrt=False)
def _pull_uniform(b, adjacency, lanes, scratch, out_row, out_entity, grad, d_mass):
    """Gradient of uniform rows, from the entities that have one: cheap where they are few (the targets of a loss)."""
    width = width_of(lanes)
    for k in range(out_row[b], out_row[b + 1]):
        o = out_entity[k]
        g = load(grad, k * width, lanes)
        for pair in range(adjacency.pair_row[o], adjacency.pair_row[o + 1]):
            i = adjacency.pair_neighbour[pair]
            m = np.int64(scratch.mass_index[i])
            if m >= 0 and adjacency.pair_count[pair] != 0 and scratch.sub_index[i] < 0:
                share = adjacency.pair_count[pair] / adjacency.degree[i]
                store(d_mass, m * width, load(d_mass, m * width, lanes) + g * share)


@kernel(_nrt=False)
def _push_uniform(b, state, adjacency, lanes, scratch, grad, d_mass):
    """The same along the edges out of the rows, for rows that are not symmetric."""
    width = width_of(lanes)
    for m in range(state.mass_row[b], state.mass_row[b + 1]):
        i = state.mass_entity[m]
        if scratch.sub_index[i] >= 0:
            continue
        sum_g = fill(grad, 0.0, lanes)
        for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
            k = np.int64(scratch.out_index[adjacency.pair_neighbour[pair]])
            if k >= 0:
                share = adjacency.pair_count[pair] / adjacency.degree[i]
                sum_g = sum_g + load(grad, k * width, lanes) * share
        store(d_mass, m * width, sum_g)


@kernel(_nrt=False)
def flow_backward(
    queries,
    state,
    adjacency,
    buckets,
    shape,
    lanes,
    keys,
    scratch,
    mass,
    out_row,
    out_entity,
    grad,
    d_mass,
    d_keys,
    d_h,
    shift,
    grad_move,
):
    """Backward of a step. ``grad`` [entries of the out lists, W] is the gradient at the entities ``out_entity``.

    ``d_keys`` = (u, g, shared, dense): rows of u, g and dense belong to one query, shared is this chunk's buffer.
    ``d_h`` is the chunk's buffer of h keys; row k of h stands at k + shift[b] in it. All come zeroed. Of rows that a
    block has scored, only ``grad_move`` [pairs, LANES] is written: compiled_blocks.py goes on from there.
    """
    n = shape.row
    width = width_of(lanes)
    for b in queries:
        map_subgraph(b, state, scratch)
        h_row = state.h_row[state.group[b]]
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[m]] = m
            store(d_mass, m * width, fill(keys.u, 0.0, lanes))
        for k in range(out_row[b], out_row[b + 1]):
            scratch.out_index[out_entity[k]] = k
        if adjacency.symmetric:
            _pull_uniform(b, adjacency, lanes, scratch, out_row, out_entity, grad, d_mass)
        else:
            _push_uniform(b, state, adjacency, lanes, scratch, grad, d_mass)
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            i = state.mass_entity[m]
            if scratch.sub_index[i] < 0 or not _reaches_gradient(i, adjacency, scratch):
                continue
            transition_row(i, state.origin[b], h_row, adjacency, buckets, shape, lanes, keys, scratch, True)
            _row_backward(
                i,
                m,
                h_row,
                adjacency,
                shape,
                lanes,
                keys,
                scratch,
                mass,
                grad,
                d_mass,
                d_keys,
                d_h,
                shift[b] * n,
                grad_move,
            )
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[m]] = -1
        for k in range(out_row[b], out_row[b + 1]):
            scratch.out_index[out_entity[k]] = -1
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False, inline="always")
def _reaches_gradient(i, adjacency, scratch):
    """Does ``i`` have a visible edge to an entity with a gradient?"""
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        if adjacency.pair_count[pair] != 0 and scratch.out_index[adjacency.pair_neighbour[pair]] >= 0:
            return True
    return False
