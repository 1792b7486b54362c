"""True answers: who is true for (s, r) at any time, and who at exactly t."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tgap.data import Dataset, Facts
from tgap.errors import EvaluationError
from tgap.evaluation.queries import queries_of
from tgap.evaluation.true_answers import TrueAnswers, answering_facts, answers_of
from tgap.scorer import Query, QueryBatch


def facts(*events: tuple[int, int, int, int]) -> Facts:
    table = np.array(events, dtype=np.int64).reshape(len(events), 4)
    return Facts(*(column.copy() for column in table.T))


@pytest.fixture
def answers() -> TrueAnswers:
    """R = 2; the same (0, 1) answered in all three splits, one fact repeated."""
    train = facts((0, 1, 2, 10), (0, 1, 2, 10), (0, 1, 3, 20))
    return TrueAnswers(5, 2, {"train": train, "valid": facts((0, 1, 4, 10)), "test": facts((0, 1, 1, 10))})


def known(answers: TrueAnswers, query: Query, *splits: str) -> tuple[list[int], list[int]]:
    """True answers at any time, and at that time."""
    batch = QueryBatch.of([query])
    tables = (answers.at_any_time(*splits), answers.at_that_time(*splits))
    any_time, that_time = (table.rows(batch).of(0).tolist() for table in tables)
    return any_time, that_time


def test_all_splits_count_and_only_one_table_looks_at_the_time(answers: TrueAnswers) -> None:
    assert known(answers, Query(0, 1, 10)) == ([1, 2, 3, 4], [1, 2, 4])
    assert known(answers, Query(0, 1, 20)) == ([1, 2, 3, 4], [3])


def test_some_splits_alone(answers: TrueAnswers) -> None:
    assert known(answers, Query(0, 1, 10), "train") == ([2, 3], [2])
    assert known(answers, Query(0, 1, 10), "valid", "test") == ([1, 4], [1, 4])


def test_a_table_is_made_once(answers: TrueAnswers) -> None:
    assert answers.at_that_time() is answers.at_that_time("test", "train", "valid")
    assert answers.at_that_time() is not answers.at_any_time()


def test_heads_are_answered_by_the_inverse_relation(answers: TrueAnswers) -> None:
    assert known(answers, Query(3, 1 + 2, 20)) == ([0], [0])
    assert known(answers, Query(3, 1, 20)) == ([], [])


def test_times_without_facts_have_no_true_answers(answers: TrueAnswers) -> None:
    for time in (-5, 15, 999):
        assert known(answers, Query(0, 1, time)) == ([1, 2, 3, 4], [])


def test_negative_times_and_no_facts_at_all() -> None:
    early = TrueAnswers(3, 1, {"train": facts((0, 0, 1, -40), (0, 0, 2, 3))})
    assert known(early, Query(0, 0, -40)) == ([1, 2], [1])
    assert known(TrueAnswers(3, 1, {"train": facts()}), Query(0, 0, 0)) == ([], [])


def test_counts_and_membership_of_several_queries(answers: TrueAnswers) -> None:
    batch = QueryBatch.of([Query(0, 1, 10), Query(4, 0, 10), Query(0, 1, 20)])
    rows = answers.at_that_time().rows(batch)
    assert rows.count.tolist() == [3, 0, 1]
    asked = np.array([[1, 3], [1, 3], [1, 3]])
    assert rows.contain(asked, 5).tolist() == [[True, False], [False, False], [False, True]]


def test_tables_cannot_be_changed(answers: TrueAnswers) -> None:
    table = answers.at_that_time()
    with pytest.raises(ValueError, match="read-only"):
        table.members[0] = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.members = answers.at_any_time().members  # type: ignore[misc]


def test_too_large_for_a_key_is_a_clear_error() -> None:
    answers = TrueAnswers(2**40, 2**30, {"train": facts((0, 0, 1, 0))})
    with pytest.raises(EvaluationError, match="coarser time unit"):
        answers.at_that_time()


def test_one_query_by_a_pass_over_the_facts_equals_the_table(dataset: Dataset) -> None:
    tables = TrueAnswers.of(dataset)
    for part in dataset.splits.values():
        batch = queries_of(part, dataset.num_relations).batch
        now, ever = tables.at_that_time().rows(batch), tables.at_any_time().rows(batch)
        for k in range(len(batch)):
            query = Query(int(batch.subject[k]), int(batch.relation[k]), int(batch.time[k]))
            assert answers_of(dataset, query).tolist() == now.of(k).tolist()
            found = answering_facts(dataset, query)
            assert {fact.object for facts in found.values() for fact in facts} == set(ever.of(k).tolist())


def test_answering_facts_keep_their_split_and_answer_as_objects(dataset: Dataset) -> None:
    """Who visits Ben? Ann does, on days 0 and 9 in train and on day 6 in test."""
    found = answering_facts(dataset, Query(1, 1 + dataset.num_relations, 6))
    assert {split: [tuple(fact) for fact in facts] for split, facts in found.items()} == {
        "train": [(1, 3, 0, 0), (1, 3, 0, 9)],
        "valid": [],
        "test": [(1, 3, 0, 6)],
    }
