"""Divisions: whole, disjoint, deterministic, and true to their rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.data import SPLIT_RULES, Facts, split_facts
from tgap.data.facts import Fact, fact_keys, in_order
from tgap.data.splits import SplitRule
from tgap.errors import DataError


def many(count: int = 1000, times: int = 50) -> Facts:
    random = np.random.default_rng(0)
    return Facts(*(random.integers(0, bound, count) for bound in (20, 5, 20, times)))


@pytest.mark.parametrize("rule", SPLIT_RULES)
def test_nothing_is_lost_and_copies_stay_together(rule: SplitRule) -> None:
    facts = Facts.concatenate([many(), many()[:200]])
    parts = split_facts(facts, rule)
    whole, *keys = fact_keys([in_order(facts), *parts])
    assert np.sort(np.concatenate(keys)).tolist() == np.sort(whole).tolist()
    assert not any(np.intersect1d(keys[a], keys[b]).size for a, b in ((0, 1), (0, 2), (1, 2)))


@pytest.mark.parametrize("rule", SPLIT_RULES)
def test_order_does_not_matter_and_seed_does(rule: SplitRule) -> None:
    facts = many()
    shuffled = facts[np.random.default_rng(1).permutation(len(facts))]
    for one, two in zip(split_facts(facts, rule), split_facts(shuffled, rule), strict=True):
        assert list(one) == list(two)
    other = split_facts(facts, rule, seed=1)
    same = list(split_facts(facts, rule)[2]) == list(other[2])
    assert same == (rule == "chronological")


def test_random_shares() -> None:
    facts = Facts(np.arange(1000), *(np.zeros(1000, dtype=np.int64) for _ in range(3)))
    assert [len(part) for part in split_facts(facts, "random")] == [800, 100, 100]
    assert [len(part) for part in split_facts(facts, "random", shares=(0.5, 0.2, 0.3))] == [500, 200, 300]
    with pytest.raises(DataError, match="must add up to 1"):
        split_facts(facts, "random", shares=(0.5, 0.2, 0.2))


def test_chronological_cuts_between_instants() -> None:
    train, valid, test = split_facts(many(5000), "chronological")
    assert train.time.max() < valid.time.min()
    assert valid.time.max() < test.time.min()
    assert abs(len(train) / 5000 - 0.8) < 0.03
    with pytest.raises(DataError, match="at least 3 different times"):
        split_facts(many(10, times=2), "chronological")


def test_unseen_times_hold_out_every_tenth_instant() -> None:
    train, valid, test = split_facts(many(5000), "unseen-times")
    assert np.unique(np.concatenate([valid.time, test.time])).tolist() == [4, 14, 24, 34, 44]
    assert not np.isin([4, 14, 24, 34, 44], train.time).any()
    assert abs(len(valid) - len(test)) < 20
    with pytest.raises(DataError, match="at least 10 different times, the data has 3"):
        split_facts(many(100, times=3), "unseen-times")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*(st.integers(-(2**40), 2**40) for _ in range(4))), max_size=12))
def test_keys_are_equal_exactly_for_equal_facts(rows: list[tuple[int, int, int, int]]) -> None:
    facts = Facts.of([Fact(*row) for row in rows])
    (keys,) = fact_keys([facts])
    assert len(set(keys.tolist())) == len(set(rows))
    ordered = in_order(facts)
    (sorted_keys,) = fact_keys([ordered])
    assert (np.diff(sorted_keys) >= 0).all()
    assert list(ordered) == sorted(rows, key=lambda row: (row[3], *row[:3]))


def intervals(count: int) -> tuple[Facts, np.ndarray]:
    """Starts (relation 0) and ends (1) of intervals, some of them several for one pair, beside plain events (2)."""
    random = np.random.default_rng(3)
    subject, obj, start = (random.integers(0, bound, count) for bound in (30, 30, 40))
    zeros, ones = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int64)
    starts = Facts(subject, zeros, obj, start)
    ends = Facts(subject, ones, obj, start + random.integers(0, 9, count))
    return Facts.concatenate([starts, ends, Facts(subject, 2 * ones, obj, start)]), np.array([1, 0, -1])


def test_both_ends_of_an_interval_go_to_one_split() -> None:
    facts, partner = intervals(2000)
    parts = split_facts(facts, "random", partner=partner)
    homes = [{(s, o) for s, r, o, _ in part if r < 2} for part in parts]
    assert not any(homes[a] & homes[b] for a, b in ((0, 1), (0, 2), (1, 2)))
    apart = split_facts(facts, "random")
    assert {(s, o) for s, r, o, _ in apart[0] if r < 2} & {(s, o) for s, r, o, _ in apart[2] if r < 2}
    assert sum(map(len, parts)) == len(facts)
    for part, share in zip(parts, (0.8, 0.1, 0.1), strict=True):
        assert abs(len(part) / len(facts) - share) < 0.01
    assert list(parts[2]) == list(split_facts(facts[::-1], "random", partner=partner)[2])


def test_rules_by_time_do_not_heed_intervals() -> None:
    facts, partner = intervals(500)
    for rule in ("chronological", "unseen-times"):
        for one, two in zip(split_facts(facts, rule), split_facts(facts, rule, partner=partner), strict=True):
            assert list(one) == list(two)


def test_shares_are_never_ignored() -> None:
    with pytest.raises(DataError, match="unseen-times split keeps every tenth instant out of train and takes no share"):
        split_facts(many(), "unseen-times", shares=(0.5, 0.25, 0.25))
