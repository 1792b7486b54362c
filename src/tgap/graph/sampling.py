"""Subgraph sampling (paper, section 4.3): core nodes of highest attention, a sample of their edges, the best of it.

Nothing here carries a gradient. Cost a query: O(entities with mass) for the core nodes, O(edges of the core nodes) for
the sample; no sort of either, only selections.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph.hashing import edge_hash, node_hash, step_key
from tgap.graph.temporal import Int32Array, Int64Array
from tgap.jit import kernel
from tgap.kernels.structure import Roads


class CoreNodes(NamedTuple):
    """The entities that each query's subgraph grows from, best first."""

    row: Int64Array  # [B+1]
    entry: Int64Array  # entries of the mass lists
    start: Int64Array  # [M] for recording: where an entry's edges go, -1 for entries that are no core node
    room: int  # edges of all core nodes


class Sample(NamedTuple):
    """What a step adds to each query's subgraph."""

    candidate_row: Int64Array  # [B+1]
    candidate: Int64Array  # sampled edges
    added_row: Int64Array  # [B+1]
    added: Int64Array  # those of highest attention


def choose_core(
    mass_row: Int64Array,
    mass_node: Int32Array,
    mean: NDArray[np.floating],
    keys: NDArray[np.uint64],
    step: int,
    most: int,
    degree: Int64Array,
) -> CoreNodes:
    """The ``most`` entities of highest mean mass for each query, zeros excluded, ties by hash."""
    row, entry = _choose_core(mass_row, mass_node, mean, keys, step, most)
    start = np.full(len(mass_node), -1, np.int64)
    room = np.concatenate([[0], np.cumsum(degree[mass_node[entry]])])
    start[entry] = room[:-1]
    return CoreNodes(row, entry, start, int(room[-1]))


@kernel()
def _choose_core(mass_row, mass_node, mean, keys, step, most):
    queries = len(mass_row) - 1
    row = np.zeros(queries + 1, np.int64)
    entry = np.empty(min(queries * most, len(mass_node)), np.int64)
    hashes = np.empty(most, np.uint64)
    for b in range(queries):
        begin, count = row[b], 0
        key = step_key(keys[b], step)
        for m in range(mass_row[b], mass_row[b + 1]):
            if not mean[m] > 0 or (count == most and mean[m] < mean[entry[begin + count - 1]]):
                continue
            value = node_hash(key, mass_node[m])
            at = count  # insertion into the sorted list of the best so far
            while at > 0:
                other = mean[entry[begin + at - 1]]
                if other > mean[m] or (other == mean[m] and hashes[at - 1] < value):
                    break
                at -= 1
            if at == most:
                continue
            for k in range(min(count, most - 1), at, -1):
                entry[begin + k] = entry[begin + k - 1]
                hashes[k] = hashes[k - 1]
            entry[begin + at] = m
            hashes[at] = value
            count = min(count + 1, most)
        row[b + 1] = begin + count
    return row, entry[: row[queries]]


def sample_edges(
    roads: Roads,
    core: CoreNodes,
    mass_node: Int32Array,
    attention: NDArray[np.floating],
    keys: NDArray[np.uint64],
    step: int,
    sampled: int,
    added: int,
) -> Sample:
    """At most ``sampled`` edges of lowest hash of each core node; of all a query's the ``added`` of highest attention.

    ``attention`` is the mean attention of the core nodes' edges, as recorded by the flow.
    """
    return Sample(*_sample(roads.row, roads.mask, roads.edge, core, mass_node, attention, keys, step, sampled, added))


@kernel()
def _sample(graph_row, mask, edge_index, core, mass_node, attention, keys, step, sampled, added):
    core_row, entry, start = core.row, core.entry, core.start
    whole = len(edge_index) == 0
    queries = len(core_row) - 1
    candidate_row = np.zeros(queries + 1, np.int64)
    added_row = np.zeros(queries + 1, np.int64)
    room = 0
    for c in range(len(entry)):
        i = mass_node[entry[c]]
        room += min(graph_row[i + 1] - graph_row[i], sampled)
    candidate = np.empty(room, np.int64)
    chosen = np.empty(min(room, queries * added), np.int64)
    value = np.empty(room, attention.dtype)
    hashes = np.empty(room, np.uint64)
    for b in range(queries):
        key = step_key(keys[b], step)
        begin = candidate_row[b]
        count = begin
        for c in range(core_row[b], core_row[b + 1]):
            m = entry[c]
            first, last = graph_row[mass_node[m]], graph_row[mass_node[m] + 1]
            visible = 0
            for edge in range(first, last):
                visible += mask[edge]
            limit = np.uint64(0xFFFFFFFFFFFFFFFF)
            if visible > sampled:
                row_hashes = np.empty(visible, np.uint64)
                k = 0
                for edge in range(first, last):
                    if mask[edge] != 0:
                        row_hashes[k] = edge_hash(key, edge if whole else edge_index[edge])
                        k += 1
                limit = np.partition(row_hashes, sampled - 1)[sampled - 1]
            for edge in range(first, last):
                if mask[edge] != 0:
                    index = edge if whole else edge_index[edge]
                    h = edge_hash(key, index)
                    if h <= limit:
                        candidate[count] = index
                        hashes[count] = h
                        value[count] = attention[start[m] + edge - first]
                        count += 1
        candidate_row[b + 1] = count
        at = added_row[b]
        if count - begin <= added:
            for k in range(begin, count):
                chosen[at] = candidate[k]
                at += 1
        elif added > 0:
            cut = -np.partition(-value[begin:count], added - 1)[added - 1]
            tied = np.empty(count - begin, np.uint64)
            ties, above = 0, 0
            for k in range(begin, count):
                if value[k] > cut:
                    above += 1
                elif value[k] == cut:
                    tied[ties] = hashes[k]
                    ties += 1
            limit = np.partition(tied[:ties], added - above - 1)[added - above - 1]
            for k in range(begin, count):
                if value[k] > cut or (value[k] == cut and hashes[k] <= limit):
                    chosen[at] = candidate[k]
                    at += 1
        added_row[b + 1] = at
    return candidate_row, candidate[: candidate_row[queries]], added_row, chosen[: added_row[queries]]
