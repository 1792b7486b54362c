"""Compiled attention flow: one step of mass along the edges (backward: compiled_flow_backward.py).

A row of the transition matrix is scored only where the entity belongs to the query's subgraph; elsewhere its feature
is zero, all its edges score alike, and the transition is exactly 1 / (visible degree): one addition per neighbour.

A score splits into  u_i.k(h_j) + u_i.k(rho_r) + u_i.k(tau_d)  and the same with g_j. The entity parts are formed once
per distinct neighbour, the relation and time parts once per row for every relation and displacement that occurs in it
(kept in the scratch arrays), so an edge costs a few vector operations on its heads and one exponential.

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
    exact: int  # DisplacementBuckets.exact
    slope: float  # of LeakyReLU


class Keys(NamedTuple):
    """Flat tables in lane layout: the query side u = W_Q g and the keys W_K of g, h, relations, displacements."""

    u: NDArray[np.floating]  # [Q, n]
    g: NDArray[np.floating]  # [Q, n]
    h: NDArray[np.floating]  # [rows of h, n]
    relation: NDArray[np.floating]  # [2R+1, n]
    time: NDArray[np.floating]  # [2D-1, n]


class FlowScratch(NamedTuple):
    """Scratch arrays of one thread; every kernel leaves it as it found it (maps -1, stamps only grow)."""

    sub_index: NDArray[np.int32]  # [N] entity -> row in the subgraph list, or -1
    mass_index: NDArray[np.int32]  # [N] entity -> entry of the mass list, or -1
    out_index: NDArray[np.int32]  # [N] entity -> entry of the list that is written or asked for, or -1
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
    arg_h: NDArray[np.floating]  # [largest degree, W] argument of the score's h part
    arg_g: NDArray[np.floating]  # [largest degree, W] argument of its g part


def flow_scratch(entities: int, relations: int, buckets: int, degree: int, width: int, dtype: np.dtype) -> FlowScratch:
    """Fresh scratch arrays for graphs of this size."""
    codes = 2 * buckets - 1
    return FlowScratch(
        sub_index=np.full(entities, -1, np.int32),
        mass_index=np.full(entities, -1, np.int32),
        out_index=np.full(entities, -1, np.int32),
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
        arg_h=np.zeros(degree * width, dtype),
        arg_g=np.zeros(degree * width, dtype),
    )


@kernel(_nrt=False, inline="always")
def map_subgraph(query, state, scratch):
    """Lead from the entities of the query's subgraph to their rows."""
    for q in range(state.sub_row[query], state.sub_row[query + 1]):
        scratch.sub_index[state.sub_entity[q]] = q


@kernel(_nrt=False, inline="always")
def unmap_subgraph(query, state, scratch):
    """Clean what ``map_subgraph`` filled."""
    for q in range(state.sub_row[query], state.sub_row[query + 1]):
        scratch.sub_index[state.sub_entity[q]] = -1


@kernel(_nrt=False)
def _score_row(i, origin, h_row, adjacency, bounds, shape, lanes, keys, scratch, keep):
    """Scores of the edges out of ``i`` into ``scratch.score``; returns their maximum. ``keep``: also both arguments."""
    n = shape.row
    width = width_of(lanes)
    u = np.int64(scratch.sub_index[i]) * n
    first = adjacency.row[i]
    scratch.stamp[0] += 1
    stamp = scratch.stamp[0]
    scratch.used[0] = 0
    scratch.used[1] = 0
    highest = fill(keys.u, -3.0e38, lanes)
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        if adjacency.pair_count[pair] == 0:
            continue
        j = adjacency.pair_neighbour[pair]
        dot_h = dot_rows(keys.u, u, keys.h, np.int64(h_row[j]) * n, n, lanes)
        dot_g = fill(keys.u, 0.0, lanes)
        if scratch.sub_index[j] >= 0:
            dot_g = dot_rows(keys.u, u, keys.g, np.int64(scratch.sub_index[j]) * n, n, lanes)
        for edge in range(adjacency.pair_edge[pair], adjacency.pair_edge[pair + 1]):
            if adjacency.mask[edge] == 0:
                continue
            r = np.int64(adjacency.relation[edge])
            if scratch.relation_stamp[r] != stamp:
                scratch.relation_stamp[r] = stamp
                store(scratch.relation_score, r * width, dot_rows(keys.u, u, keys.relation, r * n, n, lanes))
                if keep:
                    store(scratch.relation_grad, r * width, fill(keys.u, 0.0, lanes))
                    scratch.relation_list[scratch.used[0]] = r
                    scratch.used[0] += 1
            dt = np.int64(0)
            if r != shape.loop:
                dt = adjacency.time[edge] - origin
            size = bucket_of(abs(dt), shape.exact, bounds, shape.buckets)
            code = shape.buckets - 1 + (size if dt >= 0 else -size)
            if scratch.time_stamp[code] != stamp:
                scratch.time_stamp[code] = stamp
                store(scratch.time_score, code * width, dot_rows(keys.u, u, keys.time, code * n, n, lanes))
                if keep:
                    store(scratch.time_grad, code * width, fill(keys.u, 0.0, lanes))
                    scratch.time_list[scratch.used[1]] = code
                    scratch.used[1] += 1
            base = load(scratch.relation_score, r * width, lanes) + load(scratch.time_score, code * width, lanes)
            x = dot_h + base
            y = dot_g + base
            s = maximum(x, x * shape.slope) + maximum(y, y * shape.slope)
            at = edge - first
            store(scratch.score, at * width, s)
            highest = maximum(s, highest)
            if keep:
                scratch.code[at] = code
                store(scratch.arg_h, at * width, x)
                store(scratch.arg_g, at * width, y)
    return highest


@kernel(_nrt=False)
def transition_row(i, origin, h_row, adjacency, bounds, shape, lanes, keys, scratch, keep):
    """Softmax over the edges out of ``i``, left in ``scratch.score``."""
    width = width_of(lanes)
    highest = _score_row(i, origin, h_row, adjacency, bounds, shape, lanes, keys, scratch, keep)
    first = adjacency.row[i]
    sums = fill(keys.u, 0.0, lanes)
    for edge in range(first, adjacency.row[i + 1]):
        if adjacency.mask[edge] != 0:
            p = exp(load(scratch.score, (edge - first) * width, lanes) - highest)
            store(scratch.score, (edge - first) * width, p)
            sums = sums + p
    part = fill(keys.u, 1.0, lanes) / sums
    for edge in range(first, adjacency.row[i + 1]):
        if adjacency.mask[edge] != 0:
            store(scratch.score, (edge - first) * width, load(scratch.score, (edge - first) * width, lanes) * part)


@kernel(_nrt=False, inline="always")
def pair_transition(pair, first, adjacency, lanes, scratch):
    """Transition to the neighbour of a pair: the sum over its parallel edges of the row's softmax."""
    p = fill(scratch.score, 0.0, lanes)
    for edge in range(adjacency.pair_edge[pair], adjacency.pair_edge[pair + 1]):
        if adjacency.mask[edge] != 0:
            p = p + load(scratch.score, (edge - first) * width_of(lanes), lanes)
    return p


@kernel(_nrt=False, inline="always")
def _add_mass(j, amount, base, count, lanes, out_entity, out_mass, out_index):
    """Add ``amount`` to entity ``j`` in a query's new mass list; returns the length of the list."""
    width = width_of(lanes)
    at = out_index[j]
    if at < 0:
        out_index[j] = count
        out_entity[base + count] = j
        store(out_mass, (base + count) * width, amount)
        return count + 1
    store(out_mass, (base + at) * width, load(out_mass, (base + at) * width, lanes) + amount)
    return count


@kernel(_nrt=False)
def flow_forward(
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
    out_mass,
    out_count,
    record,
):
    """One step for the given queries: new mass lists, written from ``out_row`` on.

    ``record`` = (start, mean, full): for entry m of the mass lists, if start[m] >= 0, the attention of the edges of its
    row is written from there on: the mean over flows into ``mean`` and, where ``full`` has room, all flows into it.
    """
    width = width_of(lanes)
    start, mean, full = record
    for b in queries:
        map_subgraph(b, state, scratch)
        origin = state.origin[b]
        h_row = state.h_row[state.group[b]]
        base = out_row[b]
        count = 0
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            i = state.mass_entity[m]
            a = load(mass, m * width, lanes)
            scored = scratch.sub_index[i] >= 0
            even = a / adjacency.degree[i]
            if scored:
                transition_row(i, origin, h_row, adjacency, bounds, shape, lanes, keys, scratch, False)
                first = adjacency.row[i]
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    if adjacency.pair_count[pair] == 0:
                        continue
                    p = pair_transition(pair, first, adjacency, lanes, scratch)
                    j = adjacency.pair_neighbour[pair]
                    count = _add_mass(j, p * a, base, count, lanes, out_entity, out_mass, scratch.out_index)
            else:
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    visible = adjacency.pair_count[pair]
                    if visible != 0:
                        j = adjacency.pair_neighbour[pair]
                        count = _add_mass(
                            j, even * visible, base, count, lanes, out_entity, out_mass, scratch.out_index
                        )
            if start[m] >= 0:
                first = adjacency.row[i]
                for edge in range(first, adjacency.row[i + 1]):
                    at = start[m] + edge - first
                    moved = fill(keys.u, 0.0, lanes)
                    if adjacency.mask[edge] != 0:
                        moved = even
                        if scored:
                            moved = load(scratch.score, (edge - first) * width, lanes) * a
                    mean[at] = total(moved) / shape.flows
                    if len(full) > 0:
                        store(full, at * width, moved)
        out_count[b] = count
        for k in range(count):
            scratch.out_index[out_entity[base + k]] = -1
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def flow_to_all(queries, state, adjacency, bounds, shape, lanes, keys, scratch, mass, out):
    """Last step of evaluation: mean mass of every entity, ``out`` [B, N] (zeroed by the caller).

    The mean over flows is taken before the uniform rows are added, so those cost one number per edge.
    """
    width = width_of(lanes)
    for b in queries:
        map_subgraph(b, state, scratch)
        h_row = state.h_row[state.group[b]]
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            i = state.mass_entity[m]
            a = load(mass, m * width, lanes)
            if scratch.sub_index[i] >= 0:
                transition_row(i, state.origin[b], h_row, adjacency, bounds, shape, lanes, keys, scratch, False)
                first = adjacency.row[i]
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    if adjacency.pair_count[pair] == 0:
                        continue
                    p = pair_transition(pair, first, adjacency, lanes, scratch)
                    out[b, adjacency.pair_neighbour[pair]] += total(p * a) / shape.flows
            else:
                even = total(a) / shape.flows / adjacency.degree[i]
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    out[b, adjacency.pair_neighbour[pair]] += even * adjacency.pair_count[pair]
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def flow_to_targets(
    queries, state, adjacency, bounds, shape, lanes, keys, scratch, mass, target_row, target_entity, out, active
):
    """Last step of training: mean mass of the targets, ``out`` [targets]; ``active`` [M] marks the scored rows used."""
    width = width_of(lanes)
    for b in queries:
        map_subgraph(b, state, scratch)
        h_row = state.h_row[state.group[b]]
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[m]] = m
            active[m] = 0
        for k in range(target_row[b], target_row[b + 1]):
            o = target_entity[k]
            scratch.out_index[o] = k
            value = mass[0] * 0
            for pair in range(adjacency.pair_row[o], adjacency.pair_row[o + 1]):
                i = adjacency.pair_neighbour[pair]  # the graph is symmetric: as many edges i -> o as o -> i
                m = np.int64(scratch.mass_index[i])
                if m < 0 or adjacency.pair_count[pair] == 0:
                    continue
                if scratch.sub_index[i] >= 0:
                    active[m] = 1
                else:
                    share = adjacency.pair_count[pair] / adjacency.degree[i] / shape.flows
                    value += total(load(mass, m * width, lanes)) * share
            out[k] = value
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            if active[m] == 0:
                continue
            i = state.mass_entity[m]
            a = load(mass, m * width, lanes)
            transition_row(i, state.origin[b], h_row, adjacency, bounds, shape, lanes, keys, scratch, False)
            first = adjacency.row[i]
            for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                k = scratch.out_index[adjacency.pair_neighbour[pair]]
                if k >= 0 and adjacency.pair_count[pair] != 0:
                    out[k] += total(pair_transition(pair, first, adjacency, lanes, scratch) * a) / shape.flows
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[m]] = -1
        for k in range(target_row[b], target_row[b + 1]):
            scratch.out_index[target_entity[k]] = -1
        unmap_subgraph(b, state, scratch)
