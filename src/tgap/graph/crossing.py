"""Edges that attention crossed in a step, with their ends, relations and times: one pass over what was recorded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph.temporal import Int32Array, Int64Array
from tgap.jit import kernel


class EdgeColumns(NamedTuple):
    """What the edges of a graph are, and the time of the query."""

    source: Int32Array  # [E]
    relation: Int32Array  # [E]
    neighbour: Int32Array  # [E]
    time: Int32Array  # [E]
    loop: int  # relation of self-loops, which have no time of their own
    query_time: int


class CrossedEdges(NamedTuple):
    """C edges that attention crossed, and what they carried for each of H flows."""

    edge: Int64Array  # [C] index in the graph
    subject: Int64Array  # [C]
    relation: Int64Array  # [C]
    object: Int64Array  # [C]
    time: Int64Array  # [C]; the query's own for self-loops
    transition: NDArray[np.float32]  # [C, H]
    attention: NDArray[np.float32]  # [C, H]


@kernel()
def crossed_edges(
    columns: EdgeColumns,
    row: Int64Array,
    edge_index: Int64Array,
    entity: Int32Array,
    held: NDArray[np.float32],
    start: Int64Array,
    carried: NDArray[np.float32],
) -> CrossedEdges:
    """The edges that any flow crossed.

    Entry m of the mass list is ``entity[m]``, which held ``held[m]``; what its edges carried begins at ``start[m]``.
    """
    room, flows = carried.shape
    crossed = np.zeros(room, np.bool_)
    count = 0
    for place in range(room):
        total = np.float32(0)
        for flow in range(flows):
            total += carried[place, flow]
        if total > 0:
            crossed[place] = True
            count += 1
    edge, subject, relation = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    target, time = np.empty(count, np.int64), np.empty(count, np.int64)
    transition = np.zeros((count, flows), np.float32)
    attention = np.empty((count, flows), np.float32)
    at = 0
    for entry in range(len(entity)):
        first = row[entity[entry]]
        for k in range(row[entity[entry] + 1] - first):
            place = start[entry] + k
            if not crossed[place]:
                continue
            index = first + k if len(edge_index) == 0 else edge_index[first + k]
            edge[at] = index
            subject[at] = columns.source[index]
            relation[at] = columns.relation[index]
            target[at] = columns.neighbour[index]
            time[at] = columns.query_time if relation[at] == columns.loop else columns.time[index]
            for flow in range(flows):
                attention[at, flow] = carried[place, flow]
                if held[entry, flow] > 0:
                    transition[at, flow] = carried[place, flow] / held[entry, flow]
            at += 1
    return CrossedEdges(edge, subject, relation, target, time, transition, attention)
