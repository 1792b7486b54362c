"""Recency and frequency against their formula written with loops, and the yardstick on ICEWS14."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.baselines.history import HistoryScorer
from tgap.data import load_dataset
from tgap.errors import DataError
from tgap.evaluation import evaluate
from tgap.graph import TemporalGraph
from tgap.methods import config_for, make_scorer
from tgap.scorer import Query, QueryBatch

N, R = 4, 2
Event = tuple[int, int, int, int]
event = st.tuples(st.integers(0, N - 1), st.integers(0, R - 1), st.integers(0, N - 1), st.integers(0, 9))


RECENCY, FREQUENCY = (3.0, 0.3), (math.inf, 0.001)


def scorer_of(graph: TemporalGraph, weights: tuple[float, float] = RECENCY) -> HistoryScorer:
    return HistoryScorer("counter", graph, *weights)


def graph_of(events: list[Event]) -> TemporalGraph:
    table = np.array(events, dtype=np.int64).reshape(len(events), 4)
    return TemporalGraph.build(N, R, *table.T)


def by_formula(events: list[Event], query: Query, scale: float, any_relation: float) -> list[float]:
    both_ways = events + [(o, r + R, s, t) for s, r, o, t in events]
    scores = [0.0] * N
    ends = [o for s, r, o, t in both_ways if r == query.relation]
    for entity in range(N):
        same = [t for s, r, o, t in both_ways if (s, r, o) == (query.subject, query.relation, entity)]
        every = [t for s, r, o, t in both_ways if (s, o) == (query.subject, entity)]
        scores[entity] = sum(1 / (1 + abs(t - query.time) / scale) for t in same)
        scores[entity] += any_relation * sum(1 / (1 + abs(t - query.time) / scale) for t in every)
        scores[entity] += 1e-6 * ends.count(entity) / len(ends) if ends else 0
    return scores


@settings(max_examples=60, deadline=None)
@given(st.lists(event, max_size=15), st.integers(0, N - 1), st.integers(0, 2 * R - 1), st.integers(-3, 12))
def test_scores_follow_the_formula(events: list[Event], subject: int, relation: int, time: int) -> None:
    query = Query(subject, relation, time)
    graph = graph_of(events)
    recency = scorer_of(graph).score(QueryBatch.of([query]))
    np.testing.assert_allclose(recency[0], by_formula(events, query, 3.0, 0.3), rtol=1e-5)
    frequency = scorer_of(graph, FREQUENCY).score(QueryBatch.of([query]))
    np.testing.assert_allclose(frequency[0], by_formula(events, query, math.inf, 0.001), rtol=1e-5)


@pytest.mark.parametrize("weights", [RECENCY, FREQUENCY])
def test_rows_do_not_depend_on_the_batch(weights: tuple[float, float]) -> None:
    rng = np.random.default_rng(0)
    events = [tuple(rng.integers(0, (N, R, N, 10)).tolist()) for _ in range(40)]
    scorer = scorer_of(graph_of(events), weights)
    queries = [Query(s, r, t) for s in range(N) for r in range(2 * R) for t in (0, 5)]
    together = scorer.score(QueryBatch.of(queries))
    assert together.dtype == np.float32
    for query, row in zip(queries, together, strict=True):
        np.testing.assert_array_equal(scorer.score(QueryBatch.of([query]))[0], row)


def test_near_events_weigh_more_for_recency_only() -> None:
    graph = graph_of([(0, 0, 1, 0), (0, 0, 1, 1), (0, 0, 2, 9)])
    ask = QueryBatch.of([Query(0, 0, 9)])
    assert scorer_of(graph).score(ask)[0].argmax() == 2
    assert scorer_of(graph, FREQUENCY).score(ask)[0].argmax() == 1


def test_what_is_equally_far_before_and_after_ties_exactly() -> None:
    graph = graph_of([(0, 0, 1, 2), (0, 1, 1, 8), (0, 0, 2, 8), (0, 1, 2, 2)])
    scores = scorer_of(graph).score(QueryBatch.of([Query(0, 0, 5)]))[0]
    assert scores[1] == scores[2]


def test_a_stranger_is_answered_by_what_the_relation_usually_ends_at() -> None:
    scores = scorer_of(graph_of([(0, 0, 1, 0), (2, 0, 1, 0), (0, 0, 2, 0)])).score(QueryBatch.of([Query(3, 0, 0)]))
    assert scores[0].argmax() == 1
    assert 0 < scores[0, 1] < 1e-5


def test_the_weights_are_settings() -> None:
    world = load_dataset("world")
    queries = QueryBatch.of([Query(1, 0, 5)])
    usual = make_scorer(config_for("recency", "world"), world)
    assert usual.name == "recency"
    assert (usual.num_entities, usual.num_relations) == (world.num_entities, world.num_relations)
    other = make_scorer(config_for("recency", "world").with_values({"time_scale": 30.0}), world)
    assert not np.array_equal(usual.score(queries), other.score(queries))
    assert make_scorer(config_for("frequency", "world"), world).name == "frequency"


@pytest.mark.parametrize(
    ("name", "raw", "static", "time"), [("recency", 0.486, 0.614, 0.506), ("frequency", 0.435, 0.661, 0.447)]
)
def test_yardstick_on_icews14(name: str, raw: float, static: float, time: float) -> None:
    try:
        dataset = load_dataset("icews14")
    except DataError as error:
        pytest.skip(str(error))
    report = evaluate(make_scorer(config_for(name, "icews14"), dataset), dataset).report
    assert report.queries == 17_926
    assert report.unseen.queries == 2 * 146
    assert report.leaked == 0
    assert tuple(report.of(name).mrr for name in ("raw", "static", "time")) == pytest.approx(
        (raw, static, time), abs=6e-4
    )
