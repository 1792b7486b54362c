from __future__ import annotations

from collections import Counter
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.training.standin import random_facts
from tgap.config import TrainingConfig
from tgap.data import Dataset, Fact, Facts, Timeline, Vocabulary
from tgap.graph import TemporalGraph
from tgap.graph.resolve import visible_graph
from tgap.methods.day_batches import EpochPlan, TrainingQueries, hidden_twins
from tgap.model.batch import HiddenBatch
from tgap.model.settings import TGAPSettings

RELATIONS = 3


def graph_of(facts: Facts) -> TemporalGraph:
    return TemporalGraph.build(6, RELATIONS, facts.subject, facts.relation, facts.object, facts.time)


class Choices(NamedTuple):
    """What decides an epoch's batches."""

    settings: TGAPSettings
    training: TrainingConfig


def choices(batch_size: int = 32, seed: int = 0, **settings: Any) -> Choices:
    return Choices(TGAPSettings(**settings), TrainingConfig(batch_size=batch_size, seed=seed))


def plan_of(facts: Facts, config: Choices, epoch: int = 0, graph: TemporalGraph | None = None) -> EpochPlan:
    queries = TrainingQueries.of(facts, graph or graph_of(facts), config.settings, config.training.batch_size)
    return EpochPlan(queries, config.settings, config.training, epoch)


def rows(batch: HiddenBatch) -> list[tuple[int, ...]]:
    columns = (batch.queries.subject, batch.queries.relation, batch.answers, batch.queries.time)
    return [tuple(row) for row in np.stack(columns, axis=1).tolist()]


def expected_rows(facts: Facts) -> Counter[tuple[int, ...]]:
    plain = np.stack(facts.columns, axis=1).tolist()
    return Counter([(s, r, o, t) for s, r, o, t in plain] + [(o, r + RELATIONS, s, t) for s, r, o, t in plain])


facts_strategy = st.builds(
    random_facts,
    st.integers(0, 10_000),
    facts=st.integers(1, 60),
    entities=st.just(6),
    relations=st.just(RELATIONS),
    days=st.integers(1, 12),
)
config_strategy = st.builds(
    choices,
    batch_size=st.integers(1, 20),
    days_per_batch=st.integers(0, 3),
    hidden_share=st.sampled_from([0.2, 0.5, 1.0]),
    directions=st.sampled_from(["apart", "together"]),
    siblings=st.sampled_from(["apart", "together"]),
    seed=st.integers(0, 5),
)


@settings(max_examples=60, deadline=None)
@given(facts=facts_strategy, config=config_strategy, epoch=st.integers(0, 3))
def test_every_query_occurs_once_an_epoch_and_no_batch_is_too_large(facts: Facts, config: Choices, epoch: int) -> None:
    plan = plan_of(facts, config, epoch)
    batches = [plan[index] for index in range(len(plan))]
    assert sum((Counter(rows(batch)) for batch in batches), Counter()) == expected_rows(facts)
    assert all(1 <= len(batch) <= config.training.batch_size for batch in batches)


@settings(max_examples=40, deadline=None)
@given(facts=facts_strategy, config=config_strategy)
def test_a_batch_hides_its_facts_with_inverses_and_copies_and_nothing_else(facts: Facts, config: Choices) -> None:
    graph = graph_of(facts)
    plan = plan_of(facts, config, graph=graph)
    for index in range(len(plan)):
        batch = plan[index]
        asked = {(s, r, o, t) for s, r, o, t in rows(batch)}
        asked |= {(o, (r + RELATIONS) % (2 * RELATIONS), s, t) for s, r, o, t in asked}
        edges = zip(graph.source, graph.relation, graph.neighbour, graph.time, strict=True)
        mask = visible_graph(graph, batch.view).mask
        assert {tuple(map(int, edge)) for edge, seen in zip(edges, mask, strict=True) if not seen} == asked


def test_facts_that_train_repeats_may_stay_in_sight() -> None:
    once = [(0, 0, 1, 3), (1, 1, 2, 3), (2, 0, 3, 4)]
    twice = [(0, 0, 2, 3), (3, 1, 0, 4)]
    facts = Facts(*np.array([*once, *twice, *twice]).T)
    graph = graph_of(facts)
    for repeats, kept in (("hidden", []), ("visible", twice)):
        plan = plan_of(facts, choices(batch_size=4, repeats=repeats), graph=graph)
        batches = [plan[index] for index in range(len(plan))]
        assert sum((Counter(rows(batch)) for batch in batches), Counter()) == expected_rows(facts)
        hidden = set().union(*(batch.facts.tolist() for batch in batches))
        stay = graph.find_facts(*np.array(kept, int).reshape(-1, 4).T).tolist()
        assert hidden == set(range(graph.num_facts)) - set(stay)


@settings(max_examples=30, deadline=None)
@given(facts=facts_strategy, config=config_strategy, epoch=st.integers(0, 3))
def test_same_seed_and_epoch_give_the_same_batches(facts: Facts, config: Choices, epoch: int) -> None:
    first, again = plan_of(facts, config, epoch), plan_of(facts, config, epoch)
    assert len(first) == len(again)
    assert first.sampling_seed == again.sampling_seed
    for index in reversed(range(len(again))):  # a batch does not depend on the ones asked for before
        assert rows(first[index]) == rows(again[index])


@settings(max_examples=40, deadline=None)
@given(facts=facts_strategy, config=config_strategy)
def test_queries_that_walk_together_share_a_batch(facts: Facts, config: Choices) -> None:
    plan = plan_of(facts, config)
    homes: dict[tuple[int, int, int], list[int]] = {}
    for index in range(len(plan)):
        for s, r, _, t in rows(plan[index]):
            homes.setdefault((s, r, t), []).append(index)
    for batches in homes.values():
        if config.settings.directions == "apart" and config.settings.siblings == "together":
            assert len(set(batches)) == -(-len(batches) // config.training.batch_size)


def test_epochs_and_seeds_differ() -> None:
    facts = random_facts(0, facts=200, entities=6, relations=RELATIONS, days=10)
    config = choices(batch_size=8)
    plans = [plan_of(facts, config, 0), plan_of(facts, config, 1), plan_of(facts, choices(batch_size=8, seed=1))]
    first = [tuple(rows(plan[0])) for plan in plans]
    assert len(set(first)) == 3
    assert len({plan.sampling_seed for plan in plans}) == 3


def forty_answers(**settings: Any) -> list[HiddenBatch]:
    """Batches of eight, where one (s, r, t) has forty answers."""
    count = 40
    facts = Facts(np.zeros(count, int), np.zeros(count, int), np.arange(count), np.zeros(count, int))
    graph = TemporalGraph.build(count, RELATIONS, *facts.columns)
    config = choices(batch_size=8, hidden_share=1.0, **settings)
    plan = plan_of(facts, config, graph=graph)
    return [plan[index] for index in range(len(plan))]


def test_siblings_apart_are_dealt_like_strangers_and_together_share_batches() -> None:
    def siblings(choice: str) -> list[int]:
        batches = forty_answers(siblings=choice, directions="apart")
        return sorted(int((batch.queries.relation == 0).sum()) for batch in batches)

    apart = siblings("apart")
    assert len(apart) == 10
    assert 1 <= apart[0] <= apart[-1] <= 7
    assert siblings("together") == [0] * 5 + [8] * 5


@pytest.mark.parametrize("choice", ["apart", "together"])
def test_most_siblings_of_a_large_group_stay_visible(choice: str) -> None:
    assert [len(batch.facts) for batch in forty_answers(siblings=choice)] == [4] * 10


def test_directions_together_hide_half_as_much() -> None:
    facts = random_facts(0, facts=400, entities=6, relations=RELATIONS, days=4)
    distinct = Facts(*np.unique(np.stack(facts.columns, axis=1), axis=0).T)
    shares = {}
    for directions in ("apart", "together"):
        plan = plan_of(distinct, choices(batch_size=200, days_per_batch=0, directions=directions))
        batches = [plan[index] for index in range(len(plan))]
        shares[directions] = sum(len(batch.facts) for batch in batches) / sum(len(batch) for batch in batches)
    assert shares["together"] == pytest.approx(0.5, abs=0.05)
    assert shares["apart"] > 0.75


def test_a_day_is_divided_evenly_and_thin_days_are_pooled() -> None:
    random = np.random.default_rng(0)
    many = np.arange(80)
    full = Facts(many, random.integers(0, 3, 80), 80 + many, np.zeros(80, dtype=np.int64))
    thin = Facts(many[:20], many[:20] * 0, 80 + many[:20], 1 + np.arange(20))  # one fact a day
    both = Facts.concatenate([full, thin])
    config = choices(batch_size=30, hidden_share=1.0, directions="apart")
    graph = TemporalGraph.build(160, 3, both.subject, both.relation, both.object, both.time)

    def sizes(facts: Facts) -> list[int]:
        plan = plan_of(facts, config, graph=graph)
        return sorted(len(plan[index]) for index in range(len(plan)))

    assert sizes(full) == [26, 26, 27, 27, 27, 27]
    assert min(sizes(both)) >= 15
    assert len(sizes(both)) <= 9  # 200 queries; without pooling there would be 26 batches


@pytest.mark.parametrize("directions", ["apart", "together"])
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_batch_hides_about_the_allowed_share_of_a_day(directions: Literal["apart", "together"], share: float) -> None:
    facts = random_facts(2, facts=1200, entities=6, relations=RELATIONS, days=100)
    config = choices(batch_size=16, hidden_share=share, directions=directions)
    plan = plan_of(facts, config)
    on_day = np.bincount(facts.time)
    shares: list[float] = []
    for index in range(len(plan)):
        times, hidden = np.unique(plan[index].queries.time, return_counts=True)
        asked = hidden / 2 if directions == "together" else hidden
        shares.extend(asked / on_day[times])
    assert np.mean(shares) <= 1.5 * share
    unlimited = plan_of(facts, choices(batch_size=16, hidden_share=1.0, directions=directions))
    assert len(np.unique(unlimited[0].queries.time)) == 1


def test_batches_of_one_day_hold_one_day() -> None:
    facts = random_facts(1, facts=600, entities=6, relations=RELATIONS, days=5)
    for days in (1, 2):
        plan = plan_of(facts, choices(batch_size=32, days_per_batch=days))
        spread = [len(np.unique(plan[index].queries.time)) for index in range(len(plan))]
        assert max(spread) <= days


def test_a_batch_describes_itself() -> None:
    facts = Facts(np.array([3]), np.array([1]), np.array([4]), np.array([7]))
    text = plan_of(facts, choices(), epoch=1)[0].describe()
    assert text.startswith("epoch 2, batch 1 (2 queries at times 7;")
    assert "(3, 1, 4, 7)" in text


@settings(max_examples=40, deadline=None)
@given(facts=facts_strategy, siblings=st.sampled_from(["apart", "together"]), size=st.integers(1, 20))
def test_a_batch_knows_all_true_answers_of_its_queries_if_they_step_aside(
    facts: Facts, siblings: str, size: int
) -> None:
    plan = plan_of(facts, choices(batch_size=size, siblings=siblings, other_answers="aside"))
    for index in range(len(plan)):
        batch = plan[index]
        assert batch.true is not None
        found = list(zip(*(column.tolist() for column in batch.true), strict=True))
        wanted = {
            (place, other)
            for place, (s, r, _, t) in enumerate(rows(batch))
            for (a, b, other, d) in expected_rows(facts)
            if (a, b, d) == (s, r, t)
        }
        assert len(found) == len(set(found))
        assert set(found) == wanted


def test_all_entities_compete_by_default() -> None:
    facts = random_facts(1, facts=20, entities=6, relations=RELATIONS, days=3)
    assert plan_of(facts, choices())[0].true is None


def intervals(by_interval: bool) -> Dataset:
    """Eight intervals of one year each; those of entities 6 and 7 are in valid: both ends, or the ends alone."""
    starts = [Fact(entity, 0, 8, 10 * entity) for entity in range(8)]
    ends = [Fact(entity, 1, 8, 10 * entity + 1) for entity in range(8)]
    held = (starts if by_interval else []) + ends
    valid = [fact for fact in held if fact.subject > 5]
    train = [fact for fact in starts + ends if fact not in valid]
    names = Vocabulary("ABCDEFGHI", "entity"), Vocabulary(["leads-since", "leads-until"], "relation")
    return Dataset("mine", *names, Timeline("year", 0, 99, "%d"), Facts.of(train), Facts.of(valid), Facts.of([]))


@pytest.mark.parametrize(
    ("by_interval", "twins", "hides"),
    [(True, "auto", True), (False, "auto", False), (True, "visible", False), (False, "hidden", True)],
)
def test_the_other_end_of_an_interval_is_hidden_where_valid_has_none(
    by_interval: bool, twins: Literal["auto", "hidden", "visible"], hides: bool
) -> None:
    dataset = intervals(by_interval)
    config = choices(batch_size=4, twins=twins)
    found = hidden_twins(dataset, config.settings)
    assert (found is not None) == hides
    graph = TemporalGraph.of(dataset)
    queries = TrainingQueries.of(dataset.train, graph, config.settings, 4, found)
    plan = EpochPlan(queries, config.settings, config.training, 0)
    seen = 0
    for batch in (plan[index] for index in range(len(plan))):
        asked = {(s, r % 2, o, t) if r < 2 else (o, r % 2, s, t) for s, r, o, t in rows(batch)}
        twin_times = {(s, 1 - r, o, t + 1 - 2 * r) for s, r, o, t in asked}
        everything = dataset.train
        graph_ids = graph.find_facts(*everything.columns)
        out = {tuple(everything[place]) for place in np.flatnonzero(np.isin(graph_ids, batch.facts))}
        there = twin_times & {tuple(fact) for fact in everything}
        assert asked <= out
        assert out == (asked | there if hides else asked)
        seen += len(there - asked)
    assert seen > 0  # the twins were not all asked about themselves
