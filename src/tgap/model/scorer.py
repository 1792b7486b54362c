"""T-GAP as a ``Scorer`` that can explain itself: batches in, scores or a trace out, features cached by time."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tgap.config import EvaluationConfig
from tgap.errors import QueryError
from tgap.graph import TemporalGraph, Visibility
from tgap.model.cache import FeatureCache
from tgap.model.tgap import TGAP
from tgap.model.trace import step_trace
from tgap.model.walk import Features, StepRecord
from tgap.scorer import FloatArray, IntArray, Query, QueryBatch, Trace


class TGAPScorer:
    """Answers with a trained model. Scores are a^(T), so a row sums to 1."""

    name = "T-GAP"

    def __init__(self, model: TGAP, evaluation: EvaluationConfig) -> None:
        self.model = model
        self._settings = evaluation
        self._cache = FeatureCache(evaluation.cache_megabytes)
        self._whole = Visibility(model.graph)
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

    def refresh(self) -> None:
        """The weights have changed: check them and forget cached features.

        The tables are kept besides the cache and its bound: about 4 N d numbers, 14 MB for ICEWS14 with d = 100.
        """
        for name, parameter in self.model.named_parameters():
            if not bool(torch.isfinite(parameter).all()):
                raise QueryError(f"parameter {name} holds NaN or infinite numbers; train again or load other weights")
        self._cache.clear()
        self._tables: Any = None  # of the first PGNN layer, shared by all times; made when first needed

    def score(self, queries: QueryBatch) -> FloatArray:
        """Scores [B, N]; a row does not depend on the rest of the batch."""
        if len(queries):
            self.model.check(queries)
        parts: list[FloatArray] = []
        order = np.argsort(queries.time, kind="stable")
        for begin in range(0, len(queries), self._settings.batch_size):
            batch = queries.take(order[begin : begin + self._settings.batch_size])
            found = self.model.score(batch, self._whole, self._settings.sampling_seed, self._features(batch))
            parts.append(_finite(found.numpy(force=True), batch))
        scores = np.empty((len(queries), self.num_entities), np.float32)
        if parts:
            scores[order] = np.concatenate(parts)
        return scores

    def trace(self, query: Query, hidden_facts: IntArray | None = None) -> Trace:
        """The forward pass of one query; ``hidden_facts`` are taken out of the graph and PGNN is computed anew."""
        batch, seed = QueryBatch.of([query]), self._settings.sampling_seed
        self.model.check(batch)
        if hidden_facts is None or not len(hidden_facts):
            return self._trace(query, self.model.record(batch, self._whole, seed, self._features(batch)))
        if hidden_facts.max() >= self.graph.num_facts:
            raise QueryError(f"fact id {hidden_facts.max()} is out of range; expected 0 to {self.graph.num_facts - 1}")
        with Visibility(self.graph).hidden(hidden_facts) as view:
            return self._trace(query, self.model.record(batch, view, seed))

    @torch.no_grad()
    def _features(self, batch: QueryBatch) -> list[Features] | None:
        """Cached features of the batch's times; None where the model computes only what it scores."""
        if self.model.config.lazy:
            return None
        times, _ = self.model.feature_times(batch.time)
        return [self._cache.get(int(time), self._compute) for time in times]

    def _compute(self, time: int) -> Features:
        if self._tables is None:
            self._tables = self.model.first_tables()
        return self.model.features(time, self._whole, self._settings.sampling_seed, self._tables)

    def _trace(self, query: Query, records: list[StepRecord]) -> Trace:
        steps = tuple(step_trace(self.graph, query, record) for record in records)
        scores = np.zeros(self.num_entities, np.float32)
        last = records[-1].after
        scores[last.node] = last.mean().numpy(force=True)
        _finite(scores[np.newaxis], QueryBatch.of([query]))
        return Trace(query, steps, scores)


def _finite(scores: FloatArray, queries: QueryBatch) -> FloatArray:
    """The scores themselves, if they are numbers: products of huge weights overflow, although each one is finite."""
    bad = np.flatnonzero(~np.isfinite(scores.sum(axis=1)))
    if len(bad):
        asked = ", ".join(f"{what} {getattr(queries, what)[bad[0]]}" for what in ("subject", "relation", "time"))
        raise QueryError(
            f"the query ({asked}) has scores that are no finite numbers: the weights are too large, as after training "
            "that diverged; use an earlier checkpoint or train again with a lower training.learning_rate"
        )
    return scores
