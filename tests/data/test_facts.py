"""Facts are a sequence of facts and four columns at once, and both print themselves."""

from __future__ import annotations

import numpy as np
import pytest

from tgap.data import Dataset, Fact, Facts, Timeline, Vocabulary, load_dataset

ROWS = [Fact(3, 0, 1, 10), Fact(1, 0, 3, 12), Fact(2, 1, 0, 12)]
FACTS = Facts.of(ROWS)


def test_length_is_the_number_of_facts() -> None:
    assert len(FACTS) == 3
    assert len(Facts.of([])) == 0
    assert not Facts.of([])
    assert len(load_dataset("world").train) == 4780


def test_it_is_a_sequence_of_facts() -> None:
    assert list(FACTS) == ROWS
    assert (FACTS[0], FACTS[-1], FACTS[np.int64(1)]) == (ROWS[0], ROWS[2], ROWS[1])
    assert all(type(value) is int for fact in FACTS for value in fact)
    with pytest.raises(IndexError):
        FACTS[3]


@pytest.mark.parametrize(
    ("index", "rows"),
    [
        (slice(1, None), ROWS[1:]),
        (np.array([2, 0]), [ROWS[2], ROWS[0]]),
        (FACTS.time == 12, ROWS[1:]),
        (slice(0, 0), []),
    ],
)
def test_several_are_taken_as_from_an_array(index: slice | np.ndarray, rows: list[Fact]) -> None:
    assert list(FACTS[index]) == rows


def test_columns_are_arrays_of_one_length() -> None:
    assert [column.tolist() for column in FACTS.columns] == [[3, 1, 2], [0, 0, 1], [1, 3, 0], [10, 12, 12]]
    assert list(Facts.concatenate([FACTS, FACTS[:1]])) == [*ROWS, ROWS[0]]
    assert list(Facts.concatenate([])) == []
    one, two = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    with pytest.raises(AssertionError, match="a value in every column"):
        Facts(one, one, one, two)


def test_they_print_themselves() -> None:
    assert repr(FACTS) == "<3 facts, times 10 to 12>"
    assert repr(FACTS[:1]) == "<1 fact, times 10 to 10>"
    assert repr(FACTS[:0]) == "<0 facts>"
    assert repr(load_dataset("world")) == (
        "<Dataset world: 150 entities, 17 relations, train 4,780, valid 598, test 598, 2012-01-01 to 2013-12-31 by day>"
    )
    names = Vocabulary("abcd")
    steps = Dataset("mine", names, names, Timeline("integer", 5, 9, "%d"), FACTS, FACTS, FACTS)
    assert repr(steps).endswith("5 to 9 by step>")


def test_facts_of_an_entity_are_found_by_a_pass_and_then_by_an_index() -> None:
    random = np.random.default_rng(0)
    facts = Facts(*(random.integers(0, 9, 200) for _ in range(4)))
    facts = facts[facts.subject != 3]
    for _ in range(2):  # the first question of each is a pass over the column
        for entity in (5, 3, 0, 8, 9, 2**40, -1):
            np.testing.assert_array_equal(facts.with_subject(entity), np.flatnonzero(facts.subject == entity))
            np.testing.assert_array_equal(facts.with_object(entity), np.flatnonzero(facts.object == entity))
    nothing = Facts.of([])
    assert [len(nothing.with_subject(0)) for _ in range(2)] == [0, 0]
