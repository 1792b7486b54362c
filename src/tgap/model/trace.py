"""From what a walk recorded to the columns of a trace: only edges that carried mass, with both their ends named."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tgap.graph import TemporalGraph
from tgap.graph.temporal import Int32Array, Int64Array
from tgap.model.walk import StepRecord
from tgap.scorer import FloatArray, IntArray, Query, StepTrace


def step_trace(graph: TemporalGraph, query: Query, record: StepRecord) -> StepTrace:
    """The trace of one step of one query. O(recorded edges), in one pass."""
    before, after, roads = record.before, record.after, record.roads
    named = _Named(graph.source, graph.relation, graph.neighbour, graph.time, graph.loop_relation, query.time)
    held = before.value.numpy()[:, : before.flows].astype(np.float32, copy=False)
    carried = record.recording.full[:, : before.flows].astype(np.float32, copy=False)
    columns = _columns(named, roads.row, roads.edge, before.node, held, record.recording.start, carried)
    empty = np.empty(0, np.int64)
    return StepTrace(
        *columns,
        nodes=after.node.astype(np.int64),
        mass=after.value.numpy()[:, : after.flows].astype(np.float32),
        core=empty if record.core is None else before.node[record.core.entry].astype(np.int64),
        candidates=empty if record.sample is None else record.sample.candidate,
        added=empty if record.sample is None else record.sample.added,
        subgraph=record.subgraphs.node.astype(np.int64),
    )


class _Named(NamedTuple):
    """What the edges of a graph are, and when the question is asked."""

    source: Int32Array  # [E]
    relation: Int32Array  # [E]
    neighbour: Int32Array  # [E]
    time: Int32Array  # [E]
    loop: int  # relation of self-loops, which have no time of their own
    query_time: int


@njit(cache=True, nogil=True)
def _columns(
    named: _Named,
    row: Int64Array,
    edge_index: Int64Array,
    node: Int32Array,
    held: FloatArray,
    start: Int64Array,
    carried: FloatArray,
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray, FloatArray, FloatArray]:
    """Edge, subject, relation, object, time, transition and attention of the edges that any flow crossed."""
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
    for entry in range(len(node)):
        first = row[node[entry]]
        for k in range(row[node[entry] + 1] - first):
            place = start[entry] + k
            if not crossed[place]:
                continue
            index = first + k if len(edge_index) == 0 else edge_index[first + k]
            edge[at] = index
            subject[at] = named.source[index]
            relation[at] = named.relation[index]
            target[at] = named.neighbour[index]
            time[at] = named.query_time if relation[at] == named.loop else named.time[index]
            for flow in range(flows):
                attention[at, flow] = carried[place, flow]
                if held[entry, flow] > 0:
                    transition[at, flow] = carried[place, flow] / held[entry, flow]
            at += 1
    return edge, subject, relation, target, time, transition, attention
