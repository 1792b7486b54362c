"""The walk of a batch of queries (paper, sections 4.3 and 4.4): T times flow, sampling, SGNN.

A step t: the question enters the subgraph's features; attention flows with them; the subgraph grows where attention
is; SGNN updates the features. After the last flow nothing more is sampled or updated.

Legend: B queries, N entities, G times with features of their own, M entries of the mass lists, Q of the subgraph lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.graph import View
from tgap.graph.capping import capped_adjacency
from tgap.graph.hashing import query_keys
from tgap.graph.resolve import VisibleGraph
from tgap.graph.sampling import CoreNodes, Sample, choose_core, sample_edges
from tgap.graph.subgraph import Subgraphs, find_entries, visible_adjacency
from tgap.kernels.backend import FlowBatch, Mass, Recording
from tgap.kernels.structure import Adjacency, QueryState
from tgap.scorer import IntArray, QueryBatch

if TYPE_CHECKING:
    from tgap.model.tgap import TGAP


@dataclass(frozen=True)
class Features:
    """What PGNN gives for one query time: a function of weights, time and visible edges only, so it can be cached."""

    h: Tensor  # [N, d]
    table: Tensor  # h as the flow scores against it

    @property
    def nbytes(self) -> int:
        """Memory of the tensors."""
        return self.h.nbytes + self.table.nbytes

    def replaced(self, rows: Tensor, fresh: Features) -> Features:
        """The same but for the given rows."""
        return Features(self.h.index_copy(0, rows, fresh.h), self.table.index_copy(0, rows, fresh.table))

    @staticmethod
    def join(parts: Sequence[Features]) -> Features:
        """Features of several times, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return Features(torch.cat([part.h for part in parts]), torch.cat([part.table for part in parts]))


@dataclass(frozen=True)
class StepRecord:
    """What a step leaves for a trace: the attention of all edges out of entities with mass, and what was sampled."""

    before: Mass
    after: Mass
    recording: Recording
    core: CoreNodes | None
    sample: Sample | None
    subgraphs: Subgraphs
    adjacency: Adjacency


class Walk:
    """A batch of queries on its way; the constructor walks up to the last flow, which the caller chooses.

    ``features``: of the batch's ``feature_times``, if at hand. ``keep``: record the attention of every edge.
    ``samples``: what to add to the subgraphs at each step in place of sampling (to compare two implementations, whose
    rounding may differ at the cut).
    """

    def __init__(
        self,
        model: TGAP,
        queries: QueryBatch,
        visible: VisibleGraph,
        seed: int,
        features: Sequence[Features] | None = None,
        keep: bool = False,
        samples: Sequence[Sample] | None = None,
    ) -> None:
        self.model = model
        self.queries = queries
        self.visible = visible
        self.keep = keep
        self.records: list[StepRecord] = []
        self.mass: Mass
        self.subgraphs: Subgraphs
        self.g: Tensor  # [Q, d]
        self._keys = query_keys(seed, queries.subject, queries.relation, queries.time)
        self._seed = seed
        self._start(features)
        for step in range(1, model.config.steps):
            self._look_ahead(step)
            core = self._choose_core(step)
            before = self.mass
            recording = self._flow(core)
            sample = self._sample(core, before, recording, step) if samples is None else samples[step - 1]
            if sample is not None:
                self.subgraphs = self.subgraphs.grow(model.graph, sample.added_row, sample.added)
            self._update()
            if keep:
                self.records.append(
                    StepRecord(before, self.mass, recording, core, sample, self.subgraphs, self._adjacency)
                )
        self._look_ahead(model.config.steps)
        self._enter()

    def to_targets(self, row: IntArray, entity: NDArray[np.int32]) -> Tensor:
        """[targets] mean mass that given entities of each query hold at the end."""
        backend = self.model.backend
        if self._adjacency.symmetric:
            return backend.to_targets(self._batch(), row, entity)
        after = backend.step(self._batch(), Recording.nothing(self.mass))
        return self._held(after, np.repeat(np.arange(len(row) - 1), np.diff(row)), entity)

    def to_all(self) -> Tensor:
        """[B, N] mean mass of every entity at the end."""
        return self.model.backend.to_all(self._batch())

    def finish(self) -> list[StepRecord]:
        """The last flow with its record; returns the records of all steps."""
        before = self.mass
        recording = self._recording(None)
        after = self.model.backend.step(self._batch(), recording)
        return [*self.records, StepRecord(before, after, recording, None, None, self.subgraphs, self._adjacency)]

    def _start(self, features: Sequence[Features] | None) -> None:
        """Features of the batch's times, the query vectors q, all mass on the subjects, G^(0)."""
        model, queries = self.model, self.queries
        times, group = model.feature_times(queries.time, View.all())  # all of them see the same
        entities = model.graph.num_entities
        self._group = group.astype(np.int32)
        if model.config.lazy:
            assert len(times) == 1, "lazy features are computed for one time"
            self._h_row = np.full((1, entities), -1, np.int32)
            first = np.unique(queries.subject)
            self._features = model.features_of(first, int(times[0]), self.visible, self._seed, self._pgnn)
            self._h_row[0, first] = np.arange(len(first))
        else:
            if features is None:
                features = [model.features(int(time), self.visible, self._seed) for time in times]
            assert len(features) == len(times), "one set of features for each time"
            self._features = Features.join(features)
            self._h_row = np.arange(len(times) * entities, dtype=np.int32).reshape(len(times), entities)

        h = self._features.h.index_select(0, self._rows_of(np.arange(len(queries)), queries.subject))
        subject, relation = model.tensor(queries.subject), model.tensor(queries.relation)
        embedding = model.entity.index_select(0, subject)
        self.q = model.query(embedding, h, model.relation.index_select(0, relation), model.sgnn)
        settings = model.flow.settings
        time = model.displacement.flow_table()
        table = self._features.table
        self._tables = model.backend.flow_tables(table, model.relation, time, model.flow.key, settings)

        value = model.entity.new_zeros((len(queries), model.backend.columns(settings.flows)))
        value[:, : settings.flows] = 1
        alone = np.arange(len(queries) + 1, dtype=np.int64)
        self.mass = Mass(alone, queries.subject.astype(np.int32), value, settings.flows)
        if model.config.subgraph:
            self.subgraphs, self.g = Subgraphs.start(queries.subject), h
        else:
            self.subgraphs, self.g = Subgraphs.everything(entities), self._features.h

    def _look_ahead(self, step: int) -> None:
        """The adjacency of the step's flow, and the features it will score if they are computed lazily."""
        model = self.model
        if model.config.walk_cap:
            entities = np.unique(self.mass.entity).astype(np.int64)
            cap = model.cap(model.config.walk_cap, self._seed, step)
            self._adjacency = capped_adjacency(self.visible, entities, int(self.queries.time[0]), cap)
        else:
            self._adjacency = visible_adjacency(self.visible)
        if model.config.lazy:
            self._compute(_ends(self._adjacency, np.unique(self.subgraphs.entity)))

    def _compute(self, entities: NDArray[np.integer]) -> None:
        """Lazy features: add those of the given entities that are not there yet."""
        missing = np.unique(entities[self._h_row[0, entities] < 0]).astype(np.int64)
        if len(missing):
            time = int(self.queries.time[0])
            fresh = self.model.features_of(missing, time, self.visible, self._seed, self._pgnn)
            self._h_row[0, missing] = len(self._features.h) + np.arange(len(missing))
            self._features = Features.join([self._features, fresh])

    def _choose_core(self, step: int) -> CoreNodes | None:
        """Core nodes of the step, from the mass before it."""
        config, mass = self.model.config, self.mass
        if not config.subgraph:
            return None
        mean = mass.mean().numpy(force=True)
        return choose_core(mass.row, mass.entity, mean, self._keys, step, config.core_nodes, self._adjacency.row)

    def _flow(self, core: CoreNodes | None) -> Recording:
        """The question enters; attention flows one step (equations 6 to 8)."""
        self._enter()
        recording = self._recording(core)
        self.mass = self.model.backend.step(self._batch(), recording)
        return recording

    def _sample(self, core: CoreNodes | None, before: Mass, recording: Recording, step: int) -> Sample | None:
        """Edges of the core nodes that join the subgraph."""
        if core is None:
            return None
        config = self.model.config
        attention = recording.mean
        if self.keep:  # all rows are recorded: the core nodes' lie at the recording's own places
            core = CoreNodes(core.row, core.entry, recording.start, core.room)
        return sample_edges(
            self._adjacency, core, before.entity, attention, self._keys, step, config.sampled_edges, config.added_edges
        )

    def _update(self) -> None:
        """SGNN: newcomers start from h, messages pass along the subgraph, arrived attention adds a_j W_h h_j."""
        model, subgraphs = self.model, self.subgraphs
        if model.config.lazy:
            self._compute(subgraphs.entity)
        h = self._features.h.index_select(0, self._rows_of(subgraphs.query, subgraphs.entity))
        if model.config.subgraph:
            origin = model.tensor(subgraphs.origin)
            g = torch.where((origin >= 0)[:, None], self.g.index_select(0, origin.clamp(min=0)), h)
            times = np.array([model.displacement.origin(int(time)) for time in self.queries.time], np.int64)
            edges = subgraphs.edge_set(model.graph, times, model.displacement.signs)
        else:
            g = self.g
            edges = model.edges(int(self.queries.time[0]), self.visible, self._seed)
        g = model.backend.attend(model.backend.tables(self._sgnn, g, g), edges)
        if model.sgnn.arrival is not None:
            arrived = self._held(self.mass, subgraphs.query, subgraphs.entity)
            g = g + arrived[:, None] * (h @ model.sgnn.arrival.T)
        self.g = model.activate(g)

    def _enter(self) -> None:
        """The question enters: g <- W_g [g || q]."""
        self.g = self.model.enter(self.g, self.q, self.model.tensor(self.subgraphs.query))

    def _recording(self, core: CoreNodes | None) -> Recording:
        """Room for the attention of the core nodes' edges, or of all edges if the walk is to be kept."""
        mass = self.mass
        if self.keep:
            ends = np.concatenate([[0], np.cumsum(np.diff(self._adjacency.row)[mass.entity])])
            return Recording.of(mass, ends[:-1], int(ends[-1]), full=True)
        return Recording.nothing(mass) if core is None else Recording.of(mass, core.start, core.room)

    def _held(self, mass: Mass, query: IntArray, entity: NDArray[np.int32]) -> Tensor:
        """[..] mean mass of given entities in the lists of given queries (non-decreasing); 0 where they hold none."""
        entry = find_entries(mass.row, mass.entity, query, entity, self.model.graph.num_entities)
        mean = mass.mean().index_select(0, self.model.tensor(np.maximum(entry, 0)))
        return torch.where(self.model.tensor(entry >= 0), mean, 0.0)

    @cached_property
    def _pgnn(self) -> list[Any]:
        """Maps of PGNN, for lazy features."""
        return [self.model.maps(layer) for layer in self.model.pgnn]

    @cached_property
    def _sgnn(self) -> Any:
        """Maps of SGNN, the same in all steps."""
        return self.model.maps(self.model.sgnn)

    def _rows_of(self, query: IntArray, entity: NDArray[np.integer]) -> Tensor:
        """Rows of the features of given entities at their query's time."""
        return self.model.tensor(self._h_row[self._group[query], entity].astype(np.int64))

    def _batch(self) -> FlowBatch:
        """What the next flow reads."""
        model = self.model
        origin = [model.displacement.flow_origin(int(time)) for time in self.queries.time]
        state = QueryState(
            mass_row=self.mass.row,
            mass_entity=self.mass.entity,
            sub_row=self.subgraphs.row,
            sub_entity=self.subgraphs.entity,
            origin=np.array(origin, np.int64),
            group=self._group,
            h_row=self._h_row.copy() if model.config.lazy else self._h_row,  # it grows while autograd keeps it
        )
        tables = replace(self._tables, h=self._features.table)
        flow = model.flow
        return FlowBatch(self.mass, self.g, flow.query, flow.key, tables, state, self._adjacency, flow.settings)


def _ends(seen: Adjacency, entities: NDArray[np.int32]) -> NDArray[np.int64]:
    """Far ends of the edges out of given entities."""
    first, count = seen.pair_row[entities], seen.pair_row[entities + 1] - seen.pair_row[entities]
    pairs = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    ends: NDArray[np.int64] = seen.pair_neighbour[pairs].astype(np.int64)
    return ends
