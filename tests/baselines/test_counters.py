"""Recurrency and typed pairs against their formulas written with loops; counters under views; published figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.baselines.counting import CountingScorer
from tgap.baselines.history import HistoryScorer
from tgap.baselines.recurrency import RecurrencyScorer
from tgap.baselines.typed_pair import AGES, SMOOTHING, TypedPairScorer, count_chances
from tgap.capabilities import capabilities_of
from tgap.data import Dataset, Facts, Timeline, Vocabulary, load_dataset
from tgap.errors import ConfigError, DataError
from tgap.evaluation import evaluate
from tgap.graph import TemporalGraph, View
from tgap.graph.setting import DEFAULT_SETTING
from tgap.graph.task import FORECAST
from tgap.methods import config_for, make_scorer, recurrency
from tgap.scorer import Query, QueryBatch

N, R = 4, 2
Event = tuple[int, int, int, int]
event = st.tuples(st.integers(0, N - 1), st.integers(0, R - 1), st.integers(0, N - 1), st.integers(0, 9))
events_strategy = st.lists(event, max_size=15)
query_strategy = st.builds(Query, st.integers(0, N - 1), st.integers(0, 2 * R - 1), st.integers(-3, 12))


def graph_of(events: list[Event]) -> TemporalGraph:
    table = np.array(events, dtype=np.int64).reshape(len(events), 4)
    return TemporalGraph.build(N, R, *table.T)


def dataset_of(train: list[Event], valid: list[Event] | None = None) -> Dataset:
    names = Vocabulary(tuple("abcd")), Vocabulary(("p", "q"))
    parts = [np.array(part, dtype=np.int64).reshape(-1, 4) for part in (train, valid or [], [])]
    known, held, asked = (Facts(*(column.copy() for column in part.T)) for part in parts)
    return Dataset("counted", *names, Timeline("day", 0, 12), known, held, asked)


def both_ways(events: list[Event]) -> list[Event]:
    return events + [(o, r + R, s, t) for s, r, o, t in events]


def counters(graph: TemporalGraph) -> list[CountingScorer]:
    random = np.random.default_rng(1)
    chance = random.random((2 * R, 2 * R, AGES)).astype(np.float32)
    return [
        HistoryScorer("recency", graph, 3.0, 0.3),
        RecurrencyScorer(graph, DEFAULT_SETTING, np.full(2 * R, 0.2), np.full(2 * R, 0.7)),
        TypedPairScorer(graph, DEFAULT_SETTING, chance),
    ]


@settings(max_examples=60, deadline=None)
@given(events_strategy, query_strategy)
def test_recurrency_follows_its_formula(events: list[Event], query: Query) -> None:
    decay, share = np.array([0.0, 0.1, 0.5, 1.0]), np.array([0.2, 0.9, 0.5, 1.0])
    found = RecurrencyScorer(graph_of(events), DEFAULT_SETTING, decay, share).score(QueryBatch.of([query]))[0]
    known = both_ways(events)
    ends = [o for _, r, o, _ in known if r == query.relation]
    mixed, fading = share[query.relation], decay[query.relation]
    for entity in range(N):
        away = [abs(t - query.time) for s, r, o, t in known if (s, r, o) == (*query[:2], entity)]
        expected = mixed * 2 ** (-fading * min(away)) if away else 0.0
        expected += (1 - mixed) * ends.count(entity) / len(ends) if ends else 0.0
        assert found[entity] == pytest.approx(expected, rel=1e-5)


@settings(max_examples=40, deadline=None)
@given(events_strategy, query_strategy, st.integers(0, 9))
def test_counters_see_what_a_view_shows(events: list[Event], query: Query, cut: int) -> None:
    """As of a day, and before the question's own: the same as on a graph that holds nothing else."""
    batch = QueryBatch.of([query, query._replace(time=query.time + 2)])
    until = graph_of([one for one in events if one[3] <= cut])
    for whole, short in zip(counters(graph_of(events)), counters(until), strict=True):
        assert capabilities_of(whole).reads_graph is whole
        np.testing.assert_array_equal(whole.score(batch, View.all().until(cut)), short.score(batch))
        past = whole.score(batch, View.all().before_query())
        for row, time in zip(past, batch.time, strict=True):
            before = graph_of([one for one in events if one[3] < time])
            alone = next(one for one in counters(before) if one.name == whole.name)
            np.testing.assert_array_equal(row, alone.score(QueryBatch.of([query._replace(time=int(time))]))[0])


def age_of(displacement: int) -> int:
    """Class of a displacement, as the module says it: 0, 1, 2-3, 4-7, ... with the sign."""
    size = abs(displacement).bit_length()
    return AGES // 2 + (size if displacement > 0 else -size)


@pytest.mark.parametrize("past_only", [False, True])
@settings(max_examples=30, deadline=None)
@given(st.lists(event, min_size=1, max_size=12))
def test_chances_are_hits_over_trials(past_only: bool, events: list[Event]) -> None:
    known = both_ways(events)
    hits, trials = np.zeros((2 * R, 2 * R, AGES)), np.zeros((2 * R, 2 * R, AGES))
    for subject, relation, time in {(s, r, t) for s, r, _, t in known}:
        answers = {o for s, r, o, t in known if (s, r, t) == (subject, relation, time)}
        for entity in range(N):
            own = (subject, relation, entity, time)
            mirror = (entity, (relation + R) % (2 * R), subject, time)  # the same fact, seen from its other end
            for kind in range(2 * R):
                seen = [
                    t - time
                    for s, r, o, t in known
                    if (s, r, o) == (subject, kind, entity)
                    and not (past_only and t >= time)
                    and not (entity in answers and (s, r, o, t) in (own, mirror))
                ]
                if seen:
                    # Equally near before and after: rows are sorted by time, the first one stands.
                    age = age_of(min(seen, key=lambda dt: (abs(dt), dt)))
                    hits[relation, kind, age] += entity in answers
                    trials[relation, kind, age] += 1
    usual = (hits.sum(axis=(1, 2), keepdims=True) + 1e-9) / (trials.sum(axis=(1, 2), keepdims=True) + 1)
    expected = (hits + SMOOTHING * usual) / (trials + SMOOTHING)
    np.testing.assert_allclose(count_chances(dataset_of(events), past_only), expected, rtol=1e-5, atol=1e-12)


def test_typed_pairs_are_right_if_not_all_signs_are_wrong() -> None:
    chance = np.zeros((2 * R, 2 * R, AGES), np.float32)
    chance[0, 0, age_of(-4)], chance[0, 1, age_of(-2)] = 0.5, 0.25
    graph = graph_of([(0, 0, 1, 1), (0, 0, 1, 5), (0, 1, 1, 7), (0, 1, 2, 7)])
    scores = TypedPairScorer(graph, DEFAULT_SETTING, chance).score(QueryBatch.of([Query(0, 0, 9)]))[0]
    assert scores[1] == pytest.approx(1 - 0.5 * 0.75, abs=1e-5)
    assert scores[2] == pytest.approx(0.25, abs=1e-5)


def test_too_many_relations_for_a_table_are_refused() -> None:
    one = load_dataset("world")
    many = Dataset(
        "many",
        one.entities,
        Vocabulary(tuple(f"r{k}" for k in range(9000))),
        one.timeline,
        one.train,
        one.valid,
        one.test,
    )
    with pytest.raises(ConfigError, match="9,000 relations are too many, expected at most"):
        count_chances(many, past_only=False)


@pytest.mark.parametrize("task", ["completion", "forecast"])
def test_share_and_decay_are_what_ranks_validation_best(task: str) -> None:
    """The figures of the grid are those of an evaluation, so no other pair of it does better."""
    world = load_dataset("world")
    chosen = make_scorer(config_for("recurrency", "world", task=task), world)
    assert isinstance(chosen, RecurrencyScorer)
    best = evaluate(chosen, world, "valid").report.headline.mrr
    everywhere = np.ones(2 * world.num_relations)
    for decay, share in ((0.001, 0.99), (0.1, 0.5), (1.0, 0.9), (0.1, 1.0), (0.1, 0.0)):
        assert (decay in recurrency.DECAYS, share in recurrency.SHARES) == (True, True)
        other = RecurrencyScorer(chosen.graph, chosen.setting, decay * everywhere, share * everywhere)
        assert evaluate(other, world, "valid").report.headline.mrr <= best + 1e-9


@pytest.mark.parametrize(
    ("dataset", "method", "mrr"),
    [
        ("icews14-forecast", "recurrency", 0.374),  # Gastinger et al. 2024
        ("yago-forecast", "recurrency", 0.909),
    ],
)
def test_recurrency_comes_near_its_published_figure(dataset: str, method: str, mrr: float) -> None:
    """Which checks the protocol: single step, time-filtered, both directions."""
    try:
        data = load_dataset(dataset)
    except DataError as error:
        pytest.skip(str(error))
    scorer = make_scorer(config_for(method, dataset, task=FORECAST.name), data)
    report = evaluate(scorer, data, "test", limit=4000).report
    assert report.known.name == "single step"
    assert report.headline.mrr == pytest.approx(mrr, abs=0.015)
