"""Rows with at most so many edges, for graphs whose hubs are too large to walk whole.

A capped row keeps ``cap`` of its visible edges and is normalised over those: softmax and uniform rows alike see only
the kept edges. The choice is a keyed hash of (seed, entity, edge), so it does not depend on the batch.

"uniform": one edge out of each of ``cap`` equal stretches of the row, O(cap) however long the row is; every edge is as
likely as any other. "near": ``cap`` edges without replacement with probability proportional to 1 / (1 + |dt|), the
smallest of cap exponential races, O(row).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tgap.graph.hashing import edge_hash, mix
from tgap.graph.subgraph import compact_edge_set
from tgap.graph.temporal import Int32Array, Int64Array
from tgap.graph.visibility import Visibility
from tgap.jit import kernel
from tgap.kernels.structure import EdgeSet, Roads


class Cap(NamedTuple):
    """How rows are cut."""

    most: int  # edges a row may keep; 0 = all
    near: bool  # prefer edges close to the query's time
    seed: int


def capped_rows(visibility: Visibility, nodes: Int64Array, time: int, cap: Cap) -> tuple[Int64Array, Int64Array]:
    """Rows [len(nodes)+1] and the kept edges of the given entities, in ascending order within a row."""
    graph = visibility.graph
    kept: tuple[Int64Array, Int64Array] = _capped(
        graph.row, graph.time, graph.fact, visibility.mask, nodes, time, cap.most, cap.near, cap.seed
    )
    return kept


def capped_roads(visibility: Visibility, nodes: Int64Array, time: int, cap: Cap) -> Roads:
    """Roads with capped rows for the given (distinct, ascending) entities and empty rows for all others."""
    graph = visibility.graph
    kept, edge = capped_rows(visibility, nodes, time, cap)
    degree = np.zeros(graph.num_entities, np.int32)
    degree[nodes] = np.diff(kept)
    row = np.concatenate([[0], np.cumsum(degree, dtype=np.int64)])
    source, neighbour = graph.source[edge], graph.neighbour[edge]
    fresh = np.ones(len(edge), bool)
    fresh[1:] = (source[1:] != source[:-1]) | (neighbour[1:] != neighbour[:-1])
    begin = np.flatnonzero(fresh)
    pair_edge = np.append(begin, len(edge))
    pair_row = np.concatenate([[0], np.cumsum(fresh, dtype=np.int64)])[row]
    return Roads(
        row=row,
        relation=graph.relation[edge],
        time=graph.time[edge],
        pair_row=pair_row,
        pair_neighbour=neighbour[begin],
        pair_edge=pair_edge,
        mask=np.ones(len(edge), np.uint8),
        degree=degree,
        pair_count=np.diff(pair_edge).astype(np.int32),
        edge=edge,
        symmetric=False,
    )


def capped_edge_set(
    visibility: Visibility, inverse: Int32Array, nodes: Int64Array, origin: int, time: int, cap: Cap, signs: int
) -> EdgeSet:
    """Edges into the given entities as PGNN reads them; target k is nodes[k], sources are entities."""
    graph = visibility.graph
    row, edge = capped_rows(visibility, nodes, time, cap)
    relation = inverse[edge]
    dt = np.where(relation == graph.loop_relation, 0, graph.time[edge].astype(np.int64) - origin)
    source = graph.neighbour[edge].astype(np.int64)
    return compact_edge_set(row, source, relation, dt, signs, graph.num_entities, graph.loop_relation)


@kernel()
def _capped(graph_row, graph_time, fact, mask, nodes, time, most, near, seed):
    room = 0
    for k in range(len(nodes)):
        length = graph_row[nodes[k] + 1] - graph_row[nodes[k]]
        room += length if most == 0 else min(length, most)
    row = np.zeros(len(nodes) + 1, np.int64)
    kept = np.empty(room, np.int64)
    key = mix(np.uint64(seed))
    count = 0
    for k in range(len(nodes)):
        first, last = graph_row[nodes[k]], graph_row[nodes[k] + 1]
        length = last - first
        if most == 0 or length <= most:
            for edge in range(first, last):
                if mask[edge] != 0:
                    kept[count] = edge
                    count += 1
        elif near:
            race = np.empty(length, np.float64)
            for edge in range(first, last):
                uniform = (np.float64(edge_hash(key, edge) >> np.uint64(11)) + 0.5) / 9007199254740992.0
                dt = 0 if fact[edge] < 0 else abs(np.int64(graph_time[edge]) - time)
                race[edge - first] = -np.log(uniform) * (1.0 + dt) if mask[edge] != 0 else np.inf
            limit = np.partition(race, most - 1)[most - 1]
            for edge in range(first, last):
                if mask[edge] != 0 and race[edge - first] <= limit:
                    kept[count] = edge
                    count += 1
        else:
            for part in range(most):
                low, high = part * length // most, (part + 1) * length // most
                chance = edge_hash(mix(key + np.uint64(nodes[k])), part)
                edge = first + low + np.int64(chance % np.uint64(high - low))
                if mask[edge] != 0:
                    kept[count] = edge
                    count += 1
        if count == row[k]:  # all sampled edges were hidden: the self-loop never is
            for edge in range(first, last):
                if fact[edge] < 0:
                    kept[count] = edge
                    count += 1
        row[k + 1] = count
    return row, kept[:count]
