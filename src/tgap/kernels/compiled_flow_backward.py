"""Backward of the compiled attention flow: scores are formed again, row by row, and each row gives its gradients back.

With p the transition out of i, a the mass of i and G_j the gradient at j:  da = sum p G,  ds = a p (G - da). The
gradient of a score goes to the query side of i and to the keys of h_j, g_j, the relation and the time; as in the
forward pass these are summed over parallel edges first, so a key is touched once a row of the graph. Gradients of the
shared key tables have one buffer a chunk. Rows without an edge to an entity that has a gradient are skipped.
"""

from __future__ import annotations

import numpy as np

from tgap.jit import kernel
from tgap.kernels.compiled_flow import enter, leave, pair_transition, transition_row
from tgap.kernels.simd import fill, load, load16, slope_of, spread, store, width_of


@kernel(_nrt=False)
def _row_backward(i, m, place, roads, shape, lanes, keys, space, mass, grad, d_mass, d_keys, d_h, shift):
    """Gradient of one scored row; its softmax stands in the workspace, ``space.post`` leads to the entries of ``grad``.

    With p the transition, a the mass of i and G_j the gradient at j:  da = sum p G,  ds = a p (G - da).
    """
    n = shape.row
    width = width_of(lanes)
    d_u, d_g, d_relation, d_time = d_keys
    first = roads.row[i]
    u = np.int64(space.slot[i]) * n
    mean = fill(keys.u, 0.0, lanes)
    for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
        k = space.post[roads.pair_neighbour[pair]]
        if k >= 0 and roads.pair_count[pair] != 0:
            g = load(grad, np.int64(k) * width, lanes)
            mean = mean + g * pair_transition(pair, first, roads, lanes, space)
    store(d_mass, m * width, mean)
    a = load(mass, m * width, lanes)
    for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
        if roads.pair_count[pair] == 0:
            continue
        j = roads.pair_neighbour[pair]
        k = space.post[j]
        pull = fill(keys.u, 0.0, lanes) - mean
        if k >= 0:
            pull = load(grad, np.int64(k) * width, lanes) - mean
        pull = pull * a
        sum_h = fill(keys.u, 0.0, lanes)
        sum_g = fill(keys.u, 0.0, lanes)
        for edge in range(roads.pair_edge[pair], roads.pair_edge[pair + 1]):
            if roads.mask[edge] == 0:
                continue
            at = (edge - first) * width
            ds = load(space.score, at, lanes) * pull
            dh = ds * slope_of(load(space.with_h, at, lanes), shape.slope)
            dg = ds * slope_of(load(space.with_g, at, lanes), shape.slope)
            sum_h = sum_h + dh
            sum_g = sum_g + dg
            both = dh + dg
            r = np.int64(roads.relation[edge]) * width
            code = np.int64(space.code[edge - first]) * width
            store(space.relation_grad, r, load(space.relation_grad, r, lanes) + both)
            store(space.time_grad, code, load(space.time_grad, code, lanes) + both)
        k = np.int64(place[j]) * n
        _exchange(u, k, k + shift, sum_h, n, keys.u, keys.h, d_u, d_h)
        if space.slot[j] >= 0:
            k = np.int64(space.slot[j]) * n
            _exchange(u, k, k, sum_g, n, keys.u, keys.g, d_u, d_g)
    for k in range(space.used[0]):
        r = np.int64(space.relation_list[k])
        ds = load(space.relation_grad, r * width, lanes)
        _exchange(u, r * n, r * n, ds, n, keys.u, keys.relation, d_u, d_relation)
    for k in range(space.used[1]):
        code = np.int64(space.time_list[k])
        ds = load(space.time_grad, code * width, lanes)
        _exchange(u, code * n, code * n, ds, n, keys.u, keys.time, d_u, d_time)


@kernel(_nrt=False, inline="always")
def _exchange(u, k, at, ds, n, rows, keys, d_rows, d_keys):
    """Backward of a dot product u.k with gradient ds: d_u += ds k, d_k += ds u (d_k stands at ``at``)."""
    weight = spread(ds)
    for c in range(0, n, 16):
        store(d_rows, u + c, load16(d_rows, u + c) + weight * load16(keys, k + c))
        store(d_keys, at + c, load16(d_keys, at + c) + weight * load16(rows, u + c))


@kernel(_nrt=False)
def _pull_uniform(b, roads, lanes, space, out_row, out_node, grad, d_mass):
    """Gradient of uniform rows, from the entities that have one: cheap where they are few (the targets of a loss)."""
    width = width_of(lanes)
    for k in range(out_row[b], out_row[b + 1]):
        o = out_node[k]
        g = load(grad, k * width, lanes)
        for pair in range(roads.pair_row[o], roads.pair_row[o + 1]):
            i = roads.pair_neighbour[pair]
            m = np.int64(space.seat[i])
            if m >= 0 and roads.pair_count[pair] != 0 and space.slot[i] < 0:
                share = roads.pair_count[pair] / roads.degree[i]
                store(d_mass, m * width, load(d_mass, m * width, lanes) + g * share)


@kernel(_nrt=False)
def _push_uniform(b, walkers, roads, lanes, space, grad, d_mass):
    """The same along the edges out of the rows, for roads that are not symmetric."""
    width = width_of(lanes)
    for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
        i = walkers.mass_node[m]
        if space.slot[i] >= 0:
            continue
        sum_g = fill(grad, 0.0, lanes)
        for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
            k = np.int64(space.post[roads.pair_neighbour[pair]])
            if k >= 0:
                share = roads.pair_count[pair] / roads.degree[i]
                sum_g = sum_g + load(grad, k * width, lanes) * share
        store(d_mass, m * width, sum_g)


@kernel(_nrt=False)
def flow_backward(
    queries,
    walkers,
    roads,
    bounds,
    shape,
    lanes,
    keys,
    space,
    mass,
    out_row,
    out_node,
    grad,
    d_mass,
    d_keys,
    d_h,
    shift,
):
    """Backward of a step. ``grad`` [entries of the out lists, W] is the gradient at the entities ``out_node``.

    ``d_keys`` = (u, g, relation, time); u and g rows belong to one query, relation and time are this chunk's buffers.
    ``d_h`` is the chunk's buffer of h keys; row k of h stands at k + shift[b] in it. All come zeroed.
    """
    n = shape.row
    width = width_of(lanes)
    for b in queries:
        enter(b, walkers, space)
        place = walkers.place[walkers.group[b]]
        for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
            space.seat[walkers.mass_node[m]] = m
            store(d_mass, m * width, fill(keys.u, 0.0, lanes))
        for k in range(out_row[b], out_row[b + 1]):
            space.post[out_node[k]] = k
        if roads.symmetric:
            _pull_uniform(b, roads, lanes, space, out_row, out_node, grad, d_mass)
        else:
            _push_uniform(b, walkers, roads, lanes, space, grad, d_mass)
        for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
            i = walkers.mass_node[m]
            if space.slot[i] < 0 or not _leads(i, roads, space):
                continue
            transition_row(i, walkers.origin[b], place, roads, bounds, shape, lanes, keys, space, True)
            _row_backward(i, m, place, roads, shape, lanes, keys, space, mass, grad, d_mass, d_keys, d_h, shift[b] * n)
        for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
            space.seat[walkers.mass_node[m]] = -1
        for k in range(out_row[b], out_row[b + 1]):
            space.post[out_node[k]] = -1
        leave(b, walkers, space)


@kernel(_nrt=False, inline="always")
def _leads(i, roads, space):
    """Does ``i`` have a visible edge to an entity with a gradient?"""
    for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
        if roads.pair_count[pair] != 0 and space.post[roads.pair_neighbour[pair]] >= 0:
            return True
    return False
