"""Near copies: twins, mirrors and pairs found exactly as a plain search finds them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.data import CATALOG, Dataset, Fact, Facts, LeakWarning, Timeline, Vocabulary, catalog, load_dataset
from tgap.data.near_copies import (
    IntervalEnds,
    TwinsInTrain,
    has_mirror,
    has_pair,
    has_twin,
    interval_ends,
    near_copies,
    other_ends,
    twins_in_train,
)

RELATIONS = Vocabulary(["leads-since", "leads-until", "lone-since", "meets"], "relation")
ENDS = interval_ends(RELATIONS)

rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(-2, 3)).map(lambda row: Fact(*row)),
    max_size=25,
)


def test_starts_and_ends_are_paired_by_name() -> None:
    assert ENDS.partner.tolist() == [1, 0, -1, -1]
    assert ENDS.start.tolist() == [True, False, False, False]
    other = interval_ends(Vocabulary(["P54-occurUntil", "P54-occurSince", "-since", "-until"]))  # in any order
    assert other.partner.tolist() == [1, 0, 3, 2]
    assert other.start.tolist() == [False, True, True, False]


def twin_by_hand(fact: Fact, known: list[Fact]) -> bool:
    def fits(other: Fact) -> bool:
        ends = {(0, 1): fact.time <= other.time, (1, 0): other.time <= fact.time}
        return other[::2] == fact[::2] and ends.get((fact.relation, other.relation), False)

    return any(map(fits, known))


@settings(max_examples=200, deadline=None)
@given(rows, rows)
def test_all_three_agree_with_a_plain_search(asked: list[Fact], known: list[Fact]) -> None:
    facts, train = Facts.of(asked), Facts.of(known)
    assert has_twin(facts, train, ENDS).tolist() == [twin_by_hand(fact, known) for fact in asked]
    assert has_mirror(facts, train).tolist() == [
        s != o and any((o, r, s, t) == other for other in known) for s, r, o, t in asked
    ]
    assert has_pair(facts, train).tolist() == [
        any({s, o} == {other.subject, other.object} and t == other.time and other != (s, r, o, t) for other in known)
        for s, r, o, t in asked
    ]


def test_an_end_belongs_to_the_last_start_that_is_still_open() -> None:
    starts = [Fact(0, 0, 1, 1), Fact(0, 0, 1, 4), Fact(0, 0, 1, 9), Fact(2, 0, 1, 4)]
    ends = [Fact(0, 1, 1, 4), Fact(0, 1, 1, 6), Fact(0, 1, 1, 0), Fact(2, 1, 0, 5)]
    other = other_ends(Facts.of([*starts, *ends, Fact(0, 3, 1, 4)]), ENDS).tolist()
    assert other == [5, 4, -1, -1, 1, 0, -1, -1, -1]  # 4 to 4 inside of 1 to 6; 9 is open; 0 and (2, 0) end nothing


@settings(max_examples=200, deadline=None)
@given(rows)
def test_other_ends_are_pairs_of_a_start_and_a_later_end(known: list[Fact]) -> None:
    facts = Facts.of(known)
    other = other_ends(facts, ENDS).tolist()
    for place, end in enumerate(other):
        if end >= 0:
            assert other[end] == place
            assert twin_by_hand(known[place], [known[end]])
    left = [known[place] for place, end in enumerate(other) if end < 0]
    assert not any(twin_by_hand(fact, left) for fact in left)


def test_whether_twins_are_in_sight_differs_between_train_and_valid() -> None:
    names = Vocabulary("ABC", "entity")
    both = [Fact(0, 0, 1, 3), Fact(0, 1, 1, 5), Fact(1, 0, 2, 2), Fact(1, 1, 2, 3)]
    line = Timeline("year", 0, 9, "%d")

    def counted(train: list[Fact], valid: list[Fact]) -> TwinsInTrain:
        parts = (Facts.of(train), Facts.of(valid), Facts.of([]))
        return twins_in_train(Dataset("mine", names, RELATIONS, line, *parts))

    by_interval = counted(both[:2], both[2:])
    assert by_interval == (2, 2, 0, 2)
    assert by_interval.differ
    by_fact = counted(both[:3], both[3:])
    assert by_fact == (2, 3, 1, 1)
    assert not by_fact.differ
    assert not counted([Fact(0, 3, 1, 3)], [Fact(0, 3, 1, 4)]).differ


@pytest.mark.parametrize(
    ("name", "counts", "differ"),
    [
        ("wikidata12k", (53_696, 59_632, 263, 7_726), True),
        ("yago11k", (17_892, 25_402, 0, 3_291), True),
        ("wikidata11k", (95_350, 121_422, 12_003, 14_374), False),
        ("icews14", (0, 72_826, 0, 8_941), False),
    ],
)
def test_own_twins_of_public_datasets(name: str, counts: tuple[int, ...], differ: bool) -> None:
    if catalog.find_files(name) is None:
        pytest.skip(f"{name} is not here; tgap data download {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)
        found = twins_in_train(load_dataset(name))
    assert (found, found.differ) == (counts, differ)


def test_of_a_split_against_train() -> None:
    names = Vocabulary("ABC", "entity")
    train = Facts.of([Fact(0, 0, 1, 3), Fact(1, 3, 0, 7)])
    test = Facts.of([Fact(0, 1, 1, 5), Fact(0, 3, 1, 7), Fact(0, 0, 1, 7), Fact(2, 3, 1, 7)])
    found = near_copies(Dataset("mine", names, RELATIONS, Timeline("year", 0, 9, "%d"), train, test[:0], test), test)
    assert found.twin.tolist() == [True, False, False, False]
    assert found.mirror.tolist() == [False, True, False, False]
    assert found.pair.tolist() == [False, True, True, False]
    assert found.any.tolist() == [True, True, True, False]


@pytest.mark.parametrize(
    ("name", "counts"), [("icews14", (0, 1638, 3785)), ("wikidata11k-clean", (9369, 3, 6574)), ("world", (0, 0, 7))]
)
def test_counts_of_public_test_splits(name: str, counts: tuple[int, int, int]) -> None:
    if name != "world" and catalog.find_files(CATALOG[name].parent or name) is None:
        pytest.skip(f"{name} is not here; tgap data download {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)
        dataset = load_dataset(name)
    assert tuple(int(mask.sum()) for mask in near_copies(dataset, dataset.test)) == counts


def test_nothing_has_near_copies_in_nothing() -> None:
    none = Facts.of([])
    one = Facts.of([Fact(0, 0, 1, 3)])
    empty = IntervalEnds(np.empty(0, dtype=np.int64), np.empty(0, dtype=bool))
    assert not has_twin(one, none, ENDS).any()
    assert not has_mirror(one, none).any()
    assert not has_pair(one, none).any()
    assert len(has_twin(none, none, empty)) == 0
