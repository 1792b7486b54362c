"""Typed pairs: what became, as a rule, of two entities between which events of such types lie so near.

One pass over train counts, for every training query (s, r, ?, t) and every entity o that has events with s: of which
types r' these are, how far the nearest of each type lies from t (its age, by sign and size class), and whether o was an
answer. Hits over trials is the chance

    p[r, r', age]  that o answers a question of type r, given that it has an event of type r' at that age with s

and the score of an entity is the chance that not all of these signs are wrong,

    1 - product over the types r' between s and o of (1 - p[r, r', age of the nearest r']),

plus ``PRIOR`` times the share of r's events that end at o, which orders those who never met s. Chances are drawn to the
mean over all types by ``SMOOTHING`` trials. While counting, a query sees what it would see when asked: in completion
all but its own fact, in forecasts only what lies before it. No weights, no iterations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.baselines.counting import PRIOR, CountingScorer, with_new_relations
from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.data.facts import both_directions
from tgap.errors import ConfigError
from tgap.graph import TemporalGraph
from tgap.graph.setting import EvaluationSetting
from tgap.graph.task import TASKS, find_task
from tgap.jit import kernel
from tgap.learner import Method
from tgap.scorer import FloatArray, IntArray, QueryBatch, Scorer

SMOOTHING = 5.0  # trials
SIZES = 12  # classes of |dt|: 0, 1, 2-3, 4-7, ... and everything from 1024 on
AGES = 2 * SIZES - 1  # with the sign
_MOST_CELLS = 2**28  # of the table of chances


class PairGraph(NamedTuple):
    """The arrays of a ``TemporalGraph`` that the kernels read, and its events by relation (``counting.Events``)."""

    num_relations: int
    pair_row: NDArray[np.int64]
    pair_neighbour: NDArray[np.int32]
    pair_edge: NDArray[np.int64]
    neighbour: NDArray[np.int32]
    relation: NDArray[np.int32]
    time: NDArray[np.int32]
    fact: NDArray[np.int32]
    event_row: NDArray[np.int64]
    event_edge: NDArray[np.int64]


class TypedPairScorer(CountingScorer):
    """Scores by the chances above; ``chance`` [2R, 2R, AGES]."""

    def __init__(self, graph: TemporalGraph, setting: EvaluationSetting, chance: FloatArray) -> None:
        super().__init__("typed pairs", graph, setting)
        self.chance = chance

    def _grow(self, known: int) -> None:
        """What train does not tell of a new relation is taken to be as usual."""
        for axis in (0, 1):
            usual = float(self.chance.mean())
            self.chance = with_new_relations(self.chance, axis, known, self.num_relations, usual)

    def _count(self, mask: NDArray[np.uint8], queries: QueryBatch, rows: IntArray, scores_BN: FloatArray) -> None:
        columns = (queries.subject, queries.relation, queries.time)
        nearest = np.full(2 * self.num_relations, -1, dtype=np.int64)
        _weigh_types(pair_graph(self), mask, rows, *columns, self.chance, nearest, PRIOR, scores_BN)


def pair_graph(scorer: CountingScorer) -> PairGraph:
    """What the kernels read of a scorer's graph."""
    graph = scorer.graph
    return PairGraph(
        graph.num_relations,
        graph.pair_row,
        graph.pair_neighbour,
        graph.pair_edge,
        graph.neighbour,
        graph.relation,
        graph.time,
        graph.fact,
        *scorer.events,
    )


@kernel()
def _age(displacement: int) -> int:
    """Class of an event's time minus the query's: 0 .. AGES-1, SIZES-1 in the middle."""
    size, rest = 0, abs(displacement)
    while rest > 0 and size < SIZES - 1:
        size += 1
        rest >>= 1
    return SIZES - 1 + (size if displacement > 0 else -size)


@kernel()
def _note_nearest(
    graph: PairGraph, first: int, last: int, mask: NDArray[np.uint8], skipped: int, now: int, nearest: IntArray
) -> None:
    """Edge of the nearest visible event of each type in a pair's stretch of edges; ``nearest`` is -1 everywhere."""
    for edge in range(first, last):
        kind = graph.relation[edge]
        if kind == 2 * graph.num_relations or not mask[edge] or graph.fact[edge] == skipped:
            continue
        known = nearest[kind]
        if known < 0 or abs(graph.time[edge] - now) < abs(graph.time[known] - now):
            nearest[kind] = edge


@kernel()
def _weigh_types(
    graph: PairGraph,
    mask: NDArray[np.uint8],
    rows: IntArray,
    subject: IntArray,
    relation: IntArray,
    time: IntArray,
    chance: FloatArray,
    nearest: IntArray,
    prior: float,
    scores_BN: FloatArray,
) -> None:
    for b in rows:
        asked, now = relation[b], time[b]
        begin, end = graph.event_row[asked], graph.event_row[asked + 1]
        total = 0
        for at in range(begin, end):
            total += mask[graph.event_edge[at]]
        for at in range(begin, end):
            edge = graph.event_edge[at]
            if mask[edge]:
                scores_BN[b, graph.neighbour[edge]] += prior / total
        for pair in range(graph.pair_row[subject[b]], graph.pair_row[subject[b] + 1]):
            first, last = graph.pair_edge[pair], graph.pair_edge[pair + 1]
            _note_nearest(graph, first, last, mask, -2, now, nearest)
            wrong = 1.0
            for edge in range(first, last):
                kind = graph.relation[edge]
                if kind < 2 * graph.num_relations and nearest[kind] >= 0:
                    wrong *= 1.0 - chance[asked, kind, _age(graph.time[nearest[kind]] - now)]
                    nearest[kind] = -1
            scores_BN[b, graph.pair_neighbour[pair]] += 1.0 - wrong


@kernel()
def _count_types(
    graph: PairGraph,
    mask: NDArray[np.uint8],
    past_only: bool,
    subject: IntArray,
    relation: IntArray,
    answer: IntArray,
    time: IntArray,
    fact: IntArray,
    nearest: IntArray,
    seen: NDArray[np.uint8],
    hits: FloatArray,
    trials: FloatArray,
) -> None:
    """Add hits and trials of queries; those of one (subject, relation, time) stand together. ``seen``: room for [E]."""
    b = 0
    while b < len(subject):
        stop = b
        while (
            stop < len(subject)
            and subject[stop] == subject[b]
            and relation[stop] == relation[b]
            and time[stop] == time[b]
        ):
            stop += 1
        asked, now = relation[b], time[b]
        for pair in range(graph.pair_row[subject[b]], graph.pair_row[subject[b] + 1]):
            first, last = graph.pair_edge[pair], graph.pair_edge[pair + 1]
            hit, own = 0.0, -2
            for k in range(b, stop):
                if answer[k] == graph.pair_neighbour[pair]:
                    hit, own = 1.0, fact[k]
            for edge in range(first, last):
                seen[edge] = mask[edge] and (not past_only or graph.time[edge] < now)
            _note_nearest(graph, first, last, seen, own, now, nearest)
            for edge in range(first, last):
                kind = graph.relation[edge]
                if kind < 2 * graph.num_relations and nearest[kind] >= 0:
                    age = _age(graph.time[nearest[kind]] - now)
                    hits[asked, kind, age] += hit
                    trials[asked, kind, age] += 1.0
                    nearest[kind] = -1
        b = stop


def count_chances(dataset: Dataset, past_only: bool) -> FloatArray:
    """[2R, 2R, AGES] chances, counted over both directions of every training fact."""
    kinds = 2 * dataset.num_relations
    if kinds * kinds * AGES > _MOST_CELLS:
        most = int((_MOST_CELLS / AGES) ** 0.5 / 2)
        raise ConfigError(
            f"typed-pair keeps a table of pairs of relations: {dataset.num_relations:,} relations are too many, "
            f"expected at most {most:,}; use recency"
        )
    scratch = TypedPairScorer(TemporalGraph.of(dataset), EvaluationSetting(), np.zeros((0, 0, 0), np.float32))
    graph = scratch.graph
    asked = both_directions(dataset.train, dataset.num_relations)
    asked = asked[np.lexsort((asked.object, asked.relation, asked.subject, asked.time))]
    fact = graph.find_facts(*asked.columns)
    hits, trials = (np.zeros((kinds, kinds, AGES), np.float32) for _ in range(2))
    every, seen = np.ones(graph.num_edges, np.uint8), np.zeros(graph.num_edges, np.uint8)
    nearest = np.full(kinds, -1, dtype=np.int64)
    columns = (asked.subject, asked.relation, asked.object, asked.time, fact)
    _count_types(pair_graph(scratch), every, past_only, *columns, nearest, seen, hits, trials)
    usual = (hits.sum(axis=(1, 2), keepdims=True) + 1e-9) / (trials.sum(axis=(1, 2), keepdims=True) + 1.0)
    chance: FloatArray = ((hits + SMOOTHING * usual) / (trials + SMOOTHING)).astype(np.float32)
    return chance


class TypedPairSettings(Settings):
    """There is nothing to set."""


def _build(dataset: Dataset, config: RunConfig) -> Scorer:
    setting = find_task(config.task).setting
    graph = TemporalGraph.of(dataset, setting.context)
    return TypedPairScorer(graph, setting, count_chances(dataset, setting.limits.past_only))


METHOD = Method(
    name="typed-pair",
    title="typed pairs",
    summary="Counts in train what becomes of pairs with events of each type and age. No training.",
    settings=TypedPairSettings,
    build=_build,
    tasks={task: {} for task in TASKS},
)
