"""What scorers share that count events of the graph: the events by relation, and what a view shows of them.

A counter has no weights, so whatever facts the graph holds it counts, and whatever a view hides it does not: it answers
as of any day. Queries that see different parts of the graph are counted apart, those of one time together.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tgap.capabilities import Capabilities
from tgap.data import Dataset
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import Resolver
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting
from tgap.graph.view import WHOLE
from tgap.scorer import FloatArray, IntArray, QueryBatch, ScoreKind


def with_new_relations(table: NDArray[Any], axis: int, known: int, count: int, value: float) -> NDArray[Any]:
    """A table by relation and direction (``axis`` of 2 * ``known``) with room for ``count`` relations, filled so.

    >>> with_new_relations(np.array([1.0, 2.0, 3.0, 4.0]), 0, 2, 3, 9.0).tolist()
    [1.0, 2.0, 9.0, 3.0, 4.0, 9.0]
    """
    return np.insert(table, [known] * (count - known) + [2 * known] * (count - known), value, axis=axis)


PRIOR = 1e-6  # weight of how often a relation ends at an entity at all: it decides only where nothing else does


class Events(NamedTuple):
    """The edges of a graph that are no self-loops, by relation (inverses included), then by entity at their end."""

    row: NDArray[np.int64]  # [2R+1] events of relation r stand at row[r]..row[r+1]
    edge: NDArray[np.int64]

    @classmethod
    def of(cls, graph: TemporalGraph) -> Events:
        """Events of a graph."""
        edges = np.flatnonzero(graph.fact >= 0)
        edges = edges[np.lexsort((graph.neighbour[edges], graph.relation[edges]))]
        row = np.searchsorted(graph.relation[edges], np.arange(2 * graph.num_relations + 1))
        return cls(row.astype(np.int64), edges)


class CountingScorer(ABC):
    """A scorer without weights. What it counts is ``_count``, over the edges that a mask shows."""

    kind = ScoreKind.ORDER

    def __init__(self, name: str, graph: TemporalGraph, setting: EvaluationSetting = DEFAULT_SETTING) -> None:
        self.name = name
        self._read(graph, setting)

    def _read(self, graph: TemporalGraph, setting: EvaluationSetting) -> None:
        self.graph = graph
        self.setting = setting
        self.num_entities = graph.num_entities
        self.num_relations = graph.num_relations
        self.events = Events.of(graph)
        self._views = Resolver(graph)

    @property
    def capabilities(self) -> Capabilities:
        """It reads a graph."""
        return Capabilities(reads_graph=self)

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> Self:
        """The same settings on other facts."""
        other = copy.copy(self)
        other._read(TemporalGraph.of(dataset, setting.context), setting)
        if other.num_relations != self.num_relations:
            other._grow(self.num_relations)
        return other

    def restricted_to(self, limits: View) -> Self:
        """The same facts with other limits."""
        other = copy.copy(self)
        other.setting = replace(self.setting, limits=limits)
        return other

    def _grow(self, known: int) -> None:
        """Make room for relations that joined: there were ``known``."""
        del known  # a counter without tables has nothing to do

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N]."""
        queries.check_ids(self.num_entities, self.num_relations)  # kernels check nothing
        scores: FloatArray = np.zeros((len(queries), self.num_entities), dtype=np.float32)
        for rows, mask in self.parts(queries, view):
            self._count(mask, queries, rows, scores)
        return scores

    def parts(self, queries: QueryBatch, view: View = WHOLE) -> Iterator[tuple[IntArray, NDArray[np.uint8]]]:
        """Queries that see the same edges, by number, and the mask of these edges."""
        view = view.within(self.setting.limits)
        for rows, seen in view.groups(queries.time):
            yield rows, self._views.resolve(seen).mask

    @abstractmethod
    def _count(self, mask: NDArray[np.uint8], queries: QueryBatch, rows: IntArray, scores_BN: FloatArray) -> None:
        """Fill the given rows of scores, which are zero, from the edges that ``mask`` shows."""
