"""Compiled attention flow: one step of mass along the edges (backward: compiled_flow_backward.py).

A row of the transition matrix is scored only where the entity belongs to the query's subgraph; elsewhere its feature
is zero, all its edges score alike, and the transition is exactly 1 / (visible degree): one addition per neighbour.

A score splits into  u_i.k(h_j) + u_i.k(rho_r) + u_i.k(tau_d)  and the same with g_j. The entity parts are formed once
per distinct neighbour. Relations and displacements stand in one shared table: a long row meets a good part of it, so
all of its products are formed by one matrix product before the kernel runs (``Keys.dense``); a short row forms those
that occur in it and keeps them in the scratch arrays. What is left for an edge is three look-ups, a few additions and
one exponential. Scores of a row lie side by side for each flow, so exponentials are taken sixteen at a time.

Mass is a list for each query (entities and their mass), never a table of batch x entities. The last step of training
asks for the mass of given targets only: rows without an edge into a target are not touched.

Legend: B queries, M entries of the mass lists, Q entries of the subgraph lists, S rows of the shared table, n row
length, W lanes, H flows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.compiled_rows import bucket_of, dot_rows
from tgap.kernels.layout import LANES
from tgap.kernels.simd import exp, fill, item, load, load16, put, store, total, width_of, zero16

_LOWEST = -3.0e38  # the score of a hidden edge: its exponential is zero


class FlowShape(NamedTuple):
    """Whole numbers that a kernel needs besides the arrays."""

    row: int  # n
    flows: int  # H
    loop: int  # relation id of self-loops, the last; times follow it in the shared table
    signed: bool  # the time of an edge stands at D - 1 + sign * bucket, else at its bucket
    slope: float  # of LeakyReLU


class Keys(NamedTuple):
    """Flat tables in lane layout: the query side u = W_Q g and the keys W_K of g, h, and of relations and times."""

    u: NDArray[np.floating]  # [Q, n]
    g: NDArray[np.floating]  # [Q, n]
    h: NDArray[np.floating]  # [rows of h, n]
    shared: NDArray[np.floating]  # [S, n]
    dense: NDArray[np.floating]  # [rows, S, W] products of u with the whole shared table, for long rows
    dense_row: NDArray[np.int64]  # [Q] which of them is an entry's, or -1
    lane: NDArray[np.int64]  # [Q] place of an entry among the lanes of all blocks (compiled_blocks.py), or -1
    move_start: NDArray[np.int64]  # [blocks + 1] where the pairs of a block begin in ``moves``
    moves: NDArray[np.floating]  # [pairs, LANES] transitions of the blocks' rows


class FlowScratch(NamedTuple):
    """Scratch arrays of one thread; every kernel leaves it as it found it (maps -1, stamps only grow)."""

    sub_index: NDArray[np.int32]  # [N] entity -> row in the subgraph list, or -1
    mass_index: NDArray[np.int32]  # [N] entity -> entry of the mass list, or -1
    out_index: NDArray[np.int32]  # [N] entity -> entry of the list that is written or asked for, or -1
    stamp: NDArray[np.int64]  # [1] number of the row at hand
    shared_stamp: NDArray[np.int64]  # [S] row that a remembered product belongs to
    shared_score: NDArray[np.floating]  # [S, W]
    shared_grad: NDArray[np.floating]  # [S, W]
    shared_list: NDArray[np.int64]  # [S] rows of the shared table that the row at hand uses
    used: NDArray[np.int64]  # [1] how many of them
    time_row: NDArray[np.int32]  # [largest degree] where the time of each edge stands in the shared table
    score: NDArray[np.floating]  # [H, room] exp(score - maximum) of each edge of the row
    arg_h: NDArray[np.floating]  # [H, room] argument of the score's h part
    arg_g: NDArray[np.floating]  # [H, room] argument of its g part
    scale: NDArray[np.floating]  # [W] 1 / (sum of ``score``)
    pair_h: NDArray[np.floating]  # [most pairs, W] u.k(h_j), then the gradient of it
    pair_g: NDArray[np.floating]  # [most pairs, W] u.k(g_j), then the gradient of it
    pair_move: NDArray[np.floating]  # [most pairs, W] transition to the neighbour


def flow_scratch(
    entities: int, shared: int, degree: int, pairs: int, flows: int, width: int, dtype: np.dtype
) -> FlowScratch:
    """Fresh scratch arrays for graphs of this size."""
    room = _room(degree) * flows
    return FlowScratch(
        sub_index=np.full(entities, -1, np.int32),
        mass_index=np.full(entities, -1, np.int32),
        out_index=np.full(entities, -1, np.int32),
        stamp=np.zeros(1, np.int64),
        shared_stamp=np.zeros(shared, np.int64),
        shared_score=np.zeros(shared * width, dtype),
        shared_grad=np.zeros(shared * width, dtype),
        shared_list=np.zeros(shared, np.int64),
        used=np.zeros(1, np.int64),
        time_row=np.zeros(degree, np.int32),
        score=np.zeros(room, dtype),
        arg_h=np.zeros(room, dtype),
        arg_g=np.zeros(room, dtype),
        scale=np.zeros(width, dtype),
        pair_h=np.zeros(pairs * width, dtype),
        pair_g=np.zeros(pairs * width, dtype),
        pair_move=np.zeros(pairs * width, dtype),
    )


def _room(degree: int) -> int:
    """Numbers for the edges of a row, in whole vectors."""
    return (degree + 15) // 16 * 16


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
def find_times(first, last, origin, adjacency, buckets, shape, scratch):
    """Where the times of a row's edges stand in the shared table, into ``scratch.time_row``."""
    start = np.int32(shape.loop + 1)
    if len(buckets.bounds) > 0 or shape.signed or abs(origin) > 2**30:
        for edge in range(first, last):
            dt = np.int64(0)
            if adjacency.relation[edge] != shape.loop:
                dt = np.int64(adjacency.time[edge]) - origin
            size = bucket_of(abs(dt), buckets)
            if shape.signed:
                size = buckets.number - 1 + (size if dt >= 0 else -size)
            scratch.time_row[edge - first] = start + size
        return
    here, loop, most = np.int32(origin), np.int32(shape.loop), np.int32(buckets.number - 1)
    for place in range(last - first):  # every size is a bucket: plain arithmetic, done on several edges at a time
        dt = np.int32(item(adjacency.time, first + place) - here)
        size = min(np.int32(abs(dt)), most)
        put(scratch.time_row, place, start + (np.int32(0) if item(adjacency.relation, first + place) == loop else size))


@kernel(_nrt=False, inline="always")
def _need(key, u, stamp, lanes, keys, n, scratch, keep):
    """Form the product of u with a row of the shared table, if the row at hand does not have it yet."""
    if item(scratch.shared_stamp, key) != stamp:
        put(scratch.shared_stamp, key, stamp)
        store(scratch.shared_score, key * width_of(lanes), dot_rows(keys.u, u, keys.shared, key * n, n, lanes))
        if keep:
            store(scratch.shared_grad, key * width_of(lanes), fill(keys.u, 0.0, lanes))
            scratch.shared_list[scratch.used[0]] = key
            scratch.used[0] += 1


@kernel(_nrt=False)
def _form_products(i, origin, h_row, adjacency, buckets, shape, lanes, keys, scratch, keep):
    """What the scores of a row are sums of: u.k(h_j) and u.k(g_j) per neighbour, u.k per row of the shared table."""
    n = shape.row
    width = width_of(lanes)
    u = np.int64(scratch.sub_index[i]) * n
    first, last = adjacency.row[i], adjacency.row[i + 1]
    find_times(first, last, origin, adjacency, buckets, shape, scratch)
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


@kernel(_nrt=False)
def _score_edges(i, flow, adjacency, shape, lanes, table, base, scratch, keep):
    """Scores of a row's edges in one flow, into ``scratch.score``; returns their maximum.

    ``table`` [S, W] from ``base`` on: products of u with the shared table. ``keep``: also both arguments of the scores.
    """
    width = width_of(lanes)
    kind = scratch.score.dtype.type
    slope, lowest = kind(shape.slope), kind(_LOWEST)
    highest = lowest
    first = adjacency.row[i]
    begin = flow * _room_of(scratch.score, shape.flows)
    base += flow
    for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
        at = (pair - adjacency.pair_row[i]) * width + flow
        dot_h = item(scratch.pair_h, at)
        dot_g = item(scratch.pair_g, at)
        for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
            relation = np.int64(item(adjacency.relation, edge))
            time = np.int64(item(scratch.time_row, edge - first))
            rest = item(table, base + relation * width) + item(table, base + time * width)
            x = dot_h + rest
            y = dot_g + rest
            score = _greater(x, x * slope) + _greater(y, y * slope)
            score = score if item(adjacency.mask, edge) != 0 else lowest
            highest = _greater(score, highest)
            put(scratch.score, begin + edge - first, score)
            if keep:
                put(scratch.arg_h, begin + edge - first, x)
                put(scratch.arg_g, begin + edge - first, y)
    return highest


@kernel(_nrt=False, inline="always")
def _greater(left, right):
    return left if left > right else right


@kernel(_nrt=False, inline="always")
def _room_of(score, flows):
    """Numbers that ``scratch.score`` has for each flow."""
    return len(score) // flows


@kernel(_nrt=False)
def _exponentials(begin, count, highest, scratch):
    """Replace ``count`` scores by exp(score - highest); returns their sum."""
    kind = scratch.score.dtype.type
    for place in range(begin + count, begin + (count + 15) // 16 * 16):
        scratch.score[place] = kind(_LOWEST)
    sums = zero16(scratch.score)
    for place in range(begin, begin + count, 16):
        p = exp(load16(scratch.score, place) - highest)
        store(scratch.score, place, p)
        sums = sums + p
    return total(sums)


@kernel(_nrt=False)
def transition_row(i, origin, h_row, adjacency, buckets, shape, lanes, keys, scratch, keep):
    """The transition from ``i`` to each neighbour, into ``scratch.pair_move``.

    Of a single edge it is ``score`` times ``scale`` of the scratch arrays (not of a row that a block has scored).
    ``keep``: also what the gradient needs.
    """
    width = width_of(lanes)
    lane = keys.lane[scratch.sub_index[i]]
    if lane >= 0:
        at = first_move(lane, keys)
        for pair in range(adjacency.pair_row[i + 1] - adjacency.pair_row[i]):
            put(scratch.pair_move, pair, item(keys.moves, at + pair * LANES))
        return
    kind = scratch.score.dtype.type
    _form_products(i, origin, h_row, adjacency, buckets, shape, lanes, keys, scratch, keep)
    dense = keys.dense_row[scratch.sub_index[i]]
    table = keys.dense if dense >= 0 else scratch.shared_score
    base = max(dense, 0) * len(scratch.shared_stamp) * width
    first, last = adjacency.row[i], adjacency.row[i + 1]
    for flow in range(shape.flows):
        begin = flow * _room_of(scratch.score, shape.flows)
        highest = _score_edges(i, flow, adjacency, shape, lanes, table, base, scratch, keep)
        part = kind(1) / _exponentials(begin, last - first, highest, scratch)
        scratch.scale[flow] = part
        for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
            move = kind(0)
            for edge in range(item(adjacency.pair_edge, pair), item(adjacency.pair_edge, pair + 1)):
                move += item(scratch.score, begin + edge - first)
            put(scratch.pair_move, (pair - adjacency.pair_row[i]) * width + flow, move * part)


@kernel(_nrt=False, inline="always")
def first_move(lane, keys):
    """Where the numbers of a lane begin in arrays of [pairs, LANES]."""
    return keys.move_start[lane // LANES] * LANES + lane % LANES


@kernel(_nrt=False, inline="always")
def pair_transition(pair, i, adjacency, lanes, scratch):
    """Transition to the neighbour of a pair of the row at hand."""
    return load(scratch.pair_move, (pair - adjacency.pair_row[i]) * width_of(lanes), lanes)


@kernel(_nrt=False, inline="always")
def _add_mass(j, amount, base, count, lanes, out_entity, out_mass, out_index):
    """Add ``amount`` to entity ``j`` in a query's new mass list; returns the length of the list."""
    width = width_of(lanes)
    at = item(out_index, j)
    if at < 0:
        put(out_index, j, count)
        put(out_entity, base + count, j)
        store(out_mass, (base + count) * width, amount)
        return count + 1
    store(out_mass, (base + at) * width, load(out_mass, (base + at) * width, lanes) + amount)
    return count


@kernel(_nrt=False)
def _record_row(i, m, scored, adjacency, shape, lanes, scratch, mass, start, mean, full):
    """Write the attention of the edges out of ``i`` where ``flow_forward`` is told to."""
    width = width_of(lanes)
    kind = mass.dtype.type
    first = adjacency.row[i]
    for flow in range(shape.flows):
        held = mass[m * width + flow]
        even = held / kind(adjacency.degree[i])
        factor = scratch.scale[flow] * held
        begin = flow * _room_of(scratch.score, shape.flows)
        for place in range(adjacency.row[i + 1] - first):
            moved = item(scratch.score, begin + place) * factor if scored else even
            moved = moved if item(adjacency.mask, first + place) != 0 else kind(0)
            at = start[m] + place
            before = item(mean, at) if flow > 0 else kind(0)
            put(mean, at, before + moved / kind(shape.flows))
            if len(full) > 0:
                put(full, at * width + flow, moved)


@kernel(_nrt=False)
def flow_forward(
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
                transition_row(i, origin, h_row, adjacency, buckets, shape, lanes, keys, scratch, False)
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    if adjacency.pair_count[pair] == 0:
                        continue
                    p = pair_transition(pair, i, adjacency, lanes, scratch)
                    j = adjacency.pair_neighbour[pair]
                    count = _add_mass(j, p * a, base, count, lanes, out_entity, out_mass, scratch.out_index)
            else:
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    visible = item(adjacency.pair_count, pair)
                    if visible != 0:
                        j = item(adjacency.pair_neighbour, pair)
                        count = _add_mass(
                            j, even * visible, base, count, lanes, out_entity, out_mass, scratch.out_index
                        )
            if start[m] >= 0 and not (scored and keys.lane[scratch.sub_index[i]] >= 0):
                _record_row(i, m, scored, adjacency, shape, lanes, scratch, mass, start, mean, full)
        out_count[b] = count
        for k in range(count):
            scratch.out_index[out_entity[base + k]] = -1
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def flow_to_all(queries, state, adjacency, buckets, shape, lanes, keys, scratch, mass, out):
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
                transition_row(i, state.origin[b], h_row, adjacency, buckets, shape, lanes, keys, scratch, False)
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    if adjacency.pair_count[pair] == 0:
                        continue
                    p = pair_transition(pair, i, adjacency, lanes, scratch)
                    out[b, adjacency.pair_neighbour[pair]] += total(p * a) / shape.flows
            else:
                even = total(a) / shape.flows / adjacency.degree[i]
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    out[b, adjacency.pair_neighbour[pair]] += even * adjacency.pair_count[pair]
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def find_scored(queries, state, scratch, entry_mass):
    """Where the entities of the subgraphs stand in the mass lists: ``entry_mass`` [Q], -1 for those without mass."""
    for b in queries:
        map_subgraph(b, state, scratch)
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            entry = item(scratch.sub_index, item(state.mass_entity, m))
            if entry >= 0:
                entry_mass[entry] = m
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def find_active(queries, state, adjacency, shape, lanes, scratch, mass, target_row, target_entity, out, entry_mass):
    """Last step of training, first half: like ``find_scored``, but only rows with an edge into a target count.

    What uniform rows bring to the targets is written to ``out`` [targets].
    """
    width = width_of(lanes)
    for b in queries:
        map_subgraph(b, state, scratch)
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[m]] = m
        for k in range(target_row[b], target_row[b + 1]):
            o = target_entity[k]
            value = mass[0] * 0
            for pair in range(adjacency.pair_row[o], adjacency.pair_row[o + 1]):
                i = adjacency.pair_neighbour[pair]  # the graph is symmetric: as many edges i -> o as o -> i
                m = np.int64(scratch.mass_index[i])
                if m < 0 or adjacency.pair_count[pair] == 0:
                    continue
                if scratch.sub_index[i] >= 0:
                    entry_mass[scratch.sub_index[i]] = m
                else:
                    share = adjacency.pair_count[pair] / adjacency.degree[i] / shape.flows
                    value += total(load(mass, m * width, lanes)) * share
            out[k] = value
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[m]] = -1
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def flow_to_targets(
    queries, state, adjacency, buckets, shape, lanes, keys, scratch, mass, target_row, target_entity, out, entry_mass
):
    """Second half: what the active rows bring is added to ``out``, the mean mass of the targets."""
    for b in queries:
        map_subgraph(b, state, scratch)
        h_row = state.h_row[state.group[b]]
        for k in range(target_row[b], target_row[b + 1]):
            scratch.out_index[target_entity[k]] = k
        for entry in range(state.sub_row[b], state.sub_row[b + 1]):
            m = entry_mass[entry]
            if m < 0:
                continue
            i = state.sub_entity[entry]
            a = load(mass, m * width_of(lanes), lanes)
            transition_row(i, state.origin[b], h_row, adjacency, buckets, shape, lanes, keys, scratch, False)
            for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                k = scratch.out_index[adjacency.pair_neighbour[pair]]
                if k >= 0 and adjacency.pair_count[pair] != 0:
                    out[k] += total(pair_transition(pair, i, adjacency, lanes, scratch) * a) / shape.flows
        for k in range(target_row[b], target_row[b + 1]):
            scratch.out_index[target_entity[k]] = -1
        unmap_subgraph(b, state, scratch)
