"""What of a graph may be seen: all of it, all but some hidden facts, or a window of time.

Training hides a batch's own facts, with their inverses and copies; the faithfulness check hides the strongest edges;
a window shows only what happened between two instants. Hiding k facts costs O(k), never a rebuild: besides the mask
we keep the visible degree of each entity and the visible count of each pair, which the uniform part of the flow needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from tgap.graph.temporal import Int32Array, Int64Array, TemporalGraph


class Visibility:
    """Mask over a graph's edges. ``whole`` is True while nothing is hidden, so results may be cached."""

    def __init__(self, graph: TemporalGraph) -> None:
        self.graph = graph
        self.mask: NDArray[np.uint8] = np.ones(graph.num_edges, dtype=np.uint8)  # [E] 1 = visible
        self.degree: Int32Array = graph.degree.astype(np.int32)  # [N] visible out-edges, self-loop included
        self.pair_count: Int32Array = np.diff(graph.pair_edge).astype(np.int32)  # [P] visible edges of each pair
        self.whole = True

    @contextmanager
    def hidden(self, facts: Int64Array) -> Iterator[Visibility]:
        """Hide facts (ids as in ``graph.fact``; -1 is ignored) with inverses and copies, inside a ``with`` block."""
        edges = self._edges_of(facts)
        was_whole = self.whole
        self._shift(edges, -1)
        self.whole = was_whole and not len(edges)
        try:
            yield self
        finally:
            self._shift(edges, +1)
            self.whole = was_whole

    def window(self, first: int, last: int) -> Visibility:
        """A new view with only the events from ``first`` to ``last`` (both included) and all self-loops."""
        graph = self.graph
        inside = ((graph.time >= first) & (graph.time <= last)) | (graph.fact < 0)
        view = Visibility(graph)
        view.mask = (self.mask.astype(bool) & inside).astype(np.uint8)
        total = np.concatenate([[0], np.cumsum(view.mask, dtype=np.int64)])
        view.degree = np.diff(total[graph.row]).astype(np.int32)
        view.pair_count = np.diff(total[graph.pair_edge]).astype(np.int32)
        view.whole = self.whole and bool(inside.all())
        return view

    def _edges_of(self, facts: Int64Array) -> Int32Array:
        """Visible edges of the facts, each once."""
        graph = self.graph
        facts = np.unique(facts[facts >= 0])
        if not len(facts):
            return np.empty(0, dtype=np.int32)
        edges = np.concatenate([graph.fact_edge[graph.fact_row[f] : graph.fact_row[f + 1]] for f in facts])
        visible: Int32Array = edges[self.mask[edges] == 1]
        return visible

    def _shift(self, edges: Int32Array, by: int) -> None:
        """Take edges out of the view (by = -1) or put them back (by = +1)."""
        graph = self.graph
        self.mask[edges] = 1 if by > 0 else 0
        np.add.at(self.degree, graph.source[edges], by)
        pairs = np.searchsorted(graph.pair_edge, edges, side="right") - 1
        np.add.at(self.pair_count, pairs, by)
