"""Displacement profile: how far in time attention looked, beside how far it could have looked.

Attention: the mean over queries and over all T steps of the mass that crossed edges of a displacement dt = t_e - t_q,
so that the profile and the self-loops, which have no time of their own and are kept apart, sum to 1.

Base: the displacements of all edges that a walk of T steps from v_q can take (edges out of entities at most T - 1 edges
away, self-loops left out), counted once for each query. A profile that equals the base looks everywhere alike.

Displacements are whole units of the timeline. On a very long timeline several share a bin, ``Profile.unit`` wide; past,
present and future never share one: the bin of dt is sign(dt) * ceil(|dt| / unit).

Cost: one pass over the trace's edges (about 1 ns an edge and flow), one breadth-first search for each distinct subject.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.explain.reach import distances
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import Resolver, VisibleGraph
from tgap.jit import kernel
from tgap.scorer import IntArray, QueryBatch, Trace

_DENSE = 1 << 22  # so many times are counted in a table of all of them
_CELLS = 20_000_000  # most numbers in the table of relations by displacements
SIGNS = ("past", "present", "future")


@dataclass(frozen=True)
class Profile:
    """Attention and base over D displacements, in rising order; only displacements that either has."""

    queries: int  # queries behind the means, repeated ones counted
    unit: int  # width of a bin in units of the timeline
    displacement: IntArray  # [D] in units of the timeline: multiples of ``unit``
    attention: NDArray[np.float64]  # [D] share of all attention
    base: NDArray[np.float64]  # [D] edges within reach, summed over queries
    by_relation: NDArray[np.float64]  # [2R, D] share of all attention, by relation of the edge (inverses from R on)
    self_loops: float  # share of all attention that stayed on self-loops

    @property
    def base_share(self) -> NDArray[np.float64]:
        """[D] base, made to sum to 1."""
        total = self.base.sum()
        return self.base / total if total > 0 else self.base

    def by_sign(self, values: NDArray[np.float64]) -> dict[str, float]:
        """Sums of ``values`` [D] over past, present and future."""
        side = np.sign(self.displacement)
        return {name: float(values[side == sign].sum()) for name, sign in zip(SIGNS, (-1, 0, 1), strict=True)}

    def strongest_relations(self, count: int) -> list[tuple[int, float]]:
        """(relation, share of all attention) of the ``count`` relations that attention used most."""
        totals = self.by_relation.sum(axis=1)
        order = np.argsort(-totals, kind="stable")[:count]
        return [(int(relation), float(totals[relation])) for relation in order if totals[relation] > 0]


def query_profile(graph: TemporalGraph, trace: Trace) -> Profile:
    """Profile of one query from its trace."""
    queries = QueryBatch.of([trace.query])
    table = ProfileSums.empty(graph, queries)
    table.add(trace, 1.0)
    table.add_base(Resolver(graph), trace.view, queries, np.ones(1), len(trace.steps))
    return table.finish(1, len(trace.steps))


class _Edges(NamedTuple):
    """Columns of one step."""

    relation: IntArray
    time: IntArray
    attention: NDArray[np.float32]


class _Bins(NamedTuple):
    """Where a time falls: column middle + sign * ceil(size / unit)."""

    query_time: int
    unit: int
    middle: int


@dataclass
class ProfileSums:
    """Sums over queries: bins -B..B stand at columns 0..2B."""

    unit: int
    bins: int  # B
    first: int  # earliest time of the graph
    last: int
    attention: NDArray[np.float64]  # [2R + 1, 2B + 1]; the last row takes self-loops
    base: NDArray[np.float64]  # [2B + 1]

    @classmethod
    def empty(cls, graph: TemporalGraph, queries: QueryBatch) -> ProfileSums:
        """Sums of nothing, with room for some queries."""
        real = graph.time[graph.fact >= 0]
        first, last = (int(real.min()), int(real.max())) if len(real) else (0, 0)
        farthest = 0
        if len(queries):
            farthest = max(abs(int(edge) - int(time)) for edge in (first, last) for time in _ends(queries.time))
        rows = graph.loop_relation + 1
        unit = max(1, -(-2 * farthest * rows // _CELLS))
        bins = -(-farthest // unit)
        return cls(unit, bins, first, last, np.zeros((rows, 2 * bins + 1)), np.zeros(2 * bins + 1))

    def add(self, trace: Trace, weight: float) -> None:
        """Add the attention of a query that counts ``weight`` times."""
        for step in trace.steps:
            edges = _Edges(step.relation, step.time, step.attention)
            _add_edges(self.attention, edges, _Bins(trace.query.time, self.unit, self.bins), weight)

    def add_base(
        self, views: Resolver, view: View, queries: QueryBatch, weights: NDArray[np.float64], steps: int
    ) -> None:
        """Visible edges within reach of each query's subject, by displacement."""
        for part, seen in view.groups(queries.time):
            self._add_reached(views.resolve(seen), queries.take(part), weights[part], steps)

    def _add_reached(
        self, visible: VisibleGraph, queries: QueryBatch, weights: NDArray[np.float64], steps: int
    ) -> None:
        """``add_base`` of queries that see the same."""
        graph = visible.graph
        for subject in np.unique(queries.subject):
            near = distances(visible, int(subject), steps - 1) >= 0
            if self.last - self.first < _DENSE:
                times = np.arange(self.first, self.last + 1)
                counts = _count_times(graph.row, graph.time, graph.fact, visible.mask, near, self.first, len(times))
            else:
                reached = (graph.fact >= 0) & (visible.mask == 1) & near[graph.source]
                times, counts = np.unique(graph.time[reached], return_counts=True)
            mine = queries.subject == subject
            for time, weight in zip(queries.time[mine].tolist(), weights[mine].tolist(), strict=True):
                np.add.at(self.base, self._column(times.astype(np.int64) - time), weight * counts)

    def _column(self, displacement: IntArray) -> IntArray:
        size = -(-np.abs(displacement) // self.unit)
        column: IntArray = np.sign(displacement) * size + self.bins
        return column

    def finish(self, queries: int, steps: int) -> Profile:
        """The profile: means over queries and steps."""
        shares = self.attention / max(1, queries * steps)
        moving = shares[:-1]
        used = (moving.sum(axis=0) > 0) | (self.base > 0)
        return Profile(
            queries=queries,
            unit=self.unit,
            displacement=((np.flatnonzero(used) - self.bins) * self.unit).astype(np.int64),
            attention=moving[:, used].sum(axis=0),
            base=self.base[used],
            by_relation=moving[:, used],
            self_loops=float(shares[-1].sum()),
        )


def _ends(values: IntArray) -> tuple[int, int]:
    return int(values.min()), int(values.max())


@kernel()
def _count_times(
    row: IntArray,
    time: NDArray[np.int32],
    fact: NDArray[np.int32],
    mask: NDArray[np.uint8],
    near: NDArray[np.bool_],
    first: int,
    span: int,
) -> IntArray:
    """[span] visible edges out of some entities by time, self-loops left out."""
    counts = np.zeros(span, dtype=np.int64)
    for entity in range(len(near)):
        if near[entity]:
            for edge in range(row[entity], row[entity + 1]):
                if mask[edge] != 0 and fact[edge] >= 0:
                    counts[time[edge] - first] += 1
    return counts


@kernel()
def _add_edges(table: NDArray[np.float64], edges: _Edges, bins: _Bins, weight: float) -> None:
    """Add each edge's mean attention to the cell of its relation and displacement."""
    flows = edges.attention.shape[1]
    for edge in range(len(edges.relation)):
        total = 0.0
        for flow in range(flows):
            total += edges.attention[edge, flow]
        displacement = edges.time[edge] - bins.query_time
        size = (abs(displacement) + bins.unit - 1) // bins.unit
        column = bins.middle + size if displacement >= 0 else bins.middle - size
        table[edges.relation[edge], column] += weight * total / flows
