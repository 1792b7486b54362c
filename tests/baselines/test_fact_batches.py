"""The epoch of a baseline: every query once, an order that the seed decides, and times that stay together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.baselines.fact_batches import ShuffledPlan
from tgap.data import Facts
from tgap.data.facts import both_directions

N, R = 9, 3


def facts_of(count: int, times: int = 5, seed: int = 0) -> Facts:
    random = np.random.default_rng(seed)
    table = random.integers(0, (N, R, N, times), (count, 4))
    return both_directions(Facts(*(table[:, column].copy() for column in range(4))), R)


def rows_of(plan: ShuffledPlan) -> list[tuple[int, ...]]:
    rows: list[tuple[int, ...]] = []
    for index in range(len(plan)):
        batch = plan[index]
        columns = (batch.queries.subject, batch.queries.relation, batch.answers, batch.queries.time)
        rows += zip(*(column.tolist() for column in columns), strict=True)
    return rows


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 50), st.booleans(), st.integers(0, 3))
def test_every_query_stands_in_one_batch(count: int, batch_size: int, by_time: bool, epoch: int) -> None:
    facts = facts_of(count)
    plan = ShuffledPlan(facts, N, epoch=epoch, seed=0, batch_size=batch_size, by_time=by_time)
    sizes = [len(plan[index]) for index in range(len(plan))]
    assert max(sizes) <= batch_size
    assert max(sizes) - min(sizes) <= 1
    assert sorted(rows_of(plan)) == sorted(tuple(fact) for fact in facts)


@pytest.mark.parametrize("by_time", [False, True])
def test_the_order_is_a_function_of_seed_and_epoch(by_time: bool) -> None:
    def rows(seed: int, epoch: int) -> list[tuple[int, ...]]:
        return rows_of(ShuffledPlan(facts_of(40), N, epoch=epoch, seed=seed, batch_size=7, by_time=by_time))

    assert rows(0, 0) == rows(0, 0)
    assert rows(0, 0) != rows(0, 1)
    assert rows(0, 0) != rows(1, 0)


def test_times_stay_together_where_they_cost() -> None:
    plan = ShuffledPlan(facts_of(500, times=50), N, epoch=0, seed=0, batch_size=50, by_time=True)
    distinct = [len(np.unique(plan[index].queries.time)) for index in range(len(plan))]
    mixed = ShuffledPlan(facts_of(500, times=50), N, epoch=0, seed=0, batch_size=50)
    assert max(distinct) <= 6
    assert min(len(np.unique(mixed[index].queries.time)) for index in range(len(mixed))) > 20


def test_random_entities_are_drawn_anew_for_every_batch_and_the_same_again_for_one() -> None:
    plan = ShuffledPlan(facts_of(40), N, epoch=0, seed=0, batch_size=10, negatives=200)
    assert plan[0].negatives.tolist() == plan[0].negatives.tolist()
    assert plan[0].negatives.tolist() != plan[1].negatives.tolist()
    assert np.unique(plan[0].negatives).tolist() == list(range(N))
    assert len(ShuffledPlan(facts_of(40), N, epoch=0, seed=0, batch_size=10)[0].negatives) == 0


def test_a_batch_names_itself_and_ends_where_the_plan_ends() -> None:
    plan = ShuffledPlan(facts_of(5), N, epoch=1, seed=0, batch_size=4)
    assert plan[2].describe().startswith("epoch 2, batch 3 (3 queries; the first as (subject, relation, answer, time)")
    with pytest.raises(IndexError, match="batch 3 of 3"):
        plan[3]
