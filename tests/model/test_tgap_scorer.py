"""T-GAP as a scorer: cached features, hidden facts, and traces that tell what the scores are made of."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.tiny_models import batch_of, model_of
from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.capabilities import capabilities_of
from tgap.config import EvaluationConfig
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import VisibleGraph, visible_graph
from tgap.model.feature_cache import FeatureCache
from tgap.model.pgnn import Features
from tgap.model.scorer import TGAPScorer
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.pauses import pausing
from tgap.scorer import IntArray, Query, QueryBatch

SPAN, ENTITIES, RELATIONS = 12, 8, 3
SETTINGS = EvaluationConfig()
MEGABYTE = 2**20


def tiny_model(graph: TemporalGraph | None = None, config: TGAPSettings | None = None) -> TGAP:
    graph, config = graph or tiny_graph(1, facts=40), config or tiny_config()
    parameters = random_parameters(config, ENTITIES, RELATIONS, SPAN, 1)
    return model_of(config, graph, SPAN, parameters)


class CountingModel:
    """Counts how often PGNN runs for all entities at each time, with and without hidden edges, and for some of them."""

    def __init__(self, model: TGAP, monkeypatch: pytest.MonkeyPatch) -> None:
        self.whole: Counter[int] = Counter()
        self.hiding: Counter[int] = Counter()
        self.some: Counter[int] = Counter()  # rows
        compute, compute_some = model.features, model.features_of

        def counted(time: int, visible: VisibleGraph, *more: Any, **named: Any) -> Features:
            (self.whole if visible.mask.all() else self.hiding)[time] += 1
            return compute(time, visible, *more, **named)

        def counted_some(entities: IntArray, time: int, *more: Any) -> Features:
            self.some[time] += len(entities)
            return compute_some(entities, time, *more)

        monkeypatch.setattr(model, "features", counted)
        monkeypatch.setattr(model, "features_of", counted_some)


def features_of_size(megabytes: float) -> Features:
    half = torch.zeros(int(megabytes * MEGABYTE / 8))
    return Features(half, half)


# ------------------------------------------------------------------------------------------------------------- cache


def test_features_are_computed_once_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    counting = CountingModel(model, monkeypatch)
    scorer = TGAPScorer(model, SETTINGS)
    first = scorer.score(batch_of((0, 1, 4), (2, 1, 4), (1, 0, 7)))
    again = scorer.score(batch_of((0, 1, 4), (2, 1, 4), (1, 0, 7)))
    scorer.trace(Query(5, 2, 7))
    assert counting.whole == {4: 1, 7: 1}
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(
    "config",
    [
        tiny_config(displacement="absolute"),
        tiny_config(displacement="absolute", pgnn_layers=2),
        tiny_config(pgnn_layers=0),
        tiny_config(pgnn_layers=0, gather_cap=2, cap_choice="near"),
    ],
)
def test_features_are_computed_once_where_they_do_not_look_at_time(
    config: TGAPSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model(config=config)
    whole, view = visible_graph(model.graph, View.all()), View.all()
    assert all(torch.equal(model.features(time, whole).h, model.features(0, whole).h) for time in (4, 7, -2))
    counting = CountingModel(model, monkeypatch)
    scorer, asked = TGAPScorer(model, SETTINGS), batch_of((0, 1, 4), (2, 1, 4), (1, 0, 7), (1, 0, -2))
    scorer.score(asked)
    scorer.trace(Query(5, 2, 9))
    assert counting.whole.total() == 1
    model.loss(asked, np.array([1, 2, 3, 4]), view, 0)
    assert counting.whole.total() == 2


@pytest.mark.parametrize("choice", ["uniform", "near"])
def test_capped_rows_make_features_of_their_time(choice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model(config=tiny_config(displacement="absolute", gather_cap=2, cap_choice=choice))
    counting = CountingModel(model, monkeypatch)
    TGAPScorer(model, SETTINGS).score(batch_of((0, 1, 4), (1, 0, 7)))
    assert counting.whole == {4: 1, 7: 1}
    early, late = (model.features(time, visible_graph(model.graph, View.all())).h for time in (4, 7))
    assert not torch.equal(early, late)


def test_walks_of_one_query_share_the_features_of_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model(config=tiny_config(subgraph=False))
    counting = CountingModel(model, monkeypatch)
    asked, view = batch_of((0, 1, 4), (2, 1, 7), (1, 0, 4), (5, 3, 4)), View.all()
    model.score(asked, view, 0)
    assert counting.whole == {4: 1, 7: 1}
    model.loss(asked, np.array([1, 2, 3, 4]), view, 0)
    assert counting.whole == {4: 2, 7: 2}


def test_refresh_forgets_the_features(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    counting = CountingModel(model, monkeypatch)
    scorer = TGAPScorer(model, SETTINGS)
    before = scorer.score(batch_of((0, 1, 4)))
    with torch.no_grad():
        model.entity.add_(0.5)
    scorer.refresh()
    after = scorer.score(batch_of((0, 1, 4)))
    assert counting.whole == {4: 2}
    assert not np.allclose(before, after)
    np.testing.assert_array_equal(after, TGAPScorer(model, SETTINGS).score(batch_of((0, 1, 4))))


def test_many_hidden_facts_never_meet_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    counting = CountingModel(model, monkeypatch)
    scorer = TGAPScorer(model, SETTINGS)
    asked = Query(0, 1, 4)
    whole = scorer.trace(asked)
    hidden = np.arange(0, model.graph.num_facts, 2)
    view = View.all().without(hidden)
    one, two = scorer.trace(asked, view), scorer.trace(asked, view)
    assert counting.whole == {4: 1}
    assert counting.hiding == {4: 2}
    assert (one.view, whole.view) == (view, View.all())
    np.testing.assert_array_equal(one.scores, two.scores)
    assert not np.allclose(one.scores, whole.scores)
    assert not np.isin(model.graph.fact[one.steps[0].edge], hidden).any()
    np.testing.assert_array_equal(scorer.trace(asked).scores, whole.scores)  # nothing stays hidden
    np.testing.assert_array_equal(scorer.trace(asked, View.all().without([])).scores, whole.scores)


SPARSE = tiny_graph(2, entities=40, relations=RELATIONS, facts=60)
PATCHED = [  # configuration, whether features of the whole graph are enough, rows that are computed by themselves
    (tiny_config(), True, True),
    (tiny_config(displacement="absolute"), True, True),
    (tiny_config(gather_cap=2, cap_choice="near"), True, True),
    (tiny_config(gather_cap=2), True, True),
    (tiny_config(pgnn_layers=0), True, False),
    (tiny_config(pgnn_layers=2), False, False),
]


@pytest.mark.parametrize(("config", "from_whole", "some"), PATCHED)
@pytest.mark.parametrize("limit", [None, 7])
def test_few_hidden_facts_change_only_the_rows_of_their_ends(
    config: TGAPSettings, from_whole: bool, some: bool, limit: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(config, SPARSE, SPAN, random_parameters(config, 40, RELATIONS, SPAN, 2))
    scorer, asked = TGAPScorer(model, SETTINGS), batch_of((0, 1, 4), (3, 1, 4), (5, 2, 6))
    base = View.all() if limit is None else View.all().until(limit)
    views = [base.without([fact]) for fact in range(0, SPARSE.num_facts, 7)]
    wanted = [model.score(asked, view, SETTINGS.sampling_seed).numpy() for view in views]
    scorer.score(asked, base)
    counting = CountingModel(model, monkeypatch)
    for view, scores in zip(views, wanted, strict=True):
        np.testing.assert_allclose(scorer.score(asked, view), scores, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(scorer.trace(Query(5, 2, 6), view).scores, scores[2], rtol=1e-6, atol=1e-9)
    assert (counting.whole + counting.hiding == Counter()) == from_whole
    assert bool(counting.some) == some
    assert len({scores.tobytes() for scores in wanted}) > 1, "some fact matters"


def test_views_with_a_limit_have_features_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    counting = CountingModel(model, monkeypatch)
    scorer, asked = TGAPScorer(model, SETTINGS), batch_of((0, 1, 4), (2, 1, 4), (1, 0, 7))
    past, early = scorer.score(asked, View.all().before_query()), scorer.score(asked, View.all().before(4))
    assert counting.hiding == {4: 1, 7: 2}  # at time 4 both views show the same
    np.testing.assert_array_equal(past[:2], early[:2])
    assert not np.allclose(past[2], early[2])
    scorer.score(asked, View.all().before_query())
    assert counting.hiding == {4: 1, 7: 2}
    assert not counting.whole


def test_threads_under_different_views_get_what_each_gets_alone() -> None:
    model = model_of(tiny_config(), SPARSE, SPAN, random_parameters(tiny_config(), 40, RELATIONS, SPAN, 2))
    views = [View.all(), View.all().without([3]), View.all().without(range(20)), View.all().before_query()]
    asked = batch_of(*((subject, 1, subject % 9) for subject in range(20)))
    alone = [TGAPScorer(model, SETTINGS).score(asked, view) for view in views]
    together = TGAPScorer(model, SETTINGS)
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            for found, wanted in zip(pool.map(lambda view: together.score(asked, view), views), alone, strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


def test_without_room_nothing_is_kept_and_answers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    counting = CountingModel(model, monkeypatch)
    roomy, none = TGAPScorer(model, SETTINGS), TGAPScorer(model, SETTINGS.replace(cache_megabytes=0))
    asked = batch_of((0, 1, 4))
    wanted = roomy.score(asked)
    for _ in range(3):
        np.testing.assert_array_equal(none.score(asked), wanted)
    assert counting.whole == {4: 4}


def test_the_least_recently_used_features_go_first() -> None:
    cache = FeatureCache(megabytes=3)
    computed: list[int] = []

    def ask(time: int) -> None:
        def compute() -> Features:
            computed.append(time)
            return features_of_size(1)

        cache.get((time, View.all()), compute)

    for time in (1, 2, 3, 1, 4):  # 4 drives out 2, the one not asked for longest
        ask(time)
    assert computed == [1, 2, 3, 4]
    assert cache.nbytes == 3 * MEGABYTE
    for time in (1, 3, 4):
        ask(time)
    assert computed == [1, 2, 3, 4]
    ask(2)
    assert computed == [1, 2, 3, 4, 2]


def test_features_that_several_threads_ask_for_are_computed_once() -> None:
    cache = FeatureCache(megabytes=3)
    computed: list[int] = []
    together = threading.Barrier(4)

    def compute() -> Features:
        computed.append(5)
        sleep(0.1)  # long enough for the others to ask
        return features_of_size(1)

    def ask(_: int) -> Features:
        together.wait()
        return cache.get((5, View.all()), compute)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(4)))
    assert computed == [5]
    assert all(features is found[0] for features in found)


def test_the_cache_never_outgrows_its_bound() -> None:
    cache = FeatureCache(megabytes=2)
    sizes = np.random.default_rng(0).uniform(0.1, 3, 60)
    for time, size in enumerate(sizes):
        cache.get((time % 17, View.all()), lambda size=size: features_of_size(size))  # type: ignore[misc]
        assert cache.nbytes <= 2 * MEGABYTE
    cache.clear()
    assert cache.nbytes == 0


# ------------------------------------------------------------------------------------------------------------ scores


def test_a_scorer_declares_that_it_walks() -> None:
    scorer = TGAPScorer(tiny_model(), SETTINGS)
    declared = capabilities_of(scorer)
    assert declared.walks is scorer
    assert declared.reads_graph is scorer
    assert declared.transfers is scorer
    assert declared.reads_facts is None
    assert (scorer.num_entities, scorer.num_relations, scorer.name) == (ENTITIES, RELATIONS, "T-GAP")


@pytest.mark.parametrize("config", [tiny_config(), tiny_config(subgraph=False)])
def test_the_size_of_batches_changes_no_score(config: TGAPSettings) -> None:
    model = tiny_model(config=config)
    random = np.random.default_rng(2)
    asked = QueryBatch(random.integers(0, 8, 23), random.integers(0, 6, 23), random.integers(-2, 15, 23))
    wanted = TGAPScorer(model, SETTINGS).score(asked)
    assert wanted.dtype == np.float32
    assert wanted.shape == (23, ENTITIES)
    np.testing.assert_allclose(wanted.sum(1), 1, rtol=1e-6)
    for size in (1, 2, 7):
        got = TGAPScorer(model, SETTINGS.replace(batch_size=size)).score(asked)
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-9)


def test_the_sampling_seed_is_the_settings() -> None:
    model = tiny_model(tiny_graph(3, facts=80), tiny_config(sampled_edges=2, added_edges=2))
    asked = batch_of((0, 1, 4))
    one, two = (TGAPScorer(model, SETTINGS.replace(sampling_seed=seed, hub_edges=2)).score(asked) for seed in (0, 1))
    assert not np.allclose(one, two)


# ------------------------------------------------------------------------------------------------------------ traces


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 1000),
    subject=st.integers(0, ENTITIES - 1),
    relation=st.integers(0, 2 * RELATIONS - 1),
    time=st.integers(-2, SPAN + 2),
)
def test_a_trace_tells_what_the_score_is_made_of(seed: int, subject: int, relation: int, time: int) -> None:
    graph = tiny_graph(seed, facts=30)
    scorer = TGAPScorer(tiny_model(graph, tiny_config(flow_heads=True)), SETTINGS)
    asked = Query(subject, relation, time)
    trace = scorer.trace(asked)
    np.testing.assert_allclose(trace.scores, scorer.score(QueryBatch.of([asked]))[0], rtol=1e-6, atol=1e-9)
    assert len(trace.steps) == scorer.model.config.steps
    mass = np.zeros((ENTITIES, 3))
    mass[subject] = 1
    for step in trace.steps:
        np.testing.assert_array_equal(step.subject, graph.source[step.edge])
        np.testing.assert_array_equal(step.object, graph.neighbour[step.edge])
        np.testing.assert_array_equal(step.relation, graph.relation[step.edge])
        loop = step.relation == graph.loop_relation
        np.testing.assert_array_equal(step.time, np.where(loop, time, graph.time[step.edge]))
        assert len(set(step.edge.tolist())) == len(step.edge)

        shares = np.zeros((ENTITIES, 3))
        np.add.at(shares, step.subject, step.transition)
        senders = np.unique(step.subject)
        np.testing.assert_allclose(shares[senders], 1, rtol=1e-5)
        np.testing.assert_array_equal(senders, np.flatnonzero(mass.mean(1) > 0))
        np.testing.assert_allclose(step.attention, step.transition * mass[step.subject], rtol=1e-5, atol=1e-9)

        arrived = np.zeros((ENTITIES, 3))
        np.add.at(arrived, step.object, step.attention)
        mass = np.zeros((ENTITIES, 3))
        mass[step.entities] = step.mass
        np.testing.assert_allclose(arrived, mass, rtol=1e-5, atol=1e-9)
        assert set(step.added) <= set(step.candidates)
        assert set(graph.source[step.candidates]) <= set(step.core)
        ends = {*graph.source[step.added].tolist(), *graph.neighbour[step.added].tolist()}
        assert ends | {subject} <= set(step.subgraph.tolist())
    np.testing.assert_allclose(mass.mean(1), trace.scores, rtol=1e-5, atol=1e-9)


def test_there_is_a_pause_before_every_forward_pass_and_scores_do_not_care() -> None:
    scorer, seen = TGAPScorer(tiny_model(), SETTINGS), list[str]()
    batch = batch_of((0, 1, 3), (2, 0, 5))
    plain = scorer.score(batch)
    with pausing(lambda: seen.append("pause")):
        assert np.array_equal(scorer.score(batch), plain)
        assert np.array_equal(scorer.trace(Query(0, 1, 3)).scores, plain[0])
    assert seen == ["pause", "pause"]
