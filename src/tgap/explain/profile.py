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

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.capabilities import Walker
from tgap.evaluation.scoring import Progress
from tgap.explain.reach import distances
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import Resolver, VisibleGraph
from tgap.graph.view import WHOLE
from tgap.jit import kernel
from tgap.scorer import IntArray, Query, QueryBatch, Trace

_WALKERS, _AHEAD = 2, 4  # threads that walk questions, questions walked before their sums are needed
_DENSE = 1 << 22  # so many times are counted in a table of all of them
_CELLS = 20_000_000  # most numbers in the table of relations by displacements
SIGNS = ("past", "present", "future")
Walking = Callable[[Walker, Sequence[Query], View], Iterator[Trace]]


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
    table = _Table.empty(graph, queries)
    table.add(trace, 1.0)
    table.add_base(Resolver(graph), trace.view, queries, np.ones(1), len(trace.steps))
    return table.finish(1, len(trace.steps))


def queries_profile(
    explainer: Walker, queries: QueryBatch, progress: Progress | None = None, view: View = WHOLE
) -> Profile:
    """Profile over many queries that see what ``view`` shows.

    Each distinct (v, r, t) is walked once and counts as often as it occurs.
    Walks run ahead on two threads (kernels release the GIL); sums are made here, in order of the questions.

    ``progress`` hears after each of them how many are done, and of how many.
    """
    work = profile_in_turns(explainer, queries, view, walk=_walk_ahead)
    while True:
        try:
            done = next(work)
        except StopIteration as ended:
            profile: Profile = ended.value
            return profile
        if progress is not None:
            progress(*done)


def profile_in_turns(
    explainer: Walker, queries: QueryBatch, view: View = WHOLE, walk: Walking | None = None
) -> Generator[tuple[int, int], None, Profile]:
    """The same, giving way after every distinct query; yields how many are done, and of how many."""
    rows = np.stack([queries.time, queries.subject, queries.relation], axis=1)
    distinct, repeats = np.unique(rows, axis=0, return_counts=True)  # in order of time: features of a day are reused
    table = _Table.empty(explainer.graph, queries)
    steps = 1
    asked = [Query(int(subject), int(relation), int(time)) for time, subject, relation in distinct.tolist()]
    for place, trace in enumerate((walk or _walk_in_order)(explainer, asked, view)):
        steps = len(trace.steps)
        table.add(trace, float(repeats[place]))
        yield place + 1, len(distinct)
    ordered = QueryBatch(distinct[:, 1], distinct[:, 2], distinct[:, 0])
    table.add_base(Resolver(explainer.graph), view, ordered, repeats.astype(np.float64), steps)
    return table.finish(len(queries), steps)


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
class _Table:
    """Sums over queries: bins -B..B stand at columns 0..2B."""

    unit: int
    bins: int  # B
    first: int  # earliest time of the graph
    last: int
    attention: NDArray[np.float64]  # [2R + 1, 2B + 1]; the last row takes self-loops
    base: NDArray[np.float64]  # [2B + 1]

    @classmethod
    def empty(cls, graph: TemporalGraph, queries: QueryBatch) -> _Table:
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


def _walk_in_order(explainer: Walker, asked: Sequence[Query], view: View) -> Iterator[Trace]:
    """The questions' traces, each walked when it is wanted."""
    return (explainer.trace(query, view) for query in asked)


def _walk_ahead(explainer: Walker, asked: Sequence[Query], view: View) -> Iterator[Trace]:
    """The questions' traces in their order, a few of them walked ahead on other threads."""
    with ThreadPoolExecutor(_WALKERS) as pool:
        running: deque[Future[Trace]] = deque()
        for query in asked:
            running.append(pool.submit(explainer.trace, query, view))
            if len(running) > _AHEAD:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


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
