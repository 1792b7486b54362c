"""Compiled attention flow: one step of mass along the edges (backward: compiled_flow_backward.py).

A row of the transition matrix is scored only where the entity belongs to the query's subgraph; elsewhere its feature
is zero, all its edges score alike, and the transition is exactly 1 / (visible degree): one addition a neighbour.

A score splits into  u_i.k(h_j) + u_i.k(rho_r) + u_i.k(tau_d)  and the same with g_j. The entity parts are formed once a
distinct neighbour, the relation and time parts once a row for every relation and displacement that occurs in it
(remembered in the workspace), so an edge costs a few vector operations on its heads and one exponential.

Mass is a list for each query (entities and their mass), never a table of batch x entities. The last step of training
asks for the mass of given targets only: rows without an edge into a target are not touched.

Legend: B queries, M entries of the mass lists, Q entries of the subgraph lists, n row length, W lanes, H flows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.compiled_rows import bucket_of, dot_rows
from tgap.kernels.simd import exp, fill, load, maximum, store, total, width_of


class FlowShape(NamedTuple):
    """Whole numbers that a kernel needs besides the arrays."""

    row: int  # n
    flows: int  # H
    loop: int  # relation id of self-loops
    buckets: int  # D; a displacement's key stands at D - 1 + sign * bucket
    exact: int  # Clock.exact
    slope: float  # of LeakyReLU


class Keys(NamedTuple):
    """Flat tables in lane layout: the query side u = W_Q g and the keys W_K of g, h, relations, displacements."""

    u: NDArray[np.floating]  # [Q, n]
    g: NDArray[np.floating]  # [Q, n]
    h: NDArray[np.floating]  # [rows of h, n]
    relation: NDArray[np.floating]  # [2R+1, n]
    time: NDArray[np.floating]  # [2D-1, n]


class Workspace(NamedTuple):
    """Scratch of one thread; every kernel leaves it as it found it (maps -1, stamps only grow)."""

    slot: NDArray[np.int32]  # [N] entity -> row in the subgraph list, or -1
    seat: NDArray[np.int32]  # [N] entity -> entry of a list, or -1
    post: NDArray[np.int32]  # [N] entity -> entry of another list, or -1
    stamp: NDArray[np.int64]  # [1] number of the row at hand
    relation_stamp: NDArray[np.int64]  # [2R+1] row that a remembered relation score belongs to
    time_stamp: NDArray[np.int64]  # [2D-1]
    relation_score: NDArray[np.floating]  # [2R+1, W]
    time_score: NDArray[np.floating]  # [2D-1, W]
    relation_grad: NDArray[np.floating]  # [2R+1, W]
    time_grad: NDArray[np.floating]  # [2D-1, W]
    relation_list: NDArray[np.int32]  # [2R+1] relations of the row at hand
    time_list: NDArray[np.int32]  # [2D-1]
    used: NDArray[np.int64]  # [2] how many of them
    code: NDArray[np.int32]  # [largest degree] displacement key of each edge of the row
    score: NDArray[np.floating]  # [largest degree, W]
    with_h: NDArray[np.floating]  # [largest degree, W] argument of the score's h part
    with_g: NDArray[np.floating]  # [largest degree, W] argument of its g part


def workspace(entities: int, relations: int, buckets: int, degree: int, width: int, dtype: np.dtype) -> Workspace:
    """Fresh scratch for graphs of this size."""
    codes = 2 * buckets - 1
    return Workspace(
        slot=np.full(entities, -1, np.int32),
        seat=np.full(entities, -1, np.int32),
        post=np.full(entities, -1, np.int32),
        stamp=np.zeros(1, np.int64),
        relation_stamp=np.zeros(relations, np.int64),
        time_stamp=np.zeros(codes, np.int64),
        relation_score=np.zeros(relations * width, dtype),
        time_score=np.zeros(codes * width, dtype),
        relation_grad=np.zeros(relations * width, dtype),
        time_grad=np.zeros(codes * width, dtype),
        relation_list=np.zeros(relations, np.int32),
        time_list=np.zeros(codes, np.int32),
        used=np.zeros(2, np.int64),
        code=np.zeros(degree, np.int32),
        score=np.zeros(degree * width, dtype),
        with_h=np.zeros(degree * width, dtype),
        with_g=np.zeros(degree * width, dtype),
    )


@kernel(_nrt=False, inline="always")
def enter(query, walkers, space):
    """Map the query's subgraph entities to their rows."""
    for q in range(walkers.sub_row[query], walkers.sub_row[query + 1]):
        space.slot[walkers.sub_node[q]] = q


@kernel(_nrt=False, inline="always")
def leave(query, walkers, space):
    """Clean the map that ``enter`` filled."""
    for q in range(walkers.sub_row[query], walkers.sub_row[query + 1]):
        space.slot[walkers.sub_node[q]] = -1


@kernel(_nrt=False)
def _score_row(i, origin, place, roads, bounds, shape, lanes, keys, space, keep):
    """Scores of the edges out of ``i`` into ``space.score``; returns their maximum. ``keep``: also both arguments."""
    n = shape.row
    width = width_of(lanes)
    u = np.int64(space.slot[i]) * n
    first = roads.row[i]
    space.stamp[0] += 1
    stamp = space.stamp[0]
    space.used[0] = 0
    space.used[1] = 0
    highest = fill(keys.u, -3.0e38, lanes)
    for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
        if roads.pair_count[pair] == 0:
            continue
        j = roads.pair_neighbour[pair]
        with_h = dot_rows(keys.u, u, keys.h, np.int64(place[j]) * n, n, lanes)
        with_g = fill(keys.u, 0.0, lanes)
        if space.slot[j] >= 0:
            with_g = dot_rows(keys.u, u, keys.g, np.int64(space.slot[j]) * n, n, lanes)
        for edge in range(roads.pair_edge[pair], roads.pair_edge[pair + 1]):
            if roads.mask[edge] == 0:
                continue
            r = np.int64(roads.relation[edge])
            if space.relation_stamp[r] != stamp:
                space.relation_stamp[r] = stamp
                store(space.relation_score, r * width, dot_rows(keys.u, u, keys.relation, r * n, n, lanes))
                if keep:
                    store(space.relation_grad, r * width, fill(keys.u, 0.0, lanes))
                    space.relation_list[space.used[0]] = r
                    space.used[0] += 1
            dt = np.int64(0)
            if r != shape.loop:
                dt = roads.time[edge] - origin
            size = bucket_of(abs(dt), shape.exact, bounds, shape.buckets)
            code = shape.buckets - 1 + (size if dt >= 0 else -size)
            if space.time_stamp[code] != stamp:
                space.time_stamp[code] = stamp
                store(space.time_score, code * width, dot_rows(keys.u, u, keys.time, code * n, n, lanes))
                if keep:
                    store(space.time_grad, code * width, fill(keys.u, 0.0, lanes))
                    space.time_list[space.used[1]] = code
                    space.used[1] += 1
            base = load(space.relation_score, r * width, lanes) + load(space.time_score, code * width, lanes)
            x = with_h + base
            y = with_g + base
            s = maximum(x, x * shape.slope) + maximum(y, y * shape.slope)
            at = edge - first
            store(space.score, at * width, s)
            highest = maximum(s, highest)
            if keep:
                space.code[at] = code
                store(space.with_h, at * width, x)
                store(space.with_g, at * width, y)
    return highest


@kernel(_nrt=False)
def transition_row(i, origin, place, roads, bounds, shape, lanes, keys, space, keep):
    """Softmax over the edges out of ``i``, left in ``space.score``."""
    width = width_of(lanes)
    highest = _score_row(i, origin, place, roads, bounds, shape, lanes, keys, space, keep)
    first = roads.row[i]
    sums = fill(keys.u, 0.0, lanes)
    for edge in range(first, roads.row[i + 1]):
        if roads.mask[edge] != 0:
            p = exp(load(space.score, (edge - first) * width, lanes) - highest)
            store(space.score, (edge - first) * width, p)
            sums = sums + p
    part = fill(keys.u, 1.0, lanes) / sums
    for edge in range(first, roads.row[i + 1]):
        if roads.mask[edge] != 0:
            store(space.score, (edge - first) * width, load(space.score, (edge - first) * width, lanes) * part)


@kernel(_nrt=False, inline="always")
def pair_transition(pair, first, roads, lanes, space):
    """Transition to the neighbour of a pair: the sum over its parallel edges of the row's softmax."""
    p = fill(space.score, 0.0, lanes)
    for edge in range(roads.pair_edge[pair], roads.pair_edge[pair + 1]):
        if roads.mask[edge] != 0:
            p = p + load(space.score, (edge - first) * width_of(lanes), lanes)
    return p


@kernel(_nrt=False, inline="always")
def _arrive(j, amount, base, count, lanes, out_node, out_mass, seat):
    """Add ``amount`` to entity ``j`` in a query's new mass list; returns the length of the list."""
    width = width_of(lanes)
    at = seat[j]
    if at < 0:
        seat[j] = count
        out_node[base + count] = j
        store(out_mass, (base + count) * width, amount)
        return count + 1
    store(out_mass, (base + at) * width, load(out_mass, (base + at) * width, lanes) + amount)
    return count


@kernel(_nrt=False)
def flow_forward(
    queries, walkers, roads, bounds, shape, lanes, keys, space, mass, out_row, out_node, out_mass, out_count, record
):
    """One step for the given queries: new mass lists, written from ``out_row`` on.

    ``record`` = (start, mean, full): for entry m of the mass lists, if start[m] >= 0, the attention of the edges of its
    row is written from there on: the mean over flows into ``mean`` and, where ``full`` has room, all flows into it.
    """
    width = width_of(lanes)
    start, mean, full = record
    for b in queries:
        enter(b, walkers, space)
        origin = walkers.origin[b]
        place = walkers.place[walkers.group[b]]
        base = out_row[b]
        count = 0
        for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
            i = walkers.mass_node[m]
            a = load(mass, m * width, lanes)
            scored = space.slot[i] >= 0
            even = a / roads.degree[i]
            if scored:
                transition_row(i, origin, place, roads, bounds, shape, lanes, keys, space, False)
                first = roads.row[i]
                for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
                    if roads.pair_count[pair] == 0:
                        continue
                    p = pair_transition(pair, first, roads, lanes, space)
                    j = roads.pair_neighbour[pair]
                    count = _arrive(j, p * a, base, count, lanes, out_node, out_mass, space.seat)
            else:
                for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
                    visible = roads.pair_count[pair]
                    if visible != 0:
                        j = roads.pair_neighbour[pair]
                        count = _arrive(j, even * visible, base, count, lanes, out_node, out_mass, space.seat)
            if start[m] >= 0:
                first = roads.row[i]
                for edge in range(first, roads.row[i + 1]):
                    at = start[m] + edge - first
                    moved = fill(keys.u, 0.0, lanes)
                    if roads.mask[edge] != 0:
                        moved = even
                        if scored:
                            moved = load(space.score, (edge - first) * width, lanes) * a
                    mean[at] = total(moved) / shape.flows
                    if len(full) > 0:
                        store(full, at * width, moved)
        out_count[b] = count
        for k in range(count):
            space.seat[out_node[base + k]] = -1
        leave(b, walkers, space)


@kernel(_nrt=False)
def flow_to_all(queries, walkers, roads, bounds, shape, lanes, keys, space, mass, out):
    """Last step of evaluation: mean mass of every entity, ``out`` [B, N] (zeroed by the caller).

    The mean over flows is taken before the uniform rows are added, so those cost one number an edge.
    """
    width = width_of(lanes)
    for b in queries:
        enter(b, walkers, space)
        place = walkers.place[walkers.group[b]]
        for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
            i = walkers.mass_node[m]
            a = load(mass, m * width, lanes)
            if space.slot[i] >= 0:
                transition_row(i, walkers.origin[b], place, roads, bounds, shape, lanes, keys, space, False)
                first = roads.row[i]
                for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
                    if roads.pair_count[pair] == 0:
                        continue
                    p = pair_transition(pair, first, roads, lanes, space)
                    out[b, roads.pair_neighbour[pair]] += total(p * a) / shape.flows
            else:
                even = total(a) / shape.flows / roads.degree[i]
                for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
                    out[b, roads.pair_neighbour[pair]] += even * roads.pair_count[pair]
        leave(b, walkers, space)


@kernel(_nrt=False)
def flow_to_targets(
    queries, walkers, roads, bounds, shape, lanes, keys, space, mass, target_row, target_node, out, active
):
    """Last step of training: mean mass of the targets, ``out`` [targets]; ``active`` [M] marks the scored rows used."""
    width = width_of(lanes)
    for b in queries:
        enter(b, walkers, space)
        place = walkers.place[walkers.group[b]]
        for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
            space.seat[walkers.mass_node[m]] = m
            active[m] = 0
        for k in range(target_row[b], target_row[b + 1]):
            o = target_node[k]
            space.post[o] = k
            value = mass[0] * 0
            for pair in range(roads.pair_row[o], roads.pair_row[o + 1]):
                i = roads.pair_neighbour[pair]  # the graph is symmetric: as many edges i -> o as o -> i
                m = np.int64(space.seat[i])
                if m < 0 or roads.pair_count[pair] == 0:
                    continue
                if space.slot[i] >= 0:
                    active[m] = 1
                else:
                    share = roads.pair_count[pair] / roads.degree[i] / shape.flows
                    value += total(load(mass, m * width, lanes)) * share
            out[k] = value
        for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
            if active[m] == 0:
                continue
            i = walkers.mass_node[m]
            a = load(mass, m * width, lanes)
            transition_row(i, walkers.origin[b], place, roads, bounds, shape, lanes, keys, space, False)
            first = roads.row[i]
            for pair in range(roads.pair_row[i], roads.pair_row[i + 1]):
                k = space.post[roads.pair_neighbour[pair]]
                if k >= 0 and roads.pair_count[pair] != 0:
                    out[k] += total(pair_transition(pair, first, roads, lanes, space) * a) / shape.flows
        for m in range(walkers.mass_row[b], walkers.mass_row[b + 1]):
            space.seat[walkers.mass_node[m]] = -1
        for k in range(target_row[b], target_row[b + 1]):
            space.post[target_node[k]] = -1
        leave(b, walkers, space)
