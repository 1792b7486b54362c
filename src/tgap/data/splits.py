"""How facts are divided into train, valid and test. Every rule is deterministic and keeps copies of a fact together.

random          facts at random (fixed seed), 80 / 10 / 10 unless told otherwise
chronological   the earliest to train, the latest to test; cut between two instants, so no instant is in two splits
unseen-times    every tenth instant of the data (the 5th, 15th, 25th ...) is kept out of train; its facts are divided
                at random into halves, valid and test: can a question be answered at a time that train never saw?
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tgap.data.chance import random_order
from tgap.data.facts import Facts, Int64Array, fact_keys, in_order
from tgap.errors import DataError

SplitRule = Literal["random", "chronological", "unseen-times"]
SPLIT_RULES: tuple[SplitRule, ...] = get_args(SplitRule)
SHARES = (0.8, 0.1, 0.1)


def split_facts(
    facts: Facts, rule: SplitRule, seed: int = 0, shares: tuple[float, float, float] = SHARES
) -> tuple[Facts, Facts, Facts]:
    """Train, valid and test by a rule; the result does not depend on the order of ``facts``."""
    facts = in_order(facts)
    if min(shares) < 0 or shares[0] == 0 or abs(sum(shares) - 1) > 1e-6:
        raise DataError(f"shares {shares} of train, valid and test must add up to 1 with some train; try 0.8,0.1,0.1")
    if rule == "random":
        return _cut(facts, _random_rank(facts, seed), shares)
    if rule == "chronological":
        return _chronological(facts, shares)
    distinct, place = np.unique(facts.time, return_inverse=True)
    if len(distinct) < 10:
        raise DataError(f"the unseen-times split needs at least 10 different times, the data has {len(distinct)}")
    return hold_out(facts, place.reshape(-1) % 10 == 4, seed)


def hold_out(facts: Facts, mask: NDArray[np.bool_], seed: int) -> tuple[Facts, Facts, Facts]:
    """Train = the facts outside ``mask``; those inside are divided at random into valid and test, half and half."""
    held = facts[mask]
    _, valid, test = _cut(held, _random_rank(held, seed), (0.0, 0.5, 0.5))
    return facts[~mask], valid, test


def _random_rank(facts: Facts, seed: int) -> Int64Array:
    """Random place of each fact, equal for copies, from 0 to the number of distinct facts - 1."""
    (keys,) = fact_keys([facts])
    distinct, group = np.unique(keys, return_inverse=True)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[random_order(len(distinct), seed)] = np.arange(len(distinct))
    return rank[group.reshape(-1)]


def _cut(facts: Facts, rank: Int64Array, shares: tuple[float, float, float]) -> tuple[Facts, Facts, Facts]:
    count = int(rank.max()) + 1 if len(rank) else 0
    first, second = round(count * shares[0]), round(count * (shares[0] + shares[1]))
    return facts[rank < first], facts[(rank >= first) & (rank < second)], facts[rank >= second]


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
