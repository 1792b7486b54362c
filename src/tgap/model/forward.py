"""The forward pass of a batch of queries: T times flow, sampling, SGNN.

Step t = 1 .. T: the query conditions the features of its subgraph; attention flows with them (flow.py); the subgraph
grows where attention is (graph/sampling.py); SGNN updates the features (sgnn.py). After the last flow nothing more is
sampled or updated.

Legend: B queries, N entities, G times with features of their own, M entries of the mass lists, Q of the subgraph lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.graph import View
from tgap.graph.capping import capped_adjacency
from tgap.graph.hashing import query_keys
from tgap.graph.resolve import VisibleGraph
from tgap.graph.sampling import ALL, CoreNodes, Sample, choose_core, sample_edges
from tgap.graph.subgraph import Subgraphs, find_entries, visible_adjacency
from tgap.kernels.backend import AttentionMaps, FlowBatch, FlowTables, Mass, Recording
from tgap.kernels.chunks import even_cuts
from tgap.kernels.structure import Adjacency, QueryState
from tgap.kernels.threads import num_threads, run_chunks
from tgap.model.entity_rows import EntityRows
from tgap.model.pgnn import Features
from tgap.scorer import IntArray, QueryBatch

if TYPE_CHECKING:
    from tgap.model.tgap import TGAP


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


@dataclass(frozen=True)
class Prepared:
    """What a pass reads of the weights alone: worth keeping where many passes share the same weights."""

    pgnn: list[AttentionMaps]  # maps of the PGNN layers
    sgnn: AttentionMaps  # maps of SGNN
    flow: FlowTables  # without h


@dataclass(frozen=True)
class OwnViews:
    """What each query of a batch sees, where that differs, and the features that follow from it."""

    visible: tuple[VisibleGraph, ...]  # [B]
    features: Features  # of all of them: rows that several share stand once
    h_row: NDArray[np.int32]  # [B, N] row of an entity in the features


class ForwardPass:
    """The forward pass of a batch of queries; one of ``to_targets``, ``to_all`` and ``records`` runs it.

    ``features``: of the batch's ``feature_times``, if already computed. ``keep``: record the attention of every edge.
    ``samples``: what to add to the subgraphs at each step in place of sampling (to compare two implementations, whose
    rounding may differ at the cut). ``own``: what each query sees in place of ``visible``. ``prepared``: the result of
    ``TGAP.prepared``, if at hand. ``looked_at`` [y]: most edges of a core node that are candidates, or ``ALL``.
    """

    mass: Mass  # a^(t)
    subgraphs: Subgraphs  # G^(t)
    g: Tensor  # [Q, d] features of the subgraphs' entities
    q: Tensor  # [B, d] query vectors
    _shift: Tensor | None  # [B, d] what they add to the features, once it is known
    _features: Features  # of all times, one after the other
    _group: NDArray[np.int32]  # [B] which of the times is the query's
    _h_row: NDArray[np.int32]  # [G, N] row of an entity in the features, -1 where it is not computed yet
    _adjacency: Adjacency  # of the current step

    def __init__(
        self,
        model: TGAP,
        queries: QueryBatch,
        visible: VisibleGraph,
        seed: int,
        features: Sequence[Features] | None = None,
        keep: bool = False,
        samples: Sequence[Sample] | None = None,
        own: OwnViews | None = None,
        prepared: Prepared | None = None,
        looked_at: int = ALL,
    ) -> None:
        self.model = model
        self.queries = queries
        self.visible = visible
        self._seed = seed
        self._given = features
        self._keep = keep
        self._samples = samples
        self._own = own
        self._looked_at = looked_at
        self._prepared = prepared or model.prepared()
        self._seen = () if own is None else tuple(visible_adjacency(visible) for visible in own.visible)
        self._keys = query_keys(seed, queries.subject, queries.relation, queries.time)

    def to_targets(self, row: IntArray, entity: NDArray[np.int32]) -> Tensor:
        """[targets] mean mass that given entities hold at the end; ``row`` [B+1]: those of each query."""
        self._before_last_flow()
        if self._adjacency.symmetric:
            return self.model.flow.to_targets(self._inputs(), row, entity)
        after = self.model.flow.step(self._inputs(), Recording.nothing(self.mass))
        return self._mass_of(after, np.repeat(np.arange(len(row) - 1), np.diff(row)), entity)

    def to_all(self) -> Tensor:
        """[B, N] mean mass of every entity at the end."""
        self._before_last_flow()
        return self.model.flow.to_all(self._inputs())

    def records(self) -> list[StepRecord]:
        """The records of all steps."""
        self._before_last_flow()
        before, recording = self.mass, self._recording(None)
        after = self.model.flow.step(self._inputs(), recording)
        last = StepRecord(before, after, recording, None, None, self.subgraphs, self._adjacency)
        return [*self._records, last]

    def _before_last_flow(self) -> None:
        """All of the pass but the last flow, which the caller chooses."""
        model = self.model
        self._records: list[StepRecord] = []
        self._start()
        for step in range(1, model.config.steps):
            self._look_ahead(step)
            core = self._choose_core(step)
            before = self.mass
            recording = self._flow(core)
            sample = self._sample(core, before, recording, step)
            if sample is not None:
                self.subgraphs = self.subgraphs.grow(model.graph, sample.added_row, sample.added)
            self._update()
            if self._keep:
                record = StepRecord(before, self.mass, recording, core, sample, self.subgraphs, self._adjacency)
                self._records.append(record)
        self._look_ahead(model.config.steps)
        self._condition()

    def _start(self) -> None:
        """Features of the batch's times, the query vectors q, all mass on the subjects, G^(0)."""
        model, queries = self.model, self.queries
        times, group = model.feature_times(queries.time, View.all())  # all of them see the same
        entities = model.graph.num_entities
        self._group = group.astype(np.int32)
        if self._own is not None:
            self._group = np.arange(len(queries), dtype=np.int32)
            self._features, self._h_row = self._own.features, self._own.h_row
        elif model.config.lazy:
            assert len(times) == 1, "lazy features are computed for one time"
            self._h_row = np.full((1, entities), -1, np.int32)
            first = np.unique(queries.subject)
            self._features = model.features_of(
                first, int(times[0]), self.visible, self._seed, self._prepared.pgnn, self._entities
            )
            self._h_row[0, first] = np.arange(len(first))
        else:
            given = self._given
            if given is None:
                given = [model.features(int(time), self.visible, self._seed) for time in times]
            assert len(given) == len(times), "one set of features for each time"
            self._features = Features.join(given)
            self._h_row = np.arange(len(times) * entities, dtype=np.int32).reshape(len(times), entities)

        h = self._features.h.index_select(0, self._rows_of(np.arange(len(queries)), queries.subject))
        relation = model.relation.index_select(0, model.tensor(queries.relation))
        self._shift = None
        self.q = model.query(self._entities(model.tensor(queries.subject)), h, relation, model.sgnn)
        self.mass = model.flow.start(queries.subject)
        if model.config.subgraph:
            self.subgraphs, self.g = Subgraphs.start(queries.subject), h
        else:
            self.subgraphs, self.g = Subgraphs.everything(entities), self._features.h

    def _look_ahead(self, step: int) -> None:
        """The edges of the step's flow, and the features it will score against if they are computed lazily."""
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
            maps = self._prepared.pgnn
            fresh = self.model.features_of(missing, time, self.visible, self._seed, maps, self._entities)
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
        """The query conditions the features; attention flows one step."""
        self._condition()
        recording = self._recording(core)
        self.mass = self.model.flow.step(self._inputs(), recording)
        return recording

    def _sample(self, core: CoreNodes | None, before: Mass, recording: Recording, step: int) -> Sample | None:
        """Edges of the core nodes that join the subgraph."""
        if self._samples is not None:
            return self._samples[step - 1]
        if core is None:
            return None
        config = self.model.config
        attention = recording.mean
        if self._keep:  # all rows are recorded: the core nodes' lie at the recording's own places
            core = CoreNodes(core.row, core.entry, recording.start, core.room)
        parts, threads = self._parts(core, before), num_threads()
        samples: list[Sample | None] = [None] * len(parts)

        def work(chunk: int) -> None:
            for number in range(chunk, len(parts), threads):
                first, last, seen = parts[number]
                samples[number] = sample_edges(
                    seen, core.of(first, last), before.entity, attention, self._keys[first:last], step,
                    self._looked_at, config.added_edges,
                )  # fmt: skip

        run_chunks(work, min(threads, len(parts)))
        return Sample.join([sample for sample in samples if sample is not None])

    def _parts(self, core: CoreNodes, before: Mass) -> list[tuple[int, int, Adjacency]]:
        """Queries, from first to last, that are sampled together, and what they see."""
        if self._seen:
            return [(query, query + 1, seen) for query, seen in enumerate(self._seen)]
        chunks = min(num_threads(), len(self.queries))
        if chunks == 1:
            return [(0, len(self.queries), self._adjacency)]
        degree = np.diff(self._adjacency.row)[before.entity[core.entry]]
        cuts = even_cuts(np.concatenate([[0], np.cumsum(degree)])[core.row], chunks)
        return [(first, last, self._adjacency) for first, last in pairwise(cuts) if first < last]

    def _update(self) -> None:
        """SGNN on the grown subgraph; entities new to it start from h."""
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
        arrived = None
        if model.sgnn.arrival is not None:
            arrived = self._mass_of(self.mass, subgraphs.query, subgraphs.entity)
        self.g = model.sgnn(self._prepared.sgnn, g, edges, h, arrived)

    def _condition(self) -> None:
        """The query conditions the features of its subgraph: g <- W_g [g || q]."""
        if self._shift is None or torch.is_grad_enabled():  # a gradient that steps share would be summed otherwise
            self._shift = self.model.enter.shift(self.q)
        self.g = self.model.enter(self.g, self._shift, self.model.tensor(self.subgraphs.query))

    def _recording(self, core: CoreNodes | None) -> Recording:
        """Room for the attention of the core nodes' edges, or of all edges if they are to be kept."""
        mass = self.mass
        if self._keep:
            ends = np.concatenate([[0], np.cumsum(np.diff(self._adjacency.row)[mass.entity])])
            return Recording.of(mass, ends[:-1], int(ends[-1]), full=True)
        return Recording.nothing(mass) if core is None else Recording.of(mass, core.start, core.room)

    def _mass_of(self, mass: Mass, query: IntArray, entity: NDArray[np.int32]) -> Tensor:
        """[..] mean mass of given entities in the lists of given queries (non-decreasing); 0 where they hold none."""
        entry = find_entries(mass.row, mass.entity, query, entity, self.model.graph.num_entities)
        mean = mass.mean().index_select(0, self.model.tensor(np.maximum(entry, 0)))
        return torch.where(self.model.tensor(entry >= 0), mean, 0.0)

    @cached_property
    def _entities(self) -> EntityRows:
        """Embeddings of entities."""
        return self.model.entity_rows()

    def _rows_of(self, query: IntArray, entity: NDArray[np.integer]) -> Tensor:
        """Rows of the features of given entities at their query's time."""
        return self.model.tensor(self._h_row[self._group[query], entity].astype(np.int64))

    def _inputs(self) -> FlowBatch:
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
        tables = replace(self._prepared.flow, h=self._features.table)
        return model.flow.inputs(self.mass, self.g, tables, state, self._adjacency, self._seen)


def _ends(seen: Adjacency, entities: NDArray[np.int32]) -> NDArray[np.int64]:
    """Far ends of the edges out of given entities."""
    first, count = seen.pair_row[entities], seen.pair_row[entities + 1] - seen.pair_row[entities]
    pairs = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    ends: NDArray[np.int64] = seen.pair_neighbour[pairs].astype(np.int64)
    return ends
