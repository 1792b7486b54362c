"""Plan of a flow step: what it reads besides tensors, and which thread takes which queries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from tgap.kernels.backend import FlowSettings
from tgap.kernels.chunks import flat
from tgap.kernels.flow_records import FlowArrays, FlowShape
from tgap.kernels.layout import Lanes
from tgap.kernels.structure import Adjacency, QueryState
from tgap.kernels.threads import num_threads


@dataclass(frozen=True)
class FlowPlan:
    """Structures of a step and how its work is divided."""

    state: QueryState
    adjacency: Adjacency
    settings: FlowSettings
    lanes: Lanes
    own: tuple[Adjacency, ...] = ()  # see ``FlowBatch``

    def arrays(self, mass: Tensor) -> FlowArrays:
        """What every kernel of the step reads; ``mass`` [M, W]."""
        s = self.settings
        shape = FlowShape(self.lanes.row, s.flows, s.loop, s.signed, s.slope)
        return FlowArrays(self.state, self.adjacency, s.buckets.table, shape, self.lanes.tuple, flat(mass))

    def seen(self, queries: NDArray[np.int64], arrays: FlowArrays) -> list[tuple[NDArray[np.int64], FlowArrays]]:
        """Queries that a kernel can take together, and what they see: all of them, or one by one where that differs."""
        if not self.own:
            return [(queries, arrays)]
        return [
            (queries[k : k + 1], arrays._replace(adjacency=self.own[query])) for k, query in enumerate(queries.tolist())
        ]

    @property
    def num_queries(self) -> int:
        """B."""
        return len(self.state.origin)

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """[N] edges out of each entity."""
        return np.diff(self.adjacency.row)

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """[N] entities that each entity has edges to."""
        return np.diff(self.adjacency.pair_row)

    @cached_property
    def longest(self) -> tuple[int, int]:
        """Edges and pairs of the entity with most of them, at least 1."""
        return int(self.degree.max(initial=1)), int(self.pairs.max(initial=1))

    @cached_property
    def chunks(self) -> list[NDArray[np.int64]]:
        """Queries of each chunk: by descending cost, each to the chunk with least work (ties: the first)."""
        state, count = self.state, num_threads()
        total = np.concatenate([[0], np.cumsum(self.degree[state.sub_entity])])
        cost = np.diff(total[state.sub_row]) + np.diff(state.mass_row)
        load = [0] * count
        members: list[list[int]] = [[] for _ in range(count)]
        for query in np.argsort(-cost, kind="stable"):
            lightest = load.index(min(load))
            load[lightest] += int(cost[query]) + 1
            members[lightest].append(int(query))
        return [np.array(sorted(part), dtype=np.int64) for part in members if part]
