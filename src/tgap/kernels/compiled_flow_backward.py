"""Backward of the compiled attention flow: scores are formed again, row by row, and each row gives its gradients back.

With p the transition out of i, a the mass of i and G_j the gradient at j:  da = sum p G,  ds = a p (G - da). The
gradient of a score goes to the query side of i and to the keys of h_j, g_j, the relation and the time; as in the
forward pass these are summed over parallel edges first, so a key is touched once per row of the graph. Gradients of
the shared key tables have one buffer per chunk. Rows without an edge to an entity that has a gradient are skipped.
"""

from __future__ import annotations

import numpy as np

from tgap.jit import kernel
from tgap.kernels.compiled_flow import map_subgraph, pair_transition, transition_row, unmap_subgraph
from tgap.kernels.simd import fill, load, load16, slope_of, spread, store, width_of


@kernel(_nrt=False)
def _row_backward(i, m, h_row, adjacency, shape, lanes, keys, scratch, mass, grad, d_mass, d_keys, d_h, shift):
    """Gradient of one scored row, whose softmax stands in ``scratch``; ``out_index`` leads to the entries of ``grad``.

    With p the transition, a the mass of i and G_j the gradient at j:  da = sum p G,  ds = a p (G - da).
    """
    n = shape.row
    width = width_of(lanes)
    d_u, d_g, d_relation, d_time = d_keys
    first = adjacency.row[i]
    u = np.int64(scratch.sub_index[i]) * n
    mean = fill(keys.u, 0.0, lanes)
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        k = scratch.out_index[adjacency.pair_neighbour[pair]]
        if k >= 0 and adjacency.pair_count[pair] != 0:
            g = load(grad, np.int64(k) * width, lanes)
            mean = mean + g * pair_transition(pair, first, adjacency, lanes, scratch)
    store(d_mass, m * width, mean)
    a = load(mass, m * width, lanes)
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        if adjacency.pair_count[pair] == 0:
            continue
        j = adjacency.pair_neighbour[pair]
        k = scratch.out_index[j]
        centred = fill(keys.u, 0.0, lanes) - mean
        if k >= 0:
            centred = load(grad, np.int64(k) * width, lanes) - mean
        centred = centred * a
        sum_h = fill(keys.u, 0.0, lanes)
        sum_g = fill(keys.u, 0.0, lanes)
        for edge in range(adjacency.pair_edge[pair], adjacency.pair_edge[pair + 1]):
            if adjacency.mask[edge] == 0:
                continue
            at = (edge - first) * width
            ds = load(scratch.score, at, lanes) * centred
            dh = ds * slope_of(load(scratch.arg_h, at, lanes), shape.slope)
            dg = ds * slope_of(load(scratch.arg_g, at, lanes), shape.slope)
            sum_h = sum_h + dh
            sum_g = sum_g + dg
            both = dh + dg
            r = np.int64(adjacency.relation[edge]) * width
            code = np.int64(scratch.code[edge - first]) * width
            store(scratch.relation_grad, r, load(scratch.relation_grad, r, lanes) + both)
            store(scratch.time_grad, code, load(scratch.time_grad, code, lanes) + both)
        k = np.int64(h_row[j]) * n
        _dot_backward(u, k, k + shift, sum_h, n, keys.u, keys.h, d_u, d_h)
        if scratch.sub_index[j] >= 0:
            k = np.int64(scratch.sub_index[j]) * n
            _dot_backward(u, k, k, sum_g, n, keys.u, keys.g, d_u, d_g)
    for k in range(scratch.used[0]):
        r = np.int64(scratch.relation_list[k])
        ds = load(scratch.relation_grad, r * width, lanes)
        _dot_backward(u, r * n, r * n, ds, n, keys.u, keys.relation, d_u, d_relation)
    for k in range(scratch.used[1]):
        code = np.int64(scratch.time_list[k])
        ds = load(scratch.time_grad, code * width, lanes)
        _dot_backward(u, code * n, code * n, ds, n, keys.u, keys.time, d_u, d_time)


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
    bounds,
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
):
    """Backward of a step. ``grad`` [entries of the out lists, W] is the gradient at the entities ``out_entity``.

    ``d_keys`` = (u, g, relation, time); u and g rows belong to one query, relation and time are this chunk's buffers.
    ``d_h`` is the chunk's buffer of h keys; row k of h stands at k + shift[b] in it. All come zeroed.
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
            transition_row(i, state.origin[b], h_row, adjacency, bounds, shape, lanes, keys, scratch, True)
            _row_backward(
                i, m, h_row, adjacency, shape, lanes, keys, scratch, mass, grad, d_mass, d_keys, d_h, shift[b] * n
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
