"""T-GAP as a ``Scorer`` that can explain itself: batches in, scores or a trace out, features cached by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from tgap.capabilities import Capabilities
from tgap.config import EvaluationConfig
from tgap.data import Dataset
from tgap.errors import QueryError
from tgap.graph import TemporalGraph, View
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting
from tgap.graph.view import WHOLE
from tgap.kernels.backend import AttentionMaps, AttentionTables
from tgap.model.feature_cache import FeatureCache
from tgap.model.forward import OwnViews, Prepared
from tgap.model.pgnn import Features
from tgap.model.prior import RelationPrior
from tgap.model.tgap import TGAP
from tgap.model.trace import step_trace
from tgap.model.transfer import transferred
from tgap.pauses import pause
from tgap.scorer import FloatArray, IntArray, Query, QueryBatch, ScoreKind, Trace

_FEW = 4  # rows with less than this part of all edges are cheaper to compute by themselves


class TGAPScorer:
    """Answers with a trained model. Scores are a^(T), mixed with a prior if the model has one: a row sums to 1."""

    name = "T-GAP"
    kind = ScoreKind.PROBABILITY

    def __init__(self, model: TGAP, evaluation: EvaluationConfig, setting: EvaluationSetting = DEFAULT_SETTING) -> None:
        self.model = model
        self.setting = setting  # what the model's graph holds; no view shows more than its limits
        self._settings = evaluation
        self._hub = evaluation.hub_edges
        self._cache = FeatureCache(evaluation.cache_megabytes)
        self._prior: RelationPrior | None = None  # made when first needed
        self.refresh()

    @property
    def num_entities(self) -> int:
        """N."""
        return self.model.graph.num_entities

    @property
    def num_relations(self) -> int:
        """R."""
        return self.model.graph.num_relations

    @property
    def graph(self) -> TemporalGraph:
        """The graph that is walked."""
        return self.model.graph

    @property
    def capabilities(self) -> Capabilities:
        """It walks a graph, and moves to other datasets."""
        return Capabilities(walks=self, transfers=self, sampling=self)

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> TGAPScorer:
        """The same weights on other facts; unseen names start as ``unseen`` says."""
        return TGAPScorer(self.model.on(TemporalGraph.of(dataset, setting.context)), self._settings, setting)

    def restricted_to(self, limits: View) -> TGAPScorer:
        """The same weights on the same facts with other limits."""
        return TGAPScorer(self.model, self._settings, replace(self.setting, limits=limits))

    def transferred(self, own: Dataset, other: Dataset) -> TGAPScorer:
        """The same weights on another dataset (``transfer``)."""
        graph = TemporalGraph.of(other, self.setting.context)
        return TGAPScorer(transferred(self.model, own, other, graph), self._settings, self.setting)

    def refresh(self) -> None:
        """The weights have changed: check them and forget cached features.

        The tables are kept besides the cache and its bound: about 4 N d numbers, 14 MB for ICEWS14 with d = 100.
        """
        for name, parameter in self.model.named_parameters():
            if not bool(torch.isfinite(parameter).all()):
                raise QueryError(f"parameter {name} holds NaN or infinite numbers; train again or load other weights")
        self._cache.clear()
        self._layers: tuple[list[AttentionMaps], AttentionTables | None] | None = None
        self._prepared: Prepared | None = None

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N] from what ``view`` shows.

        With the compiled kernels a row has the same bits in any batch (``kernels.products`` tells on what that rests).
        """
        pause()
        view = view.within(self.setting.limits)
        if len(queries):
            self.model.check(queries)
        parts: list[FloatArray] = []
        order = np.argsort(queries.time, kind="stable")
        for begin in range(0, len(queries), self._settings.batch_size):
            batch = queries.take(order[begin : begin + self._settings.batch_size])
            found = self.model.score(
                batch, view, self._settings.sampling_seed, self._features(batch, view), self._prepare(), self._hub
            )
            parts.append(self._with_prior(_finite(found.numpy(force=True), batch), batch, [view] * len(batch)))
        scores = np.empty((len(queries), self.num_entities), np.float32)
        if parts:
            scores[order] = np.concatenate(parts)
        return scores

    def score_each(self, query: Query, views: Sequence[View]) -> FloatArray:
        """Scores [V, N] of one query under each of several views: the same bits as one at a time."""
        if not self.model.walks_views:
            return np.concatenate([self.score(QueryBatch.of([query]), view) for view in views])
        scores = np.empty((len(views), self.num_entities), np.float32)
        for begin in range(0, len(views), self._settings.batch_size):
            pause()
            seen = [view.within(self.setting.limits) for view in views[begin : begin + self._settings.batch_size]]
            part = [view.at(query.time) for view in seen]
            batch = QueryBatch.of([query] * len(part))
            self.model.check(batch)
            found = self.model.score_each(
                batch, self._own_views(query.time, part), self._settings.sampling_seed, self._prepare(), self._hub
            )
            scores[begin : begin + len(part)] = self._with_prior(_finite(found.numpy(force=True), batch), batch, part)
        return scores

    @property
    def samples(self) -> bool:
        """Whether answers depend on a sample of edges: where hubs are sampled or rows are capped."""
        config = self.model.config
        return bool(self._hub or config.walk_cap or config.gather_cap)

    def score_seeds(self, query: Query, view: View, count: int) -> FloatArray:
        """Scores [count, N] of one query under several seeds of the sample, its own first."""
        scores = []
        for seed in range(count):
            settings = self._settings.replace(sampling_seed=self._settings.sampling_seed + seed, cache_megabytes=0)
            scorer = self if seed == 0 else TGAPScorer(self.model, settings, self.setting)
            scores.append(scorer.score(QueryBatch.of([query]), view)[0])
        return np.stack(scores)

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        """The forward pass of one query on what ``view`` shows."""
        pause()
        view = view.within(self.setting.limits)
        batch = QueryBatch.of([query])
        self.model.check(batch)
        features = self._features(batch, view)
        seed = self._settings.sampling_seed
        records = self.model.record(batch, view, seed, features, self._prepare(), self._hub)
        steps = tuple(step_trace(self.graph, query, record) for record in records)
        scores = np.zeros(self.num_entities, np.float32)
        last = records[-1].after
        scores[last.entity] = last.mean().numpy(force=True)
        _finite(scores[np.newaxis], batch)
        return Trace(query, view, steps, self._with_prior(scores[np.newaxis], batch, [view])[0])

    def _with_prior(self, scores: FloatArray, batch: QueryBatch, views: Sequence[View]) -> FloatArray:
        """Scores [B, N] of queries under a view each, with the relation's own prior where the model has one."""
        weight = self.model.config.prior
        if not weight:
            return scores
        if self._prior is None:
            self._prior = RelationPrior(self.graph)
        mixed = np.empty_like(scores)
        for place, (relation, time, view) in enumerate(zip(batch.relation, batch.time, views, strict=True)):
            visible = self.model.views.resolve(view.at(int(time)))
            mixed[place] = (1 - weight) * scores[place] + weight * self._prior(visible, int(relation))
        return mixed

    @torch.no_grad()
    def _prepare(self) -> Prepared:
        """What every pass reads of the weights; made when first needed."""
        if self._prepared is None:
            self._prepared = self.model.prepared()
        return self._prepared

    @torch.no_grad()
    def _features(self, batch: QueryBatch, view: View) -> list[Features] | None:
        """Features of the batch's times; None where the model computes only what it scores."""
        if self.model.config.lazy:
            return None
        times, _ = self.model.feature_times(batch.time, view)
        return [self._features_at(int(time), view.at(int(time))) for time in times]

    @torch.no_grad()
    def _own_views(self, time: int, views: Sequence[View]) -> OwnViews:
        """What a query of this time sees under each view.

        The features without the facts that all of them hide are computed once; then only rows that differ, all at once.
        """
        model = self.model
        visible = tuple(model.views.resolve(view) for view in views)
        h_row = np.empty((len(views), self.num_entities), np.int32)
        rows = _Rows()
        few: list[tuple[int, IntArray]] = []  # views that differ from the rest in some entities, and those
        for limits, places in _by_limits(views).items():
            common = frozenset.intersection(*(frozenset(views[place].hidden) for place in places))
            base = rows.add(self._features_at(time, limits.without(common)))
            for place in places:
                ends = model.views.ends(limits.without(set(views[place].hidden) - common))
                spread = self._spread(ends)
                h_row[place] = rows.add(self._compute(time, views[place])) if spread else base
                if len(ends) and len(model.pgnn) and not spread:
                    few.append((place, ends))
        if few:
            maps, _ = self._shared()
            parts = [(visible[place], ends) for place, ends in few]
            fresh = rows.add(model.features_under(parts, time, self._settings.sampling_seed, maps))
            for (place, ends), own in zip(few, _cut(fresh, [len(ends) for _, ends in few]), strict=True):
                h_row[place, ends] = own
        return OwnViews(visible, Features.join(rows.blocks), h_row)

    def _features_at(self, time: int, view: View) -> Features:
        """Features of one time, cached for views that hide no fact by name.

        Where a view hides few facts, all rows but those of their ends are the cached ones.
        """
        model, limits = self.model, view.with_all_facts
        ends = model.views.ends(view)
        if self._spread(ends):
            return self._compute(time, view)
        known = self._cache.get((time, limits), lambda: self._compute(time, limits))
        if not len(ends) or not len(model.pgnn):
            return known
        maps, _ = self._shared()
        fresh = model.features_of(ends, time, model.views.resolve(view), self._settings.sampling_seed, maps)
        return known.replaced(model.tensor(ends), fresh)

    def _spread(self, ends: IntArray) -> bool:
        """Whether hidden facts with these ends are better met by new features of all entities.

        With two layers the second hands the difference on to the neighbours; else it is a matter of cost.
        """
        few = _FEW * self.graph.degree[ends].sum() <= self.graph.num_edges
        return len(ends) > 0 and (len(self.model.pgnn) > 1 or not few)

    def _compute(self, time: int, view: View) -> Features:
        _, tables = self._shared()
        return self.model.features(time, self.model.views.resolve(view), self._settings.sampling_seed, tables)

    def _shared(self) -> tuple[list[AttentionMaps], AttentionTables | None]:
        """Maps of the PGNN layers and the tables of the first, which all times share; made when first needed."""
        if self._layers is None:
            self._layers = self.model.pgnn_maps(), self.model.first_tables()
        return self._layers


class _Rows:
    """Features one after the other."""

    def __init__(self) -> None:
        self.blocks: list[Features] = []
        self._count = 0

    def add(self, block: Features) -> NDArray[np.int32]:
        """Where the rows of a block stand."""
        self.blocks.append(block)
        self._count += len(block.h)
        return np.arange(self._count - len(block.h), self._count, dtype=np.int32)


def _by_limits(views: Sequence[View]) -> dict[View, list[int]]:
    """Places of the views by their limits in time."""
    groups: dict[View, list[int]] = {}
    for place, view in enumerate(views):
        groups.setdefault(view.with_all_facts, []).append(place)
    return groups


def _cut(rows: NDArray[np.int32], sizes: Sequence[int]) -> list[NDArray[np.int32]]:
    """Pieces of given sizes."""
    return np.split(rows, np.cumsum(sizes)[:-1])


def _finite(scores: FloatArray, queries: QueryBatch) -> FloatArray:
    """The scores themselves, if they are numbers: products of huge weights overflow, although each one is finite."""
    bad = np.flatnonzero(~np.isfinite(scores.sum(axis=1)))
    if len(bad):
        query = ", ".join(f"{what} {getattr(queries, what)[bad[0]]}" for what in ("subject", "relation", "time"))
        raise QueryError(
            f"the query ({query}) has scores that are no finite numbers: the weights are too large, as after training "
            "that diverged; use an earlier checkpoint or train again with a lower training.learning_rate"
        )
    return scores
