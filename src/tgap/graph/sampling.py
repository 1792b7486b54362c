"""Growing the subgraph: core nodes of highest attention, their edges (all, or a sample), the best of these.

Training looks at a sample of each core node's edges. Answers look at all of them, unless a core node is a hub with more
edges than ``hub_edges``: then an answer depends on nothing but the model and the facts.

Nothing here carries a gradient. Cost per query: O(entities with mass) for the core nodes, O(edges of the core nodes)
for the sample; both are selections around a cut, only the x core nodes themselves are sorted.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg,unreachable"

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph.hashing import edge_hash, entity_hash, pair_key, step_key
from tgap.graph.temporal import Int32Array, Int64Array
from tgap.jit import kernel
from tgap.kernels.simd import item, put
from tgap.kernels.structure import Adjacency

ALL = 0  # sampled edges of a core node: all of them
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
    return np.flatnonzero((value > cut) | ((value == cut) & (hashes <= limit)))[:most]


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
    """The ``added`` edges of highest attention of all that are looked at, per query.

    Looked at are the ``sampled`` edges of lowest hash of each core node, or with ``ALL`` every edge. ``attention`` is
    the mean attention of the core nodes' edges, as recorded by the flow; NaN (a model whose weights have run away)
    counts as less than any number.
    """
    return Sample(*_sample(adjacency, core, mass_entity, attention, keys, step, sampled, added))


@kernel()
def _all_hashes(seen, source, key, bound, edges, found):
    """Visible edges out of an entity with a hash of at most ``bound``, ascending, written to ``edges`` and ``found``.

    Returns how many there are (what finds no room is counted, not written), and the number of all visible edges.
    """
    count = visible = 0
    for pair in range(seen.pair_row[source], seen.pair_row[source + 1]):
        own = pair_key(key, source, item(seen.pair_neighbour, pair))
        copy = 0
        for edge in range(seen.pair_edge[pair], seen.pair_edge[pair + 1]):
            relation, time = item(seen.relation, edge), item(seen.time, edge)
            again = edge > seen.pair_edge[pair] and item(seen.relation, edge - 1) == relation
            copy = copy + 1 if again and item(seen.time, edge - 1) == time else 0
            if item(seen.mask, edge) == 0:
                continue
            visible += 1
            h = edge_hash(own, relation, time, copy)
            if h <= bound:
                if count < len(edges):
                    put(edges, count, edge)
                    put(found, count, h)
                count += 1
    return count, visible


@kernel()
def _lowest_hashes(seen, source, key, most):
    """Visible edges out of an entity, ascending, and their hashes: all of them, or ``most`` of lowest hash.

    Hashes are evenly spread, so of a long row those below a bound are collected that some more than ``most`` should
    stay under; only where that does not come true are all of them.
    """
    size = seen.row[source + 1] - seen.row[source]
    bound = _HIGHEST
    if size > 2 * most:
        share = (1.25 * most + 32) / size
        if share < 1:
            bound = np.uint64(share * 2.0**64)
    while True:
        edges = np.empty(size if bound == _HIGHEST else 2 * most + 64, np.int64)
        found = np.empty(len(edges), np.uint64)
        count, visible = _all_hashes(seen, source, key, bound, edges, found)
        if count <= len(edges):
            if count >= most:
                kept = np.flatnonzero(found[:count] <= np.partition(found[:count], most - 1)[most - 1])[:most]
                return edges[kept], found[kept]
            if count == visible:
                return edges[:count], found[:count]
        bound = _HIGHEST


@kernel()
def _sample(seen, core, mass_entity, attention, keys, step, sampled, added):
    core_row, entry, start = core.row, core.entry, core.start
    whole = len(seen.edge) == 0
    queries = len(core_row) - 1
    candidate_row = np.zeros(queries + 1, np.int64)
    added_row = np.zeros(queries + 1, np.int64)
    room = 0
    for c in range(len(entry)):
        i = mass_entity[entry[c]]
        size = seen.row[i + 1] - seen.row[i]
        room += size if sampled == ALL else min(size, sampled)
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
            source = mass_entity[m]
            first = seen.row[source]
            size = seen.row[source + 1] - first
            drawn, drawn_hash = _lowest_hashes(seen, source, key, size if sampled == ALL else sampled)
            for k in range(len(drawn)):
                edge = drawn[k]
                candidate[count] = edge if whole else seen.edge[edge]
                hashes[count] = drawn_hash[k]
                carried = attention[start[m] + edge - first]
                value[count] = -np.inf if np.isnan(carried) else carried
                count += 1
        candidate_row[b + 1] = count
        best = _highest(value[begin:count], hashes[begin:count], added)
        added_row[b + 1] = added_row[b] + len(best)
        chosen[added_row[b] : added_row[b + 1]] = candidate[begin:count][best]
    return candidate_row, candidate[: candidate_row[queries]], added_row, chosen[: added_row[queries]]
