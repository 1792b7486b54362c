"""From what a walk recorded to the columns of a trace: only edges that carried mass, with both their ends named."""

from __future__ import annotations

import numpy as np

from tgap.graph import TemporalGraph
from tgap.graph.crossing import CrossedEdges, EdgeColumns, crossed_edges
from tgap.model.forward import StepRecord
from tgap.scorer import Query, StepTrace


def step_trace(graph: TemporalGraph, query: Query, record: StepRecord) -> StepTrace:
    """The trace of one step of one query. O(recorded edges), in one pass."""
    before, after, adjacency = record.before, record.after, record.adjacency
    columns = EdgeColumns(graph.source, graph.relation, graph.neighbour, graph.time, graph.loop_relation, query.time)
    held = before.value.numpy(force=True)[:, : before.flows].astype(np.float32, copy=False)
    carried = record.recording.full[:, : before.flows].astype(np.float32, copy=False)
    crossed: CrossedEdges = crossed_edges(
        columns, adjacency.row, adjacency.edge, before.entity, held, record.recording.start, carried
    )
    empty = np.empty(0, np.int64)
    return StepTrace(
        **crossed._asdict(),
        entities=after.entity.astype(np.int64),
        mass=after.value.numpy(force=True)[:, : after.flows].astype(np.float32),
        core=empty if record.core is None else before.entity[record.core.entry].astype(np.int64),
        candidates=empty if record.sample is None else record.sample.candidate,
        added=empty if record.sample is None else record.sample.added,
        subgraph=record.subgraphs.entity.astype(np.int64),
    )
