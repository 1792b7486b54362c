"""The two filters: who is true for (s, r), and who for (s, r, t)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tgap.data import Facts
from tgap.errors import EvaluationError
from tgap.evaluation.filters import Filters
from tgap.scorer import Query, QueryBatch


def facts(*events: tuple[int, int, int, int]) -> Facts:
    table = np.array(events, dtype=np.int64).reshape(len(events), 4)
    return Facts(*(column.copy() for column in table.T))


@pytest.fixture
def filters() -> Filters:
    """R = 2; the same (0, 1) answered in all three splits, one fact repeated."""
    return Filters.build(
        5, 2, [facts((0, 1, 2, 10), (0, 1, 2, 10), (0, 1, 3, 20)), facts((0, 1, 4, 10)), facts((0, 1, 1, 10))]
    )


def known(filters: Filters, query: Query) -> tuple[list[int], list[int]]:
    batch = QueryBatch.of([query])
    begin, end = filters.static_rows(batch)
    static = filters.static.members[begin[0] : end[0]].tolist()
    begin, end = filters.time_rows(batch)
    return static, filters.time.members[begin[0] : end[0]].tolist()


def test_all_splits_count_and_only_time_filter_looks_at_the_time(filters: Filters) -> None:
    assert known(filters, Query(0, 1, 10)) == ([1, 2, 3, 4], [1, 2, 4])
    assert known(filters, Query(0, 1, 20)) == ([1, 2, 3, 4], [3])


def test_heads_are_filtered_by_the_inverse_relation(filters: Filters) -> None:
    assert known(filters, Query(3, 1 + 2, 20)) == ([0], [0])
    assert known(filters, Query(3, 1, 20)) == ([], [])


def test_times_without_facts_have_no_true_answers(filters: Filters) -> None:
    for time in (-5, 15, 999):
        assert known(filters, Query(0, 1, time)) == ([1, 2, 3, 4], [])


def test_negative_times_and_no_facts_at_all() -> None:
    early = Filters.build(3, 1, [facts((0, 0, 1, -40), (0, 0, 2, 3))])
    assert known(early, Query(0, 0, -40)) == ([1, 2], [1])
    assert known(Filters.build(3, 1, [facts()]), Query(0, 0, 0)) == ([], [])


def test_filters_cannot_be_changed(filters: Filters) -> None:
    with pytest.raises(ValueError, match="read-only"):
        filters.time.members[0] = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        filters.time = filters.static  # type: ignore[misc]


def test_too_large_for_a_key_is_a_clear_error() -> None:
    with pytest.raises(EvaluationError, match="coarser time unit"):
        Filters.build(2**40, 2**30, [facts((0, 0, 1, 0))])
