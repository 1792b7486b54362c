"""T-GAP: its parameters, and what the model computes: loss, scores, the record of a query.

The parts stand in files of their own, in the paper's order: displacement, attention and pgnn, query, flow, sgnn. The T
steps that a batch of queries takes through them are in forward.py. docs/model.md is the definition of all of it.

Legend: B queries, N entities, d width.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgap.errors import ConfigError, QueryError
from tgap.graph import TemporalGraph, View
from tgap.graph.capping import Cap, capped_edge_set
from tgap.graph.resolve import Resolver, VisibleGraph
from tgap.graph.sampling import ALL
from tgap.graph.subgraph import whole_edge_set
from tgap.graph.temporal import FARTHEST
from tgap.kernels import backend
from tgap.kernels.backend import AttentionMaps, AttentionTables
from tgap.kernels.structure import EdgeSet
from tgap.learner import Loss
from tgap.model.attention import MessageAttention
from tgap.model.batch import HiddenBatch
from tgap.model.displacement import Displacement
from tgap.model.entity_rows import EntityRows
from tgap.model.flow import AttentionFlow
from tgap.model.forward import ForwardPass, OwnViews, Prepared, StepRecord
from tgap.model.pgnn import PGNN, Features
from tgap.model.query import Conditioning, QueryVector
from tgap.model.settings import TGAPSettings
from tgap.model.sgnn import SGNN
from tgap.model.unseen import with_unseen_entities, with_unseen_relations
from tgap.scorer import IntArray, QueryBatch


class TGAP(nn.Module):
    """The model on a graph. ``kernels`` names the backend: "compiled" or "reference"."""

    def __init__(
        self, config: TGAPSettings, graph: TemporalGraph, span: int, seed: int = 0, kernels: str = "compiled"
    ) -> None:
        super().__init__()
        self.config = config
        self.backend = backend(kernels)
        self._walk(graph)
        width = config.dimension
        self.entity = nn.Parameter(torch.empty(graph.num_entities, width))
        self.relation = nn.Parameter(torch.empty(2 * graph.num_relations + 1, width))
        self.displacement = Displacement(config, span)
        layers = range(config.pgnn_layers)
        self.pgnn = PGNN(MessageAttention(config, self.displacement, self.backend) for _ in layers)
        self.sgnn = SGNN(config, self.displacement, self.backend)
        self.query = QueryVector(config, self.backend)
        self.enter = Conditioning(config, self.backend)
        self.flow = AttentionFlow(config, self.displacement.flow_buckets, graph.loop_relation, self.backend)
        self._initialise(seed)

    def _walk(self, graph: TemporalGraph) -> None:
        self.graph = graph
        self.views = Resolver(graph)
        self._inverse = graph.inverse(graph.relation).astype(np.int32)

    def on(self, graph: TemporalGraph) -> TGAP:
        """The same model, parameters shared, on another graph, whose first entities and relations are the model's.

        Embeddings of unseen ones are made here (``unseen``); such a model answers and is not trained.
        """
        other = copy.copy(self)
        other._walk(graph)
        known = self.graph
        if (graph.num_entities, graph.num_relations) != (known.num_entities, known.num_relations):
            grown = {
                "entity": with_unseen_entities(self.entity.detach(), graph.num_entities),
                "relation": with_unseen_relations(self.relation.detach(), known.num_relations, graph.num_relations),
            }
            other._parameters = {**self._parameters, **{name: nn.Parameter(value) for name, value in grown.items()}}
            other._modules = {**self._modules, "flow": self.flow.with_loop(graph.loop_relation)}
        return other

    def _initialise(self, seed: int) -> None:
        """Embeddings normal with ``initial_scale``, maps and biases uniform within 1 / sqrt(inputs)."""
        generator = torch.Generator().manual_seed(seed)
        embeddings = {"entity", "relation", "displacement.size", "displacement.flow"}
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name in embeddings:
                    parameter.normal_(0, self.config.initial_scale, generator=generator)
                else:
                    bound = 1 / math.sqrt(self.config.dimension if name.endswith("bias") else parameter.shape[-1])
                    parameter.uniform_(-bound, bound, generator=generator)

    # Loss, scores and records.

    def forward(self, batch: HiddenBatch) -> Loss:
        """Loss of a training batch, its own facts hidden."""
        return self.loss(batch.queries, batch.answers, batch.view, batch.seed, batch.true)

    def loss(
        self,
        queries: QueryBatch,
        answers: IntArray,
        view: View,
        seed: int,
        true: tuple[IntArray, IntArray] | None = None,
    ) -> Loss:
        """Mean of -log(mass at the answer). Queries that share (s, r, t) are walked once.

        With ``true``, query and entity of all true answers, it is the mean of -log(mass at the answer / mass that lies
        on no other true answer). The metric ``unreachable`` counts the answers that no mass could reach.
        """
        self.check(queries)
        last = self.graph.num_entities - 1
        if len(answers) != len(queries) or not 0 <= answers.min() <= answers.max() <= last:
            raise QueryError(f"expected {len(queries)} answers with entity ids from 0 to {last}")
        table = np.stack([queries.time, queries.subject, queries.relation, answers], axis=1)
        if true is not None:
            query, entity = true
            table = np.concatenate([table, np.column_stack([table[query, :3], entity])])
        facts, of_fact = np.unique(table, axis=0, return_inverse=True)
        of_fact = of_fact.ravel()[: len(queries)]
        triple, of_query = np.unique(facts[:, :3], axis=0, return_inverse=True)
        distinct = QueryBatch(triple[:, 1].copy(), triple[:, 2].copy(), triple[:, 0].copy())
        row = np.searchsorted(of_query.ravel(), np.arange(len(triple) + 1))
        answer = facts[:, 3].astype(np.int32)
        reached = []
        for part, run in self._passes(
            distinct, view, seed, looked_at=self.config.sampled_edges
        ):  # sorted by time, so parts are stretches
            first, stop = row[part[0]], row[part[-1] + 1]
            reached.append(run.to_targets(row[part[0] : part[-1] + 2] - first, answer[first:stop]))
        every = torch.cat(reached)
        mass = every.index_select(0, self.tensor(of_fact))
        value = -(mass + 1e-12).log().mean()
        if true is not None:
            walk = self.tensor(of_query.ravel())
            on_true = every.new_zeros(len(triple)).index_add(0, walk, every).index_select(0, walk[self.tensor(of_fact)])
            value = value + (1 - on_true + mass).clamp(min=1e-6).log().mean()
        return Loss(value, {"unreachable": int((mass.detach() == 0).sum())})

    @torch.no_grad()
    def score(
        self,
        queries: QueryBatch,
        view: View,
        seed: int,
        features: Sequence[Features] | None = None,
        prepared: Prepared | None = None,
        looked_at: int = ALL,
    ) -> Tensor:
        """[B, N] mass of every entity. ``features``: of the batch's ``feature_times``; ``prepared()``: if at hand.

        ``looked_at``: most edges of a core node that may join its subgraph, by default all.
        """
        self.check(queries)
        scores = self.entity.new_empty((len(queries), self.graph.num_entities))
        for part, run in self._passes(queries, view, seed, features, prepared, looked_at):
            scores[self.tensor(part)] = run.to_all()
        return scores

    @property
    def walks_views(self) -> bool:
        """Whether queries that see different facts can be walked in one batch."""
        return self.config.subgraph and not (self.config.lazy or self.config.walk_cap)

    @torch.no_grad()
    def score_each(
        self, queries: QueryBatch, own: OwnViews, seed: int, prepared: Prepared | None = None, looked_at: int = ALL
    ) -> Tensor:
        """[B, N] mass of every entity for queries each of which sees a view of its own; only if ``walks_views``."""
        assert self.walks_views, "these settings walk one view at a time"
        run = ForwardPass(self, queries, own.visible[0], seed, own=own, prepared=prepared, looked_at=looked_at)
        return run.to_all()

    @torch.no_grad()
    def record(
        self,
        query: QueryBatch,
        view: View,
        seed: int,
        features: Sequence[Features] | None = None,
        prepared: Prepared | None = None,
        looked_at: int = ALL,
    ) -> list[StepRecord]:
        """The forward pass of one query with the attention of every edge kept."""
        assert len(query) == 1, "a record is of one query"
        self.check(query)
        visible = self._visible_at(view)(int(query.time[0]))
        run = ForwardPass(self, query, visible, seed, features, keep=True, prepared=prepared, looked_at=looked_at)
        return run.records()

    def feature_times(self, times: IntArray, view: View) -> tuple[IntArray, IntArray]:
        """The times to compute features for, ascending, and which of them is each query's.

        All queries share those of one time where PGNN does not look at the time of the query (a cap does, and so does a
        view that ends there).
        """
        if not self.pgnn or not (self.displacement.relative or self.config.gather_cap or view.depends_on_query):
            return np.zeros(1, np.int64), np.zeros(len(times), np.int64)
        distinct, group = np.unique(times, return_inverse=True)
        return distinct, group.ravel()

    def features(
        self, time: int, visible: VisibleGraph, seed: int = 0, tables: AttentionTables | None = None
    ) -> Features:
        """What PGNN gives for a query time. ``seed`` matters only where rows are capped.

        ``tables``: those of ``first_tables``, where several times share them.
        """
        edges = self.edges(time, visible, seed)
        return self._features(self.pgnn(self.entity, self.relation, self.displacement.size, edges, tables))

    def features_of(
        self,
        entities: IntArray,
        time: int,
        visible: VisibleGraph,
        seed: int,
        maps: Sequence[AttentionMaps],
        rows: EntityRows | None = None,
    ) -> Features:
        """The features of some entities only, in their order, with at most one layer.

        ``maps``: ``pgnn_maps()``. ``rows``: the ``entity_rows()`` of the forward pass that asks.
        """
        return self.features_under([(visible, entities)], time, seed, maps, rows)

    def features_under(
        self,
        parts: Sequence[tuple[VisibleGraph, IntArray]],
        time: int,
        seed: int,
        maps: Sequence[AttentionMaps],
        rows: EntityRows | None = None,
    ) -> Features:
        """The features of some entities under each of several views, one after the other; else as ``features_of``."""
        edges = replace(self._edges_into(parts, time, seed), gathered=True)
        assert edges.source_index is not None, "edges into some entities are a compact set"
        rows = rows or self.entity_rows()
        own = rows(self.tensor(np.concatenate([entities for _, entities in parts])))
        return self._features(self.pgnn.rows(maps, own, rows(self.tensor(edges.source_index)), edges))

    def entity_rows(self) -> EntityRows:
        """What a forward pass looks embeddings of entities up with."""
        return EntityRows(self.entity, self.config.sparse)

    def first_tables(self) -> AttentionTables | None:
        """What the first PGNN layer reads: it does not depend on the query's time. None without layers."""
        return self.pgnn.first_tables(self.entity, self.relation, self.displacement.size)

    def pgnn_maps(self) -> list[AttentionMaps]:
        """What the PGNN layers make of parameters and embeddings alone."""
        return self.pgnn.maps(self.relation, self.displacement.size)

    def prepared(self) -> Prepared:
        """What a forward pass reads of the weights alone."""
        return Prepared(
            pgnn=self.pgnn_maps() if self.config.lazy else [],
            sgnn=self.sgnn.maps(self.relation, self.displacement.size),
            flow=self.flow.tables(self.entity[:0], self.relation, self.displacement.flow_table()),
        )

    def _features(self, h: Tensor) -> Features:
        return Features(h, self.flow.h_table(h))

    def edges(self, time: int, visible: VisibleGraph, seed: int) -> EdgeSet:
        """All visible edges (or those that the cap leaves of each row), seen from a query time."""
        if self.config.gather_cap:
            return self._edges_into([(visible, np.arange(self.graph.num_entities))], time, seed)
        return whole_edge_set(visible, self._inverse, self.displacement.origin(time))

    def cap(self, most: int, seed: int, step: int = 0) -> Cap:
        """How rows are cut to ``most`` edges, in a step of the walk or (0) for PGNN."""
        return Cap(most, self.config.cap_choice == "near", seed, step)

    def _edges_into(self, parts: Sequence[tuple[VisibleGraph, IntArray]], time: int, seed: int) -> EdgeSet:
        cap = self.cap(self.config.gather_cap, seed)
        origin, signs = self.displacement.origin(time), self.displacement.signs
        return capped_edge_set(parts, self._inverse, origin, time, cap, signs)

    def _passes(
        self,
        queries: QueryBatch,
        view: View,
        seed: int,
        features: Sequence[Features] | None = None,
        prepared: Prepared | None = None,
        looked_at: int = ALL,
    ) -> Iterator[tuple[IntArray, ForwardPass]]:
        """Queries that go together, by number, and their forward pass. PGNN runs once for each time."""
        times, group = self.feature_times(queries.time, view)
        visible_at = self._visible_at(view)
        if features is None and not self.config.lazy:
            shared = self.first_tables()
            features = [self.features(int(time), visible_at(int(time)), seed, shared) for time in times]
        for part in self._parts(queries.time, view):
            visible = visible_at(int(queries.time[part[0]]))
            mine = None if features is None else [features[k] for k in np.unique(group[part])]
            run = ForwardPass(self, queries.take(part), visible, seed, mine, prepared=prepared, looked_at=looked_at)
            yield part, run

    def _visible_at(self, view: View) -> Callable[[int], VisibleGraph]:
        """What a query of a given time sees; resolved once where all see the same."""
        if view.depends_on_query:
            return cache(lambda time: self.views.resolve(view.at(time)))
        visible = self.views.resolve(view)
        return lambda _: visible

    def _parts(self, times: IntArray, view: View) -> list[IntArray]:
        """Queries that go together, by number: all of them; those of one time where rows, features or what is visible

        depend on it; one by one where every entity has a feature for every query.
        """
        if not self.config.subgraph:
            return [np.array([row]) for row in range(len(times))]
        by_time = bool(self.config.lazy or self.config.walk_cap)
        return [rows for rows, _ in view.groups(times, by_time=by_time)]

    def tensor(self, array: NDArray[Any]) -> Tensor:
        """An array where the parameters are."""
        return torch.from_numpy(array).to(self.entity.device)

    def check(self, queries: QueryBatch) -> None:
        """Ids in range, times that fit, parameters where the kernels run: the kernels themselves check nothing."""
        if self.backend.cpu_only and self.entity.device.type != "cpu":
            raise ConfigError(
                f"the compiled kernels run on the CPU, but the model is on {self.entity.device};"
                ' move it there or build it with kernels="reference"'
            )
        if not len(queries):
            raise QueryError("the batch is empty; ask at least one query")
        queries.check_ids(self.graph.num_entities, self.graph.num_relations)
        far = (queries.time <= -FARTHEST) | (queries.time >= FARTHEST)
        if far.any():
            raise QueryError(
                f"time {queries.time[far][0]} is too far from the timeline; expected less than 2**30 units"
            )
