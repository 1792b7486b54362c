"""The events of a graph in the orders in which statistics and features read them, and the classes of displacements.

Cost: two sorts, O(E log E); 12 bytes per edge besides the graph.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph.temporal import Int32Array, Int64Array, TemporalGraph
from tgap.jit import kernel

SIZES = 13  # classes of |dt| in units: 0, 1, 2-3, 4-7, ... and everything from 2048 on
CLASSES = 2 * SIZES - 1  # with the sign; the class of the query's own instant is SIZES - 1


class EventIndex(NamedTuple):
    """Arrays of a ``TemporalGraph`` and its edges, without self-loops, in two more orders."""

    loop: int  # relation of self-loops: 2R
    row: Int64Array  # [N+1]
    source: Int32Array  # [E]
    neighbour: Int32Array  # [E]
    relation: Int32Array  # [E]
    time: Int32Array  # [E]
    fact: Int32Array  # [E]
    pair_row: Int64Array  # [N+1]
    pair_neighbour: Int32Array  # [P]
    pair_edge: Int64Array  # [P+1]
    asked_row: Int64Array  # [2R+1] edges of relation r, in order of time, stand in ``asked_edge`` from here on
    asked_edge: Int32Array
    role_row: Int64Array  # [N+1] edges of entity i, by relation, then by time, stand in ``role_edge`` from here on
    role_edge: Int32Array

    @classmethod
    def of(cls, graph: TemporalGraph) -> EventIndex:
        """Index of a graph."""
        events = np.flatnonzero(graph.fact >= 0).astype(np.int32)
        source, relation, time = graph.source[events], graph.relation[events], graph.time[events]
        asked = events[np.lexsort((time, relation))]
        role = events[np.lexsort((time, relation, source))]
        return cls(
            graph.loop_relation, graph.row, graph.source, graph.neighbour, graph.relation, graph.time, graph.fact,
            graph.pair_row, graph.pair_neighbour, graph.pair_edge,
            _starts(relation, graph.loop_relation), asked, _starts(source, graph.num_entities), role,
        )  # fmt: skip

    def asked(self, relation: int) -> Int32Array:
        """Edges of a relation in order of time."""
        return self.asked_edge[self.asked_row[relation] : self.asked_row[relation + 1]]


def _starts(values: NDArray[np.int32], count: int) -> Int64Array:
    row = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(values, minlength=count), out=row[1:])
    return row


@kernel()
def class_of(displacement: int, unit: int) -> int:
    """Class of an event's time minus the query's, in units: 0 .. CLASSES-1.

    Only the instant itself has the middle class; whatever is less than a unit away counts as one unit.
    """
    size = 0
    if displacement != 0:
        rest = max(abs(displacement) // unit, 1)
        while rest > 0 and size < SIZES - 1:
            size += 1
            rest >>= 1
    return SIZES - 1 + (size if displacement > 0 else -size)
