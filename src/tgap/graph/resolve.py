"""What a view shows of a graph, as the arrays that kernels read.

Besides the mask of the edges these are the visible degree of each entity and the visible edges of each pair, which the
uniform part of the flow needs. They are as long as the graph, so they are not made anew for every view: a ``Resolver``
keeps sets of them, and to resolve a view is to apply to one set what differs between the view that it shows and the
wanted one. Hiding the k facts of a training batch costs O(k), and a limit that moves on by a day the facts of that day.

A set belongs to one resolved view as long as there is a reference to any of its arrays: from a forward pass, from
autograd (whose backward pass reads them later), from another thread. So several views can be in use at once, and what
one of them shows never changes. numpy keeps the owner of an array's memory alive as long as the array or any slice of
it; here that owner is a ``_Lease``, whose finalizer returns the set to the pool.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.errors import QueryError
from tgap.graph.temporal import Int32Array, Int64Array, TemporalGraph
from tgap.graph.view import View
from tgap.jit import kernel


@dataclass(frozen=True, eq=False)
class VisibleGraph:
    """A graph as a view shows it. The arrays must not be written to."""

    graph: TemporalGraph
    mask: NDArray[np.uint8]  # [E] 1 = visible
    degree: Int32Array  # [N] visible edges out of each entity, self-loop included
    pair_count: Int32Array  # [P] visible edges of each pair


def visible_graph(graph: TemporalGraph, view: View) -> VisibleGraph:
    """What ``view`` shows, for a single use; many views of one graph are cheaper from one ``Resolver``."""
    return Resolver(graph).resolve(view)


class Resolver:
    """Resolves views of one graph. Threads may share it."""

    def __init__(self, graph: TemporalGraph) -> None:
        self.graph = graph
        arrays = _Arrays.of(graph)
        self._whole = VisibleGraph(graph, arrays.mask, arrays.degree, arrays.pair_count)
        self._idle: list[_Scratch] = []  # append and pop of a list are atomic

    def resolve(self, view: View) -> VisibleGraph:
        """What ``view`` shows of the graph. For a view that depends on the query, resolve ``view.at(time)``."""
        assert not view.depends_on_query, "this view depends on the query: resolve view.at(time)"
        wanted = _Shown(*self._window(view), self._hidden(view))
        if wanted.stop - wanted.begin == self.graph.num_facts and not view.hidden:
            return self._whole
        scratch = self._take()
        self._change(scratch, wanted)
        return self._lease(scratch)

    def ends(self, view: View) -> Int64Array:
        """Entities at the ends of the facts that a view hides by name, ascending."""
        graph, facts = self.graph, self._hidden(view)
        edges = graph.fact_edge[np.concatenate([graph.fact_row[facts], graph.fact_row[facts + 1] - 1])]
        return np.unique(graph.source[edges]).astype(np.int64)

    def _hidden(self, view: View) -> Int64Array:
        if view.hidden and view.hidden[-1] >= self.graph.num_facts:
            raise QueryError(f"fact id {view.hidden[-1]} is out of range; expected 0 to {self.graph.num_facts - 1}")
        return np.array(view.hidden, np.int64)

    def _window(self, view: View) -> tuple[int, int]:
        """Stretch of the facts in order of time that the limits leave."""
        return view.stretch(self._by_time.time) if view.bounded else (0, self.graph.num_facts)

    @cached_property
    def _by_time(self) -> _ByTime:
        """Made when a view first has a limit in time."""
        times = self.graph.time[self.graph.fact_edge[self.graph.fact_row[:-1]]]
        order = np.argsort(times, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return _ByTime(order, times[order], place)

    def _take(self) -> _Scratch:
        """An idle set of arrays, or a new one."""
        try:
            return self._idle.pop()
        except IndexError:  # all are in use
            return _Scratch(_Arrays.of(self.graph), _Shown(0, self.graph.num_facts, np.empty(0, np.int64)))

    def _change(self, scratch: _Scratch, wanted: _Shown) -> None:
        """From what the arrays show to what they should: first the limits alone, then the hidden facts."""
        old = scratch.shown
        self._turn(scratch.arrays, self._inside(old), visible=True)
        if (old.begin, old.stop) != (wanted.begin, wanted.stop):
            order = self._by_time.fact
            for left in ((old.begin, min(old.stop, wanted.begin)), (max(old.begin, wanted.stop), old.stop)):
                self._turn(scratch.arrays, order[slice(*left)], visible=False)
            for joined in ((wanted.begin, min(wanted.stop, old.begin)), (max(wanted.begin, old.stop), wanted.stop)):
                self._turn(scratch.arrays, order[slice(*joined)], visible=True)
        self._turn(scratch.arrays, wanted.hidden, visible=False)
        scratch.shown = wanted

    def _inside(self, shown: _Shown) -> Int64Array:
        """The hidden facts that the limits alone would show."""
        if shown.stop - shown.begin == self.graph.num_facts or not len(shown.hidden):
            return shown.hidden
        place = self._by_time.place[shown.hidden]
        return shown.hidden[(place >= shown.begin) & (place < shown.stop)]

    def _turn(self, arrays: _Arrays, facts: Int64Array, visible: bool) -> None:
        graph = self.graph
        if len(facts):
            structure = _Structure(graph.fact_row, graph.fact_edge, graph.source, graph.pair_row, graph.pair_edge)
            _turn(structure, arrays, facts, visible)

    def _lease(self, scratch: _Scratch) -> VisibleGraph:
        """The arrays of a scratch set, which returns to the pool with the last reference to any of them."""
        lease = _Lease()
        weakref.finalize(lease, self._idle.append, scratch).atexit = False
        mask, degree, pair_count = (np.asarray(_LeasedArray(lease, array)) for array in scratch.arrays)
        return VisibleGraph(self.graph, mask, degree, pair_count)


class _Arrays(NamedTuple):
    """As in ``VisibleGraph``."""

    mask: NDArray[np.uint8]
    degree: Int32Array
    pair_count: Int32Array

    @staticmethod
    def of(graph: TemporalGraph) -> _Arrays:
        """Of the whole graph."""
        return _Arrays(
            mask=np.ones(graph.num_edges, np.uint8),
            degree=graph.degree.astype(np.int32),
            pair_count=np.diff(graph.pair_edge).astype(np.int32),
        )


class _ByTime(NamedTuple):
    """The F facts of a graph in order of time."""

    fact: Int64Array  # [F] ids
    time: Int32Array  # [F] times, ascending
    place: Int64Array  # [F] where fact f stands in this order


class _Shown(NamedTuple):
    """A view in terms of one graph: facts ``begin`` to ``stop`` in order of time, without the hidden ones."""

    begin: int
    stop: int
    hidden: Int64Array


@dataclass
class _Scratch:
    """A set of arrays and what it shows."""

    arrays: _Arrays
    shown: _Shown


class _Lease:
    """Lives as long as any of the arrays that refer to it."""


class _LeasedArray:
    """Memory of a scratch array; every array or slice that numpy makes of it keeps the lease alive."""

    def __init__(self, lease: _Lease, array: NDArray[Any]) -> None:
        self.lease = lease
        self.__array_interface__ = array.__array_interface__


class _Structure(NamedTuple):
    """What of a ``TemporalGraph`` leads from facts to their edges and pairs."""

    fact_row: Int64Array
    fact_edge: Int32Array
    source: Int32Array
    pair_row: Int64Array
    pair_edge: Int64Array


@kernel()
def _turn(graph: _Structure, arrays: _Arrays, facts: Int64Array, visible: bool) -> None:
    """Show or hide all edges of the facts; those that are so already are left alone."""
    value, change = (1, 1) if visible else (0, -1)
    for fact in facts:
        for place in range(graph.fact_row[fact], graph.fact_row[fact + 1]):
            edge = graph.fact_edge[place]
            if arrays.mask[edge] == value:
                continue
            arrays.mask[edge] = value
            source = graph.source[edge]
            arrays.degree[source] += change
            first, last = graph.pair_row[source], graph.pair_row[source + 1]
            pair = first + np.searchsorted(graph.pair_edge[first:last], edge, side="right") - 1
            arrays.pair_count[pair] += change
