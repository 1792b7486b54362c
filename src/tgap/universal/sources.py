"""What the universal model is trained on: a dataset as a source of questions whose facts are hidden from the graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset
from tgap.graph import TemporalGraph, View
from tgap.graph.temporal import Int32Array
from tgap.graph.view import WHOLE
from tgap.scorer import IntArray, QueryBatch
from tgap.universal.cases import GraphReader, same_sight
from tgap.universal.model import UniversalModel
from tgap.universal.statistics import Profile, other_ends

_HISTORY = 1 / 8  # share of the facts that lie before the first forecast that is learned from
_TOGETHER = 32
_HIDDEN = 1 / 8  # share of a relation's facts that a batch hides at most


@dataclass(frozen=True)
class Questions:
    """A batch of one relation with its answers and what is seen while they are sought."""

    queries: QueryBatch
    answers: IntArray
    view: View
    profile: Profile


class Source:
    """Questions from the training facts of a dataset; ``past``: as forecasts."""

    def __init__(self, name: str, reader: GraphReader, past: bool) -> None:
        self.name, self.reader, self.past = name, reader, past
        self.graph, self.statistics = reader.graph, reader.statistics

    @classmethod
    def of(cls, dataset: Dataset, model: UniversalModel, past: bool) -> Source:
        """The training facts of a dataset."""
        return cls(dataset.name, GraphReader(model, TemporalGraph.of(dataset), other_ends(dataset)), past)

    @property
    def size(self) -> int:
        """Training questions: both directions of every fact."""
        return len(self.statistics.index.asked_edge)

    @cached_property
    def _start(self) -> int:
        """The time before which no forecast is learned from."""
        times = np.sort(self.graph.time[self.statistics.index.asked_edge])
        return int(times[int(len(times) * _HISTORY)])

    def draw(self, random: np.random.Generator, most: int) -> Questions:
        """A random batch of at most ``most`` questions; frequent relations come more often."""
        index = self.statistics.index
        while True:
            anchor = int(index.asked_edge[random.integers(self.size)])
            if not self.past or self.graph.time[anchor] >= self._start:
                break
        edges = index.asked(int(self.graph.relation[anchor]))
        if self.past:
            return self._forecasts(edges, int(self.graph.time[anchor]), random, most)
        return self.hidden(random.permutation(edges)[: max(2, min(most, int(len(edges) * _HIDDEN)))])

    def hidden(self, edges: Int32Array) -> Questions:
        """The questions that edges of one relation answer, with their facts hidden."""
        profile = self.statistics.profile(int(self.graph.relation[edges[0]]), self.statistics.window(WHOLE, 0))
        facts = np.concatenate([self.graph.fact[edges], self._other_ends(edges)])
        own = self.statistics.without(profile, edges)
        return self._questions(edges, WHOLE.without(facts.tolist()), own)

    def _forecasts(self, edges: Int32Array, start: int, random: np.random.Generator, most: int) -> Questions:
        """Questions of one unit of time; all see only what lies before the first of them."""
        window = self.statistics.window(WHOLE.before_query(), start)
        profile = self.statistics.profile(int(self.graph.relation[edges[0]]), window)
        times = self.graph.time[edges]
        first, stop = np.searchsorted(times, start), np.searchsorted(times, start + profile.unit)
        chosen = random.permutation(edges[first:stop])[:most]
        return self._questions(chosen, WHOLE.before(start), profile)

    def _questions(self, edges: Int32Array, view: View, profile: Profile) -> Questions:
        columns = (self.graph.source, self.graph.relation, self.graph.time, self.graph.neighbour)
        subject, relation, time, answers = (column[edges].astype(np.int64) for column in columns)
        return Questions(QueryBatch(subject, relation, time), answers, view, profile)

    def _other_ends(self, edges: Int32Array) -> Int32Array:
        """Facts that are the other ends of these facts' intervals."""
        other = self.statistics.other_end(int(self.graph.relation[edges[0]]))
        if other < 0:
            return np.empty(0, np.int32)
        found = [self._row(edge, self.graph.neighbour, other) for edge in edges.tolist()]
        return self.graph.fact[np.concatenate(found)]

    def _row(self, edge: int, column: Int32Array, relation: int) -> NDArray[np.int64]:
        """Edges of a relation out of the subject of ``edge`` that agree with it in a column."""
        begin, end = self.graph.row[self.graph.source[edge]], self.graph.row[self.graph.source[edge] + 1]
        same = (self.graph.relation[begin:end] == relation) & (column[begin:end] == column[edge])
        return begin + np.flatnonzero(same)

    def batches(
        self, count: int, random: np.random.Generator, objects_only: bool = False
    ) -> Iterator[tuple[Int32Array, Questions]]:
        """About ``count`` random questions (as edges) in batches that see the same; forecasts see all of their past."""
        edges = random.permutation(self.statistics.index.asked_edge)
        if objects_only:
            edges = edges[self.graph.relation[edges] < self.graph.num_relations]
        if self.past:
            edges = edges[self.graph.time[edges] >= self._start]
        edges = edges[:count]
        columns = (self.graph.source, self.graph.relation, self.graph.time)
        queries = QueryBatch(*(column[edges].astype(np.int64) for column in columns))
        view = WHOLE.before_query() if self.past else WHOLE
        for part in same_sight(queries, view, _TOGETHER):
            yield edges[part], self._at(edges[part]) if self.past else self.hidden(edges[part])

    def _at(self, edges: Int32Array) -> Questions:
        """Forecasts of one relation and one time."""
        view, time = WHOLE.before_query(), int(self.graph.time[edges[0]])
        profile = self.statistics.profile(int(self.graph.relation[edges[0]]), self.statistics.window(view, time))
        return self._questions(edges, view.at(time), profile)

    def true_answers(self, edge: int) -> NDArray[np.int32]:
        """All answers of the question that an edge answers."""
        found: NDArray[np.int32] = self.graph.neighbour[
            self._row(edge, self.graph.time, int(self.graph.relation[edge]))
        ]
        return found
