"""The universal model as a ``Scorer``: it reads the facts of a dataset and answers, with a walk to show for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from tgap.capabilities import Capabilities
from tgap.data import Dataset
from tgap.graph import TemporalGraph, View
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting
from tgap.graph.view import WHOLE
from tgap.model.trace import step_trace
from tgap.pauses import pause
from tgap.scorer import FloatArray, IntArray, Query, QueryBatch, ScoreKind, Trace
from tgap.universal.candidates import Candidates
from tgap.universal.cases import GraphReader, same_sight
from tgap.universal.model import UniversalModel
from tgap.universal.regularities import Regularity, regularities
from tgap.universal.statistics import Profile, other_ends

_TOGETHER = 64  # queries of one relation that are walked at once
_ANYBODY = 1e-6  # weight of every entity among those that are no candidates, against the mass of the walk
_SEED = 0


class UniversalScorer:
    """Answers about a graph that the model was not trained on. A row of scores sums to 1."""

    name = "universal"
    kind = ScoreKind.PROBABILITY

    def __init__(self, model: UniversalModel, dataset: Dataset, setting: EvaluationSetting = DEFAULT_SETTING) -> None:
        graph = TemporalGraph.of(dataset, setting.context)
        self._place(model, setting, GraphReader(model, graph, other_ends(dataset)))

    def _place(self, model: UniversalModel, setting: EvaluationSetting, reader: GraphReader) -> None:
        self.model, self.setting, self.reader = model, setting, reader
        self.graph = reader.graph
        self.num_entities, self.num_relations = reader.graph.num_entities, reader.graph.num_relations

    @property
    def capabilities(self) -> Capabilities:
        """It walks a graph, and reads the events between subject and answer besides."""
        return Capabilities(walks=self, reads_facts=self)

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> UniversalScorer:
        """The same weights with other facts known."""
        return UniversalScorer(self.model, dataset, setting)

    def restricted_to(self, limits: View) -> UniversalScorer:
        """The same facts with other limits."""
        other = object.__new__(UniversalScorer)
        other._place(self.model, replace(self.setting, limits=limits), self.reader)
        return other

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N] from what ``view`` shows. The row of a query does not depend on the others."""
        queries.check_ids(self.num_entities, self.num_relations)
        view = view.within(self.setting.limits)
        scores = np.zeros((len(queries), self.num_entities), np.float32)
        for part in same_sight(queries, view, _TOGETHER):
            pause()
            scores[part] = self._answers(queries.take(part), view)
        return scores

    def score_each(self, query: Query, views: Sequence[View]) -> FloatArray:
        """Scores [V, N] of one query under each of several views."""
        return np.concatenate([self.score(QueryBatch.of([query]), view) for view in views])

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        """The walk of one query on what ``view`` shows, with the scores after the re-ranker."""
        pause()
        view = view.within(self.setting.limits)
        batch = QueryBatch.of([query])
        batch.check_ids(self.num_entities, self.num_relations)
        core = self.reader.walked.answering(self._profile(batch, view))
        with torch.no_grad():
            records = core.record(batch, view.at(query.time), _SEED, [self.reader.walked.features])
        steps = tuple(step_trace(self.graph, query, record) for record in records)
        return Trace(query, view, steps, self._answers(batch, view)[0])

    def facts_read(self, trace: Trace, answer: int, count: int) -> IntArray:
        """The events between subject and answer that speak most for it, by their lift, strongest first."""
        batch = QueryBatch.of([trace.query])
        profile = self._profile(batch, trace.view)
        visible = self.reader.walked.core.views.resolve(trace.view.at(trace.query.time))
        edges = self.reader.pair_edges(visible, trace.query.subject, answer)
        strength = self.reader.lifts(profile, edges, trace.query.time)
        facts = self.graph.fact[edges[np.argsort(-strength, kind="stable")]].astype(np.int64)
        _, first = np.unique(facts, return_index=True)  # copies of a fact count once
        return facts[np.sort(first)[:count]]

    def regularities(self, query: Query, answer: int, view: View = WHOLE) -> list[Regularity]:
        """What the graph's own facts say about the events between subject and answer, the most telling first."""
        view = view.within(self.setting.limits)
        visible = self.reader.walked.core.views.resolve(view.at(query.time))
        edges = self.reader.pair_edges(visible, query.subject, answer)
        profile = self._profile(QueryBatch.of([query]), view)
        return regularities(profile, self.graph.relation[edges], self.graph.time[edges].astype(np.int64) - query.time)

    def _profile(self, queries: QueryBatch, view: View) -> Profile:
        statistics = self.reader.statistics
        return statistics.profile(int(queries.relation[0]), statistics.window(view, int(queries.time[0])))

    @torch.no_grad()
    def _answers(self, queries: QueryBatch, view: View) -> FloatArray:
        """Scores [B, N] of queries of one relation that see the same."""
        case = self.reader.read(queries, view.at(int(queries.time[0])), self._profile(queries, view))
        return answers(self.model, case.candidates, case.features, case.mass)


@torch.no_grad()
def answers(model: UniversalModel, candidates: Candidates, features: FloatArray, mass: FloatArray) -> FloatArray:
    """Probabilities [B, N]: of the candidates as re-ranked; of others by the walk, in the share that is left."""
    inside, none = (part.exp().numpy() for part in model.reranker(torch.from_numpy(features), candidates.row))
    place = candidates.query, candidates.entity
    rest = mass.astype(np.float64) + _ANYBODY
    rest[place] = 0
    total = rest.sum(axis=1)
    scores = rest * (none / np.maximum(total, 1e-300))[:, None]
    scores[place] = inside
    scores /= scores.sum(axis=1, keepdims=True)
    return scores.astype(np.float32)
