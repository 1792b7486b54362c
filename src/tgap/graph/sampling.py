"""Subgraph sampling: core nodes of highest attention, a sample of their edges, the best of it.

Nothing here carries a gradient. Cost per query: O(entities with mass) for the core nodes, O(edges of the core nodes)
for the sample; both are selections around a cut, only the x core nodes themselves are sorted.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg,unreachable"

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph.hashing import edge_hash, entity_hash, step_key
from tgap.graph.temporal import Int32Array, Int64Array
from tgap.jit import kernel
from tgap.kernels.simd import item, put
from tgap.kernels.structure import Adjacency

_HIGHEST = np.uint64(0xFFFFFFFFFFFFFFFF)


class CoreNodes(NamedTuple):
    """The entities that each query's subgraph grows from, best first."""

    row: Int64Array  # [B+1]
    entry: Int64Array  # entries of the mass lists
    start: Int64Array  # [M] for recording: where an entry's edges go, -1 for entries that are no core node
    room: int  # edges of all core nodes

    def of(self, first: int, last: int) -> CoreNodes:
        """Those of some queries that follow each other."""
        row = self.row[first : last + 1]
        return CoreNodes(row - row[0], self.entry[row[0] : row[-1]], self.start, self.room)


class Sample(NamedTuple):
    """What a step adds to each query's subgraph."""

    candidate_row: Int64Array  # [B+1]
    candidate: Int64Array  # sampled edges
    added_row: Int64Array  # [B+1]
    added: Int64Array  # those of highest attention

    @staticmethod
    def join(samples: Sequence[Sample]) -> Sample:
        """Samples of several batches as one."""
        if len(samples) == 1:
            return samples[0]
        rows = zip(*((part.candidate_row, part.added_row) for part in samples), strict=True)
        ends = [np.concatenate([[0], np.cumsum(np.concatenate([np.diff(row) for row in each]))]) for each in rows]
        edges = [np.concatenate([getattr(part, name) for part in samples]) for name in ("candidate", "added")]
        return Sample(ends[0], edges[0], ends[1], edges[1])


def choose_core(
    mass_row: Int64Array,
    mass_entity: Int32Array,
    mean: NDArray[np.floating],
    keys: NDArray[np.uint64],
    step: int,
    most: int,
    adjacency_row: Int64Array,
) -> CoreNodes:
    """The ``most`` entities of highest mean mass for each query, zeros excluded, ties by hash.

    ``adjacency_row`` (as in ``Adjacency``) says how many edges an entity has.
    """
    row, entry = _choose_core(mass_row, mass_entity, mean, keys, step, most)
    start = np.full(len(mass_entity), -1, np.int64)
    entity = mass_entity[entry]
    room = np.concatenate([[0], np.cumsum(adjacency_row[entity + 1] - adjacency_row[entity])])
    start[entry] = room[:-1]
    return CoreNodes(row, entry, start, int(room[-1]))


@kernel()
def _choose_core(mass_row, mass_entity, mean, keys, step, most):
    queries = len(mass_row) - 1
    row = np.zeros(queries + 1, np.int64)
    entry = np.empty(min(queries * most, len(mass_entity)), np.int64)
    for b in range(queries):
        key = step_key(keys[b], step)
        held = mass_row[b] + np.flatnonzero(mean[mass_row[b] : mass_row[b + 1]] > 0)
        hashes = np.empty(len(held), np.uint64)
        for k in range(len(held)):
            hashes[k] = entity_hash(key, mass_entity[held[k]])
        best = _highest(mean[held], hashes, most)
        best = best[np.argsort(hashes[best])]
        best = best[np.argsort(-mean[held[best]], kind="mergesort")]  # stable: equal ones stay in the order of hashes
        row[b + 1] = row[b] + len(best)
        entry[row[b] : row[b + 1]] = held[best]
    return row, entry[: row[queries]]


@kernel()
def _highest(value, hashes, most):
    """Positions, ascending, of the ``most`` highest values; of those equal to the last one the lowest hashes."""
    if len(value) <= most:
        return np.arange(len(value))
    cut = -np.partition(-value, most - 1)[most - 1]
    wanted = most - (value > cut).sum()
    tied = np.flatnonzero(value == cut)
    limit = np.partition(hashes[tied], wanted - 1)[wanted - 1]
    return np.flatnonzero((value > cut) | ((value == cut) & (hashes <= limit)))


def sample_edges(
    adjacency: Adjacency,
    core: CoreNodes,
    mass_entity: Int32Array,
    attention: NDArray[np.floating],
    keys: NDArray[np.uint64],
    step: int,
    sampled: int,
    added: int,
) -> Sample:
    """At most ``sampled`` edges of lowest hash of each core node; of all a query's the ``added`` of highest attention.

    ``attention`` is the mean attention of the core nodes' edges, as recorded by the flow; NaN (a model whose weights
    have run away) counts as less than any number.
    """
    return Sample(
        *_sample(
            adjacency.row, adjacency.mask, adjacency.edge, core, mass_entity, attention, keys, step, sampled, added
        )
    )


@kernel()
def _lowest_hashes(first, last, mask, edge_index, key, most):
    """Visible edges from ``first`` to ``last``, ascending, and their hashes: all of them, or ``most`` of lowest hash.

    Hashes are evenly spread, so of a long row those below a bound are collected that some more than ``most`` should
    stay under; only where that does not come true are all of them.
    """
    whole = len(edge_index) == 0
    bound = _HIGHEST
    if last - first > 2 * most:
        share = (1.25 * most + 32) / (last - first)
        if share < 1:
            bound = np.uint64(share * 2.0**64)
    while True:
        edges = np.empty(last - first if bound == _HIGHEST else 2 * most + 64, np.int64)
        found = np.empty(len(edges), np.uint64)
        count, visible = 0, np.int64(0)
        for edge in range(first, last):
            seen = np.int64(item(mask, edge))
            visible += seen
            h = edge_hash(key, edge if whole else item(edge_index, edge))
            if seen != 0 and h <= bound and count < len(edges):
                put(edges, count, edge)
                put(found, count, h)
                count += 1
        if count < len(edges) or bound == _HIGHEST:
            if count >= most:
                kept = found[:count] <= np.partition(found[:count], most - 1)[most - 1]
                return edges[:count][kept], found[:count][kept]
            if count == visible:
                return edges[:count], found[:count]
        bound = _HIGHEST


@kernel()
def _sample(graph_row, mask, edge_index, core, mass_entity, attention, keys, step, sampled, added):
    core_row, entry, start = core.row, core.entry, core.start
    whole = len(edge_index) == 0
    queries = len(core_row) - 1
    candidate_row = np.zeros(queries + 1, np.int64)
    added_row = np.zeros(queries + 1, np.int64)
    room = 0
    for c in range(len(entry)):
        i = mass_entity[entry[c]]
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
            first, last = graph_row[mass_entity[m]], graph_row[mass_entity[m] + 1]
            drawn, drawn_hash = _lowest_hashes(first, last, mask, edge_index, key, sampled)
            for k in range(len(drawn)):
                edge = drawn[k]
                candidate[count] = edge if whole else edge_index[edge]
                hashes[count] = drawn_hash[k]
                carried = attention[start[m] + edge - first]
                value[count] = -np.inf if np.isnan(carried) else carried
                count += 1
        candidate_row[b + 1] = count
        best = _highest(value[begin:count], hashes[begin:count], added)
        added_row[b + 1] = added_row[b] + len(best)
        chosen[added_row[b] : added_row[b + 1]] = candidate[begin:count][best]
    return candidate_row, candidate[: candidate_row[queries]], added_row, chosen[: added_row[queries]]
