"""Compiled attention flow: one step of mass along the edges (backward: compiled_flow_backward.py).

A row of the transition matrix is scored only where the entity belongs to the query's subgraph (compiled_transition.py);
elsewhere its feature is zero, all its edges score alike, and the transition is exactly 1 / (visible degree): one
addition per neighbour.

Mass is a list for each query (entities and their mass), never a table of batch x entities. The last step of training
asks for the mass of given targets only: rows without an edge into a target are not touched.

Legend: see flow_records.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.compiled_transition import (
    map_subgraph,
    pair_transition,
    room_of,
    transition_row,
    unmap_subgraph,
)
from tgap.kernels.flow_records import AttentionRecord, FlowArrays, FlowKeys, FlowScratch, FlowTargets, MassBuffers
from tgap.kernels.simd import Vector, item, load, put, store, total, width_of
from tgap.kernels.structure import QueryState


@kernel(_nrt=False)
def flow_forward(
    queries: NDArray[np.int64],
    arrays: FlowArrays,
    keys: FlowKeys,
    scratch: FlowScratch,
    out: MassBuffers,
    record: AttentionRecord,
) -> None:
    """One step for the given queries: a_j^(t) = sum over the edges into j of T_e a_i^(t-1), as new mass lists."""
    state, adjacency, lanes = arrays.state, arrays.adjacency, arrays.lanes
    width = width_of(lanes)
    for b in queries:
        map_subgraph(b, state, scratch)
        base = out.row[b]
        count = 0
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            i = state.mass_entity[m]
            a = load(arrays.mass, m * width, lanes)
            scored = scratch.sub_index[i] >= 0
            even = a / adjacency.degree[i]
            if scored:
                transition_row(i, b, arrays, keys, scratch, False)
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    if adjacency.pair_count[pair] == 0:
                        continue
                    p = pair_transition(pair, i, arrays, scratch)
                    count = _add_mass(adjacency.pair_neighbour[pair], p * a, base, count, lanes, out, scratch)
            else:
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    visible = item(adjacency.pair_count, pair)
                    if visible != 0:
                        j = item(adjacency.pair_neighbour, pair)
                        count = _add_mass(j, even * visible, base, count, lanes, out, scratch)
            if record.start[m] >= 0 and not (scored and keys.lane[scratch.sub_index[i]] >= 0):
                _record_row(i, m, scored, arrays, scratch, record)
        out.length[b] = count
        for k in range(count):
            scratch.out_index[out.entity[base + k]] = -1
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False, inline="always")
def _add_mass(
    j: int, amount: Vector, base: int, count: int, lanes: tuple[int, ...], out: MassBuffers, scratch: FlowScratch
) -> int:
    """Add ``amount`` to entity ``j`` in a query's new mass list; returns the length of the list."""
    width = width_of(lanes)
    at = item(scratch.out_index, j)
    if at < 0:
        put(scratch.out_index, j, count)
        put(out.entity, base + count, j)
        store(out.mass, (base + count) * width, amount)
        return count + 1
    store(out.mass, (base + at) * width, load(out.mass, (base + at) * width, lanes) + amount)
    return count


@kernel(_nrt=False)
def _record_row(
    i: int, m: int, scored: bool, arrays: FlowArrays, scratch: FlowScratch, record: AttentionRecord
) -> None:
    """Write the attention of the edges out of ``i`` where ``record`` says."""
    adjacency, shape, mean, full = arrays.adjacency, arrays.shape, record.mean, record.full
    width = width_of(arrays.lanes)
    kind = arrays.mass.dtype.type
    first = adjacency.row[i]
    for flow in range(shape.flows):
        held = arrays.mass[m * width + flow]
        even = held / kind(adjacency.degree[i])
        factor = scratch.scale[flow] * held
        begin = flow * room_of(scratch.score, shape.flows)
        for place in range(adjacency.row[i + 1] - first):
            moved = item(scratch.score, begin + place) * factor if scored else even
            moved = moved if item(adjacency.mask, first + place) != 0 else kind(0)
            at = record.start[m] + place
            before = item(mean, at) if flow > 0 else kind(0)
            put(mean, at, before + moved / kind(shape.flows))
            if len(full) > 0:
                put(full, at * width + flow, moved)


@kernel(_nrt=False)
def flow_to_all(
    queries: NDArray[np.int64], arrays: FlowArrays, keys: FlowKeys, scratch: FlowScratch, out: NDArray[np.floating]
) -> None:
    """Last step of evaluation: mean mass of every entity, ``out`` [B, N] (zeroed by the caller).

    The mean over flows is taken before the uniform rows are added, so those cost one number per edge.
    """
    state, adjacency, lanes, flows = arrays.state, arrays.adjacency, arrays.lanes, arrays.shape.flows
    width = width_of(lanes)
    for b in queries:
        map_subgraph(b, state, scratch)
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            i = state.mass_entity[m]
            a = load(arrays.mass, m * width, lanes)
            if scratch.sub_index[i] >= 0:
                transition_row(i, b, arrays, keys, scratch, False)
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    if adjacency.pair_count[pair] == 0:
                        continue
                    p = pair_transition(pair, i, arrays, scratch)
                    out[b, adjacency.pair_neighbour[pair]] += total(p * a) / flows
            else:
                even = total(a) / flows / adjacency.degree[i]
                for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                    out[b, adjacency.pair_neighbour[pair]] += even * adjacency.pair_count[pair]
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def find_scored(
    queries: NDArray[np.int64], state: QueryState, scratch: FlowScratch, entry_mass: NDArray[np.int64]
) -> None:
    """Where the entities of the subgraphs stand in the mass lists: ``entry_mass`` [Q], -1 for those without mass."""
    for b in queries:
        map_subgraph(b, state, scratch)
        for m in range(state.mass_row[b], state.mass_row[b + 1]):
            entry = item(scratch.sub_index, item(state.mass_entity, m))
            if entry >= 0:
                entry_mass[entry] = m
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def find_active(
    queries: NDArray[np.int64],
    arrays: FlowArrays,
    scratch: FlowScratch,
    targets: FlowTargets,
    entry_mass: NDArray[np.int64],
) -> None:
    """Last step of training, first half: like ``find_scored``, but only rows with an edge into a target count.

    What uniform rows bring to the targets is written to ``targets.out``.
    """
    state, adjacency, lanes = arrays.state, arrays.adjacency, arrays.lanes
    width = width_of(lanes)
    for b in queries:
        map_subgraph(b, state, scratch)
        for entry in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[entry]] = entry
        for k in range(targets.row[b], targets.row[b + 1]):
            o = targets.entity[k]
            value = arrays.mass[0] * 0
            for pair in range(adjacency.pair_row[o], adjacency.pair_row[o + 1]):
                i = adjacency.pair_neighbour[pair]  # the graph is symmetric: as many edges i -> o as o -> i
                m = np.int64(scratch.mass_index[i])
                if m < 0 or adjacency.pair_count[pair] == 0:
                    continue
                if scratch.sub_index[i] >= 0:
                    entry_mass[scratch.sub_index[i]] = m
                else:
                    share = adjacency.pair_count[pair] / adjacency.degree[i] / arrays.shape.flows
                    value += total(load(arrays.mass, m * width, lanes)) * share
            targets.out[k] = value
        for entry in range(state.mass_row[b], state.mass_row[b + 1]):
            scratch.mass_index[state.mass_entity[entry]] = -1
        unmap_subgraph(b, state, scratch)


@kernel(_nrt=False)
def flow_to_targets(
    queries: NDArray[np.int64],
    arrays: FlowArrays,
    keys: FlowKeys,
    scratch: FlowScratch,
    targets: FlowTargets,
    entry_mass: NDArray[np.int64],
) -> None:
    """Second half: what the active rows bring is added to ``targets.out``, the mean mass of the targets."""
    state, adjacency, lanes = arrays.state, arrays.adjacency, arrays.lanes
    for b in queries:
        map_subgraph(b, state, scratch)
        for k in range(targets.row[b], targets.row[b + 1]):
            scratch.out_index[targets.entity[k]] = k
        for entry in range(state.sub_row[b], state.sub_row[b + 1]):
            m = entry_mass[entry]
            if m < 0:
                continue
            i = state.sub_entity[entry]
            a = load(arrays.mass, m * width_of(lanes), lanes)
            transition_row(i, b, arrays, keys, scratch, False)
            for pair in range(adjacency.pair_row[i], adjacency.pair_row[i + 1]):
                k = scratch.out_index[adjacency.pair_neighbour[pair]]
                if k >= 0 and adjacency.pair_count[pair] != 0:
                    targets.out[k] += total(pair_transition(pair, i, arrays, scratch) * a) / arrays.shape.flows
        for k in range(targets.row[b], targets.row[b + 1]):
            scratch.out_index[targets.entity[k]] = -1
        unmap_subgraph(b, state, scratch)
