"""T-GAP as a ``Scorer`` that can explain itself: batches in, scores or a trace out, features cached by time."""

from __future__ import annotations

import numpy as np
import torch

from tgap.config import EvaluationConfig
from tgap.errors import QueryError
from tgap.graph import TemporalGraph, Visibility
from tgap.model.cache import FeatureCache
from tgap.model.tgap import TGAP
from tgap.model.walk import Features, StepRecord
from tgap.scorer import FloatArray, IntArray, Query, QueryBatch, StepTrace, Trace


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
        """The weights have changed: check them and forget cached features."""
        for name, parameter in self.model.named_parameters():
            if not bool(torch.isfinite(parameter).all()):
                raise QueryError(f"parameter {name} holds NaN or infinite numbers; train again or load other weights")
        self._cache.clear()

    def score(self, queries: QueryBatch) -> FloatArray:
        """Scores [B, N]; a row does not depend on the rest of the batch."""
        parts: list[FloatArray] = []
        order = np.argsort(queries.time, kind="stable")
        for begin in range(0, len(queries), self._settings.batch_size):
            batch = queries.take(order[begin : begin + self._settings.batch_size])
            features = [self._features(int(time)) for time in np.unique(batch.time)]
            seed = self._settings.sampling_seed
            parts.append(self.model.score(batch, self._whole, seed, features).numpy())
        scores = np.empty((len(queries), self.num_entities), np.float32)
        if parts:
            scores[order] = np.concatenate(parts)
        return scores

    def trace(self, query: Query, hidden_facts: IntArray | None = None) -> Trace:
        """The forward pass of one query; ``hidden_facts`` are taken out of the graph and PGNN is computed anew."""
        if hidden_facts is None or not len(hidden_facts):
            records = self.model.record(
                QueryBatch.of([query]), self._whole, self._settings.sampling_seed, [self._features(query.time)]
            )
            return self._trace(query, records)
        with Visibility(self.graph).hidden(hidden_facts) as view:
            records = self.model.record(QueryBatch.of([query]), view, self._settings.sampling_seed)
        return self._trace(query, records)

    def _features(self, time: int) -> Features:
        with torch.no_grad():
            return self._cache.get(time, lambda missing: self.model.features(missing, self._whole))

    def _trace(self, query: Query, records: list[StepRecord]) -> Trace:
        steps = tuple(self._step(query, record) for record in records)
        scores = np.zeros(self.num_entities, np.float32)
        last = records[-1].after
        scores[last.node] = last.mean().numpy()
        return Trace(query, steps, scores)

    def _step(self, query: Query, record: StepRecord) -> StepTrace:
        """Edges that carried mass, with names for their columns."""
        graph, before, after = self.graph, record.before, record.after
        length = graph.degree[before.node]
        entry = np.repeat(np.arange(len(before.node)), length)
        edge = np.repeat(graph.row[before.node] - record.recording.start, length) + np.arange(length.sum())
        attention = record.recording.full[:, : before.flows].astype(np.float32)
        carried = attention.any(axis=1)
        edge, entry, attention = edge[carried], entry[carried], attention[carried]
        held = before.value.numpy()[:, : before.flows].astype(np.float32)[entry]
        transition = np.divide(attention, held, out=np.zeros_like(attention), where=held > 0)
        relation = graph.relation[edge].astype(np.int64)
        loop = relation == graph.loop_relation
        empty = np.empty(0, np.int64)
        return StepTrace(
            edge=edge,
            subject=graph.source[edge].astype(np.int64),
            relation=relation,
            object=graph.neighbour[edge].astype(np.int64),
            time=np.where(loop, query.time, graph.time[edge].astype(np.int64)),
            transition=transition,
            attention=attention,
            nodes=after.node.astype(np.int64),
            mass=after.value.numpy()[:, : after.flows].astype(np.float32),
            core=empty if record.core is None else before.node[record.core.entry].astype(np.int64),
            candidates=empty if record.sample is None else record.sample.candidate,
            added=empty if record.sample is None else record.sample.added,
            subgraph=record.subgraphs.node.astype(np.int64),
        )
