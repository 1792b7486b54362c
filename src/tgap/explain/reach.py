"""What a walk of T steps can reach, and why an answer is out of reach.

Attention only travels along edges, so an entity farther than T edges from v_q has probability exactly 0, whatever the
model has learned. That is said, not shown as a rank among thousands of zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.graph import TemporalGraph
from tgap.graph.resolve import VisibleGraph, visible_graph
from tgap.jit import kernel
from tgap.scorer import Trace


@dataclass(frozen=True)
class Reach:
    """How an answer lies from the entity that is asked about."""

    steps: int  # T of the model
    distance: int | None  # edges on the shortest walk; None when no walk of any length leads there
    arrived: bool  # some attention arrived at the answer

    @property
    def reachable(self) -> bool:
        """Whether a walk of T steps can end at the answer."""
        return self.distance is not None and self.distance <= self.steps


def reach(graph: TemporalGraph, trace: Trace, answer: int) -> Reach:
    """Reach of ``answer`` from the entity that is asked about, in what the trace's view shows of the graph."""
    visible = visible_graph(graph, trace.view.at(trace.query.time))
    distance = int(distances(visible, trace.query.subject)[answer])
    return Reach(len(trace.steps), None if distance < 0 else distance, trace.mass(answer) > 0)


def distances(visible: VisibleGraph, start: int, limit: int = -1) -> NDArray[np.int32]:
    """[N] visible edges on the shortest walk from ``start``; -1 where there is none (or none within ``limit``)."""
    graph = visible.graph
    found: NDArray[np.int32] = _spread(graph.pair_row, graph.pair_neighbour, visible.pair_count, start, limit)
    return found


@kernel()
def _spread(
    row: NDArray[np.int64], neighbour: NDArray[np.int32], count: NDArray[np.int32], start: int, limit: int
) -> NDArray[np.int32]:
    """Breadth-first search over distinct neighbours with ``count`` visible edges each: O(pairs)."""
    distance = np.full(len(row) - 1, -1, dtype=np.int32)
    queue = np.empty(len(row) - 1, dtype=np.int64)
    queue[0] = start
    distance[start] = 0
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        if distance[node] == limit:
            break
        for place in range(row[node], row[node + 1]):
            other = neighbour[place]
            if distance[other] < 0 and count[place] > 0:
                distance[other] = distance[node] + 1
                queue[tail] = other
                tail += 1
    return distance
