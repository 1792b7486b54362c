"""Every walk of a trace by plain recursion: what the compiled passes are compared with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tgap.scorer import Trace

Folded = tuple[int, ...]


def every_walk(trace: Trace) -> Iterator[tuple[Folded, int, float]]:
    """(edges, end, weight) of every walk of the trace, by plain recursion."""

    def onward(step: int, node: int, edges: Folded, products: np.ndarray) -> Iterator[tuple[Folded, int, float]]:
        if step == len(trace.steps):
            yield edges, node, float(products.mean())
            return
        record = trace.steps[step]
        for place in np.flatnonzero(record.subject == node):
            further = products * record.transition[place].astype(np.float64)
            yield from onward(step + 1, int(record.object[place]), (*edges, int(record.edge[place])), further)

    flows = trace.steps[0].transition.shape[1]
    yield from onward(0, trace.query.subject, (), np.ones(flows))
