"""Events that speak for a candidate: those of the pair (subject, candidate), and the candidate's own nearest in time.

Both are given as rows, one for each candidate. Cost: O(events of the pair) and O(``most`` + hidden events passed by).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tgap.graph.resolve import VisibleGraph
from tgap.graph.temporal import Int32Array, Int64Array, TemporalGraph
from tgap.jit import kernel


class EventRows(NamedTuple):
    """Edges out of the subjects (or out of the candidates), one row for each candidate. C candidates."""

    row: Int64Array  # [C+1]
    edge: Int64Array  # ids as in the graph


class ByTime(NamedTuple):
    """The edges of each entity in order of time, self-loops left out. 4 bytes per edge."""

    row: Int64Array  # [N+1]
    edge: Int32Array

    @classmethod
    def of(cls, graph: TemporalGraph) -> ByTime:
        """Sorted once, O(E log E)."""
        order = np.lexsort((graph.time, graph.source))
        order = order[graph.relation[order] != graph.loop_relation]
        row = np.zeros(graph.num_entities + 1, np.int64)
        np.cumsum(np.bincount(graph.source[order], minlength=graph.num_entities), out=row[1:])
        return cls(row, order.astype(np.int32))


def pair_events(visible: VisibleGraph, subject: Int64Array, candidate: Int64Array) -> EventRows:
    """The visible edges from each subject to its candidate, in the graph's order; none where the two never met."""
    graph = visible.graph
    first, stop = _find_pairs(graph.pair_row, graph.pair_neighbour, graph.pair_edge, subject, candidate)
    return EventRows(*_visible_between(first, stop, visible.mask, graph.relation, graph.loop_relation))


def near_events(
    visible: VisibleGraph, by_time: ByTime, subject: Int64Array, candidate: Int64Array, time: Int64Array, most: int
) -> EventRows:
    """The ``most`` visible edges of each candidate nearest to a time, those with the subject left out.

    Nearest first; of two as near the later one first.
    """
    graph = visible.graph
    edge = np.empty(len(candidate) * most, np.int64)
    row = np.zeros(len(candidate) + 1, np.int64)
    _nearest(*by_time, graph.neighbour, graph.time, visible.mask, subject, candidate, time, most, row, edge)
    return EventRows(row, edge[: row[-1]])


@kernel()
def _find_pairs(pair_row, pair_neighbour, pair_edge, subject, candidate):
    first, stop = np.zeros(len(subject), np.int64), np.zeros(len(subject), np.int64)
    for c in range(len(subject)):
        low, high = pair_row[subject[c]], pair_row[subject[c] + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if pair_neighbour[middle] < candidate[c]:
                low = middle + 1
            else:
                high = middle
        if low < end and pair_neighbour[low] == candidate[c]:
            first[c], stop[c] = pair_edge[low], pair_edge[low + 1]
    return first, stop


@kernel()
def _visible_between(first, stop, mask, relation, loop):
    row = np.zeros(len(first) + 1, np.int64)
    edge = np.empty((stop - first).sum(), np.int64)
    count = 0
    for c in range(len(first)):
        for e in range(first[c], stop[c]):
            if mask[e] and relation[e] != loop:
                edge[count] = e
                count += 1
        row[c + 1] = count
    return row, edge[:count]


@kernel()
def _nearest(rows, edges, neighbour, times, mask, subject, candidate, time, most, row, found):
    count = 0
    for c in range(len(candidate)):
        begin, end = rows[candidate[c]], rows[candidate[c] + 1]
        low, high = begin, end
        while low < high:  # the first event at the time or later
            middle = (low + high) // 2
            if times[edges[middle]] < time[c]:
                low = middle + 1
            else:
                high = middle
        before, after, taken = low - 1, low, 0
        while taken < most and (before >= begin or after < end):
            later = before < begin or (after < end and times[edges[after]] - time[c] <= time[c] - times[edges[before]])
            if later:
                e = edges[after]
                after += 1
            else:
                e = edges[before]
                before -= 1
            if mask[e] and neighbour[e] != subject[c]:
                found[count] = e
                count += 1
                taken += 1
        row[c + 1] = count
