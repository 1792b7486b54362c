"""Both directions of every fact, samples, and queries that are asked once for several answers."""

from __future__ import annotations

import numpy as np
import pytest

from tgap.data import Facts
from tgap.errors import EvaluationError
from tgap.evaluation.queries import group, queries_of
from tgap.scorer import QueryBatch


@pytest.fixture
def facts() -> Facts:
    """Three facts, two of which ask the same tail query."""
    columns = ([0, 0, 3], [1, 1, 0], [2, 4, 0], [9, 9, 5])
    return Facts(*(np.array(column) for column in columns))


def test_tail_and_head_of_every_fact(facts: Facts) -> None:
    queries = queries_of(facts, num_relations=2)
    assert queries.batch.subject.tolist() == [0, 0, 3, 2, 4, 0]
    assert queries.batch.relation.tolist() == [1, 1, 0, 3, 3, 2]
    assert queries.batch.time.tolist() == [9, 9, 5, 9, 9, 5]
    assert queries.answer.tolist() == [2, 4, 0, 0, 0, 3]
    assert queries.head.tolist() == [False] * 3 + [True] * 3
    assert queries.fact.tolist() == [0, 1, 2, 0, 1, 2]


def test_equal_queries_share_a_group_and_groups_follow_time(facts: Facts) -> None:
    queries = queries_of(facts, num_relations=2)
    grouping = group(queries.batch)
    assert len(grouping) == 5
    assert grouping.group[0] == grouping.group[1]
    assert (np.diff(grouping.batch.time) >= 0).all()
    again = grouping.batch.take(grouping.group)
    for name in ("subject", "relation", "time"):
        np.testing.assert_array_equal(getattr(again, name), getattr(queries.batch, name))
    for g in range(len(grouping)):
        members = grouping.member[grouping.start[g] : grouping.start[g + 1]]
        assert (grouping.group[members] == g).all()


def test_no_queries_make_no_groups() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert len(group(QueryBatch(nothing, nothing, nothing))) == 0


def test_sample_is_fixed_by_its_seed(facts: Facts) -> None:
    queries = queries_of(facts, num_relations=2)
    one, same = queries.sample(3, seed=1), queries.sample(3, seed=1)
    assert len(one) == 3
    assert one.available == 6
    np.testing.assert_array_equal(one.fact, same.fact)
    drawn = {
        tuple(zip(s.fact.tolist(), s.head.tolist(), strict=True)) for s in (queries.sample(3, k) for k in range(8))
    }
    assert len(drawn) > 1
    assert queries.sample(100, seed=0) is queries


def test_sample_of_nothing_is_an_error(facts: Facts) -> None:
    with pytest.raises(EvaluationError, match="at least 1"):
        queries_of(facts, num_relations=2).sample(0, seed=0)
