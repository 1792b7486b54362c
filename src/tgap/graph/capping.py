"""Rows with at most so many edges, for graphs whose hubs are too large to walk whole.

A row of n visible edges, n above the cap m, keeps exactly m of them, and everything is normalised over those: softmax
and uniform rows alike see only the kept edges. The law of either choice stands in docs/model.md, Caps. In short:

"uniform": systematic sampling, every (n / m)-th visible edge from a random start: each is kept with probability m / n,
and the sample is spread evenly over neighbours and times. O(m), and a pass over the mask of a row with hidden edges.
"near": m edges without replacement, each draw proportional to 1 / (1 + |dt|): the m first of n exponential races. O(n).

The start and the races are a keyed hash of (seed, time, step, entity): the same for all queries of a time, whatever the
batch, and different at other times and steps.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tgap.graph.hashing import mix, place_hash
from tgap.graph.resolve import VisibleGraph
from tgap.graph.subgraph import compact_edge_set
from tgap.graph.temporal import Int32Array, Int64Array
from tgap.jit import kernel
from tgap.kernels.structure import Adjacency, EdgeSet


class Cap(NamedTuple):
    """How rows are cut."""

    most: int  # edges a row may keep; 0 = all
    near: bool  # prefer edges close to the query's time
    seed: int
    step: int = 0  # of the walk, from 1 on; 0 for what PGNN gathers


def capped_rows(visible: VisibleGraph, entities: Int64Array, time: int, cap: Cap) -> tuple[Int64Array, Int64Array]:
    """Rows [len(entities)+1] and the kept edges of the given entities, in ascending order within a row."""
    graph = visible.graph
    kept: tuple[Int64Array, Int64Array] = _capped(
        graph.row, graph.time, graph.fact, visible.mask, visible.degree, entities, time, cap
    )
    return kept


def capped_adjacency(visible: VisibleGraph, entities: Int64Array, time: int, cap: Cap) -> Adjacency:
    """Adjacency with capped rows for the given (distinct, ascending) entities and empty rows for all others."""
    graph = visible.graph
    kept, edge = capped_rows(visible, entities, time, cap)
    row, degree, pair_row, pair_edge = _paired(kept, entities, graph.neighbour[edge], graph.num_entities)
    return Adjacency(
        row=row,
        relation=graph.relation[edge],
        time=graph.time[edge],
        pair_row=pair_row,
        pair_neighbour=graph.neighbour[edge[pair_edge[:-1]]],
        pair_edge=pair_edge,
        mask=np.ones(len(edge), np.uint8),
        degree=degree,
        pair_count=np.diff(pair_edge).astype(np.int32),
        edge=edge,
        symmetric=False,
    )


def capped_edge_set(
    parts: Sequence[tuple[VisibleGraph, Int64Array]],
    inverse: Int32Array,
    origin: int,
    time: int,
    cap: Cap,
    signs: int,
) -> EdgeSet:
    """Edges into given entities under each of several views of one graph, as PGNN reads them.

    Targets are the entities of the first view, then those of the next; sources are all entities.
    """
    graph = parts[0][0].graph
    rows, edges = zip(*(capped_rows(visible, entities, time, cap) for visible, entities in parts), strict=True)
    row = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part) for part in rows]))])
    edge = np.concatenate(edges)
    source, relation, dt = _backwards(edge, graph.neighbour, inverse, graph.time, graph.loop_relation, origin)
    return compact_edge_set(row, source, relation, dt, signs, graph.num_entities, graph.loop_relation)


@kernel()
def _backwards(edge, neighbour, inverse, graph_time, loop, origin):
    """Source, relation and displacement of edges seen from their far ends."""
    source, dt = np.empty(len(edge), np.int64), np.empty(len(edge), np.int64)
    relation = np.empty(len(edge), np.int32)
    for k in range(len(edge)):
        source[k], relation[k] = neighbour[edge[k]], inverse[edge[k]]
        dt[k] = 0 if relation[k] == loop else graph_time[edge[k]] - origin
    return source, relation, dt


@kernel()
def _capped(graph_row, graph_time, fact, mask, degree, entities, time, cap):
    row = np.zeros(len(entities) + 1, np.int64)
    for k in range(len(entities)):
        visible = np.int64(degree[entities[k]])
        row[k + 1] = row[k] + (visible if cap.most == 0 else min(visible, cap.most))
    edges = np.empty(row[-1], np.int64)
    key = mix(mix(mix(np.uint64(cap.seed)) + np.uint64(time)) + np.uint64(cap.step))
    for k in range(len(entities)):
        first, last, visible = graph_row[entities[k]], graph_row[entities[k] + 1], np.int64(degree[entities[k]])
        kept = edges[row[k] : row[k + 1]]
        row_key = mix(key + np.uint64(entities[k]))
        if len(kept) == visible:
            at = 0
            for edge in range(first, last):
                if mask[edge] != 0:
                    kept[at] = edge
                    at += 1
        elif cap.near:
            _keep_near(kept, first, last, visible, graph_time, fact, mask, time, row_key)
        else:
            _keep_evenly(kept, first, last, visible, mask, row_key)
    return row, edges


@kernel()
def _keep_evenly(kept, first, last, visible, mask, row_key):
    """The visible edges of rank (k n + u) // m for k = 0 .. m-1, with u below n by hash.

    Of the m n numbers k n + u exactly m fall on each rank, no two of them for the same u: probability m / n for all.
    """
    most = len(kept)
    start = np.int64(row_key % np.uint64(visible))
    if visible == last - first:
        for k in range(most):
            kept[k] = first + (k * visible + start) // most
        return
    at, rank = 0, 0
    for edge in range(first, last):
        if mask[edge] == 0:
            continue
        if rank == (at * visible + start) // most:
            kept[at] = edge
            at += 1
            if at == most:
                return
        rank += 1


@kernel()
def _keep_near(kept, first, last, visible, graph_time, fact, mask, time, row_key):
    """The visible edges that finish first when edge e runs for an exponential time of mean 1 + |dt|."""
    most = len(kept)
    race = np.empty(visible, np.float64)
    rank = 0
    for edge in range(first, last):
        if mask[edge] != 0:
            uniform = (np.float64(place_hash(row_key, edge) >> np.uint64(11)) + 0.5) / 9007199254740992.0  # 2^53
            dt = 0 if fact[edge] < 0 else abs(np.int64(graph_time[edge]) - time)
            race[rank] = -np.log(uniform) * (1.0 + dt)
            rank += 1
    limit = np.partition(race, most - 1)[most - 1]
    at, rank = 0, 0
    for edge in range(first, last):
        if mask[edge] != 0:
            if race[rank] <= limit and at < most:
                kept[at] = edge
                at += 1
            rank += 1


@kernel()
def _paired(kept, entities, neighbour, num_entities):
    """Rows and degrees of all entities from the kept edges of some; and their edges grouped by neighbour."""
    row = np.zeros(num_entities + 1, np.int64)
    pair_row = np.zeros(num_entities + 1, np.int64)
    degree = np.zeros(num_entities, np.int32)
    pair_edge = np.empty(len(neighbour) + 1, np.int64)
    pairs, at = 0, 0
    for k in range(len(entities)):
        while at < entities[k]:
            at += 1
            row[at], pair_row[at] = kept[k], pairs
        for edge in range(kept[k], kept[k + 1]):
            if edge == kept[k] or neighbour[edge] != neighbour[edge - 1]:
                pair_edge[pairs] = edge
                pairs += 1
        degree[at] = kept[k + 1] - kept[k]
    while at < num_entities:
        at += 1
        row[at], pair_row[at] = len(neighbour), pairs
    pair_edge[pairs] = len(neighbour)
    return row, degree, pair_row, pair_edge[: pairs + 1]
