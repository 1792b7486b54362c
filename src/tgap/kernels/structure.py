"""Index structures that kernels read: which edges lead where, and where the queries of a batch stand.

Arrays only, no parameters. The reference and the compiled kernels take the same structures.
Legend: E edges, P pairs (groups of parallel edges), M rows, B queries, Q subgraph entries, G groups of equal time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class BucketTable(NamedTuple):
    """Buckets of displacement sizes as kernels read them."""

    near: NDArray[np.int32]  # buckets of the sizes 0, 1, 2, ...
    bounds: NDArray[np.int64]  # first sizes of the buckets after those below ``exact``
    exact: int
    number: int  # D


class Incoming(NamedTuple):
    """Edges grouped by target, and within a target by source."""

    pair_row: NDArray[np.int64]  # [M+1] pairs of target j
    pair_edge: NDArray[np.int64]  # [P+1] edges of a pair
    pair_source: NDArray[np.int32]  # [P] row of table A (for sign 0)
    relation: NDArray[np.int32]  # [E] relation of the edge INTO j
    time: NDArray[np.int32]  # [E]
    mask: NDArray[np.uint8]  # [E] 1 = visible
    source_row: NDArray[np.int64]  # [A rows of one sign + 1] pairs that leave a source ...
    source_pair: NDArray[np.int32]  # [P] ... their numbers ...
    pair_target: NDArray[np.int32]  # [P] ... and target j of each pair


@dataclass(frozen=True)
class EdgeSet:
    """Edges that messages travel on, seen from ``origin``.

    ``source_index`` is None where every source may send messages of every sign (PGNN: row i of each sign's table is
    entity i). In a subgraph few sources send: then row k of the one table is source ``source_index[k]`` with the map of
    ``source_sign[k]``.
    """

    incoming: Incoming
    origin: int  # the time that displacements are measured from
    loop: int  # relation id of self-loops
    source_index: NDArray[np.int64] | None = None
    source_sign: NDArray[np.int64] | None = None
    gathered: bool = False  # the table of senders has a row for each of ``source_index`` already, in their order

    @property
    def num_targets(self) -> int:
        """M."""
        return len(self.incoming.pair_row) - 1

    @property
    def num_edges(self) -> int:
        """E, hidden ones included."""
        return len(self.incoming.relation)


class Adjacency(NamedTuple):
    """The visible edges out of every entity as compressed rows (CSR), whole or with some edges of each row only.

    See graph/temporal.py for the layout.
    """

    row: NDArray[np.int64]  # [N+1]
    relation: NDArray[np.int32]  # [E]
    time: NDArray[np.int32]  # [E]
    pair_row: NDArray[np.int64]  # [N+1]
    pair_neighbour: NDArray[np.int32]  # [P]
    pair_edge: NDArray[np.int64]  # [P+1]
    mask: NDArray[np.uint8]  # [E] 1 = visible
    degree: NDArray[np.int32]  # [N] visible edges out of an entity
    pair_count: NDArray[np.int32]  # [P] visible edges of a pair
    edge: NDArray[np.int64]  # [E] index of each edge in the graph; empty where it is the position itself
    symmetric: bool  # as many visible edges i -> j as j -> i: true of a graph, not of capped rows


class QueryState(NamedTuple):
    """Where the queries of a batch stand before a step: mass (the frontier), subgraph and time of each."""

    mass_row: NDArray[np.int64]  # [B+1]
    mass_entity: NDArray[np.int32]  # [M] entities with mass
    sub_row: NDArray[np.int64]  # [B+1]
    sub_entity: NDArray[np.int32]  # [Q] entities of the subgraph
    origin: NDArray[np.int64]  # [B] the time that displacements are measured from
    group: NDArray[np.int32]  # [B] which block of features h belongs to the query's time
    h_row: NDArray[np.int32]  # [G, N] row of an entity in the table of h keys
