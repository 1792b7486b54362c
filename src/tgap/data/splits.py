"""How facts are divided into train, valid and test. Every rule is deterministic and keeps copies of a fact together.

random          facts at random (fixed seed), 80 / 10 / 10 unless told otherwise; where intervals are known, all starts
                and ends between two entities under one relation go together, for one all but gives away the other
chronological   the earliest to train, the latest to test; cut between two instants, so no instant is in two splits
unseen-times    every tenth instant of the data (the 5th, 15th, 25th ...) is kept out of train; its facts are divided
                at random into halves, valid and test: can a question be answered at a time that train never saw?
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from tgap.data.facts import Facts, Int64Array, fact_keys, in_order
from tgap.data.splitmix import random_order
from tgap.errors import DataError

SplitRule = Literal["random", "chronological", "unseen-times"]
SPLIT_RULES: tuple[SplitRule, ...] = get_args(SplitRule)
SHARES = (0.8, 0.1, 0.1)


def split_facts(
    facts: Facts,
    rule: SplitRule,
    seed: int = 0,
    shares: tuple[float, float, float] | None = None,
    partner: Int64Array | None = None,
) -> tuple[Facts, Facts, Facts]:
    """Train, valid and test by a rule; the result does not depend on the order of ``facts``.

    ``partner`` has for each relation the one at the other end of its intervals, or -1; only the random rule heeds it,
    the others go by time alone. ``shares`` are 80 / 10 / 10 unless given; the rule unseen-times has none to choose.
    """
    if shares is not None and rule == "unseen-times":
        raise DataError(
            "the unseen-times split keeps every tenth instant out of train and takes no shares; leave them out"
        )
    shares = shares or SHARES
    facts = in_order(facts)
    if min(shares) < 0 or shares[0] == 0 or abs(sum(shares) - 1) > 1e-6:
        raise DataError(f"shares {shares} of train, valid and test must add up to 1 with some train; try 0.8,0.1,0.1")
    if rule == "random":
        return _cut(facts, _random_place(facts, seed, partner), shares)
    if rule == "chronological":
        return _chronological(facts, shares)
    distinct, place = np.unique(facts.time, return_inverse=True)
    if len(distinct) < 10:
        raise DataError(f"the unseen-times split needs at least 10 different times, the data has {len(distinct)}")
    return hold_out(facts, place.reshape(-1) % 10 == 4, seed)


def hold_out(facts: Facts, mask: NDArray[np.bool_], seed: int) -> tuple[Facts, Facts, Facts]:
    """Train = the facts outside ``mask``; those inside are divided at random into valid and test, half and half."""
    held = facts[mask]
    _, valid, test = _cut(held, _random_place(held, seed), (0.0, 0.5, 0.5))
    return facts[~mask], valid, test


class _RandomOrder(NamedTuple):
    """Where each fact stands in a random order of the distinct facts; facts that go together share a place."""

    place: Int64Array
    distinct: int


def _random_place(facts: Facts, seed: int, partner: Int64Array | None = None) -> _RandomOrder:
    (keys,) = fact_keys([facts])
    once, first = np.unique(keys, return_index=True)
    (group_keys,) = fact_keys([_without_time(facts, partner)]) if partner is not None else (keys,)
    groups, group = np.unique(group_keys, return_inverse=True)
    group = group.reshape(-1)
    sizes = np.bincount(group[first], minlength=len(groups))  # copies of a fact count once
    order = random_order(len(groups), seed)
    place = np.empty(len(groups), dtype=np.int64)
    place[order] = np.cumsum(sizes[order]) - sizes[order]
    return _RandomOrder(place[group], len(once))


def _without_time(facts: Facts, partner: Int64Array) -> Facts:
    """The facts with the ends of intervals reduced to who, what and whom, so that those that belong together agree."""
    other = partner[facts.relation]
    relation = np.where(other >= 0, np.minimum(facts.relation, other), facts.relation)
    return Facts(facts.subject, relation, facts.object, np.where(other >= 0, 0, facts.time))


def _cut(facts: Facts, places: _RandomOrder, shares: tuple[float, float, float]) -> tuple[Facts, Facts, Facts]:
    place, distinct = places
    first, second = round(distinct * shares[0]), round(distinct * (shares[0] + shares[1]))
    return facts[place < first], facts[(place >= first) & (place < second)], facts[place >= second]


def _chronological(facts: Facts, shares: tuple[float, float, float]) -> tuple[Facts, Facts, Facts]:
    """Cut at the instants whose cumulated counts come nearest to the shares."""
    instants, counts = np.unique(facts.time, return_counts=True)
    if len(instants) < 3:
        raise DataError(f"the chronological split needs at least 3 different times, the data has {len(instants)}")
    before = np.concatenate([[0], np.cumsum(counts)])  # facts before each instant, and all
    wanted = np.array([shares[0], shares[0] + shares[1]]) * len(facts)
    first = int(np.clip(np.abs(before - wanted[0]).argmin(), 1, len(instants) - 2))
    second = int(np.clip(np.abs(before - wanted[1]).argmin(), first + 1, len(instants) - 1))
    low, high = before[first], before[second]
    return facts[:low], facts[low:high], facts[high:]
