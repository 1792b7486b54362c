"""Facts whose answer other facts all but give away, though the fact itself is not among them.

twin      the other end of the same interval: who became chair in 2001 (-since) stopped being chair in 2005 (-until)
mirror    the same event the other way round, (o, r, s, t): if Ann meets Bob, Bob meets Ann
pair      another event of the same two entities, in either direction and under any relation, at the same time

They are no leaks, the facts differ, but a score on them tells less about unheard-of things than one on the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.data.dataset import Dataset
from tgap.data.facts import Facts, Int64Array, contained, fact_keys
from tgap.data.vocabulary import Vocabulary

SINCE, UNTIL = "-since", "-until"  # what import appends to the relation of an interval's two facts
_ENDS = ((SINCE, UNTIL), ("-occurSince", "-occurUntil"))
NEAR_COPIES = ("twin", "mirror", "pair")


class NearCopies(NamedTuple):
    """For each fact, whether the known ones hold its twin, its mirror, another event of its pair at its time."""

    twin: NDArray[np.bool_]
    mirror: NDArray[np.bool_]
    pair: NDArray[np.bool_]

    @property
    def any(self) -> NDArray[np.bool_]:
        """Facts that have at least one of them."""
        return self.twin | self.mirror | self.pair


def near_copies(dataset: Dataset, facts: Facts) -> NearCopies:
    """Which of ``facts`` have near copies in the dataset's train split."""
    known = dataset.train
    ends = interval_ends(dataset.relations)
    return NearCopies(has_twin(facts, known, ends), has_mirror(facts, known), has_pair(facts, known))


class IntervalEnds(NamedTuple):
    """For each relation the one at the other end of its intervals (-1: it has none), and whether it is the start."""

    partner: Int64Array
    start: NDArray[np.bool_]


def interval_ends(relations: Vocabulary) -> IntervalEnds:
    """Relations that belong together as start and end, by their names.

    >>> interval_ends(Vocabulary(["leads-since", "leads-until", "meets"])).partner.tolist()
    [1, 0, -1]
    """
    place = {name: index for index, name in enumerate(relations)}
    partner = np.full(len(relations), -1, dtype=np.int64)
    start = np.zeros(len(relations), dtype=bool)
    for name, index in place.items():
        for since, until in _ENDS:
            other = place.get(name.removesuffix(since) + until, -1) if name.endswith(since) else -1
            if other >= 0:
                partner[index], partner[other], start[index] = other, index, True
    return IntervalEnds(partner, start)


def other_ends(facts: Facts, ends: IntervalEnds) -> Int64Array:
    """For each fact the position of the other end of its own interval among ``facts``; -1 where that is not known.

    An end belongs to the last start before it (or at its time) that has no end yet, under the same relation between the
    same two entities.

    >>> ends = interval_ends(Vocabulary(["leads-since", "leads-until"]))
    >>> from tgap.data import Fact
    >>> other_ends(Facts.of([Fact(0, 0, 1, 5), Fact(0, 1, 1, 7), Fact(0, 0, 1, 8), Fact(0, 1, 1, 9)]), ends).tolist()
    [1, 0, 3, 2]
    """
    other = np.full(len(facts), -1, dtype=np.int64)
    places = np.flatnonzero(ends.partner[facts.relation] >= 0)
    some = facts[places]
    is_start = ends.start[some.relation]
    relation = np.where(is_start, some.relation, ends.partner[some.relation])
    order = np.lexsort((~is_start, some.time, some.object, relation, some.subject))
    same = np.ones(len(order), dtype=bool)  # whether a row has the subject, relation and object of the one before it
    for column in (some.subject, relation, some.object):
        same[1:] &= column[order][1:] == column[order][:-1]
    same[:1] = False
    open_starts: list[int] = []
    for place, starts, goes_on in zip(places[order].tolist(), is_start[order].tolist(), same.tolist(), strict=True):
        if not goes_on:
            open_starts = []
        if starts:
            open_starts.append(place)
        elif open_starts:
            start = open_starts.pop()
            other[start], other[place] = place, start
    return other


class TwinsInTrain(NamedTuple):
    """How many facts of train and of valid have the other end of their own interval in train."""

    train: int
    train_facts: int
    valid: int
    valid_facts: int

    @property
    def differ(self) -> bool:
        """Whether a training question would see its twin where a validation question does not, as a rule.

        Then training must hide the twin, or the model learns to look for what will not be there.
        """
        if not self.train or not self.valid_facts:
            return False
        return self.valid / self.valid_facts < 0.5 * self.train / self.train_facts


def twins_in_train(dataset: Dataset) -> TwinsInTrain:
    """Count the other ends that train holds, each interval's own end only."""
    ends = interval_ends(dataset.relations)
    train, valid = len(dataset.train), len(dataset.valid)
    if not (ends.partner >= 0).any():
        return TwinsInTrain(0, train, 0, valid)
    other = other_ends(Facts.concatenate(list(dataset.splits.values())), ends)
    there = (other >= 0) & (other < train)
    return TwinsInTrain(int(there[:train].sum()), train, int(there[train : train + valid].sum()), valid)


def has_twin(facts: Facts, known: Facts, ends: IntervalEnds) -> NDArray[np.bool_]:
    """Where ``known`` has the other end: the partner relation between the same two, not on the wrong side in time."""
    result = np.zeros(len(facts), dtype=bool)
    asked = np.flatnonzero(ends.partner[facts.relation] >= 0)
    others = known[ends.partner[known.relation] >= 0]
    if not len(asked) or not len(others):
        return result
    some = facts[asked]
    wanted, there = fact_keys([_timeless(some, ends.partner[some.relation]), _timeless(others, others.relation)])
    order = np.lexsort((others.time, there))
    there, time = there[order], others.time[order]
    first = np.searchsorted(there, wanted, side="left")
    last = np.searchsorted(there, wanted, side="right") - 1
    found = last >= first
    inside = np.clip(first, 0, len(there) - 1), np.clip(last, 0, len(there) - 1)
    ordered = np.where(ends.start[some.relation], time[inside[1]] >= some.time, time[inside[0]] <= some.time)
    result[asked] = found & ordered
    return result


def has_mirror(facts: Facts, known: Facts) -> NDArray[np.bool_]:
    """Where ``known`` has (o, r, s, t); a fact between an entity and itself has no mirror."""
    turned = Facts(facts.object, facts.relation, facts.subject, facts.time)
    keys, there = fact_keys([turned, known])
    mirrored = contained(keys, np.sort(there))
    mirrored &= facts.subject != facts.object
    return mirrored


def has_pair(facts: Facts, known: Facts) -> NDArray[np.bool_]:
    """Where ``known`` has an event of the same two entities at the same time that is not the fact itself."""
    pairs, pairs_there = fact_keys([_pairs(facts), _pairs(known)])
    keys, keys_there = fact_keys([facts, known])
    return _occurrences(pairs, pairs_there) > _occurrences(keys, keys_there)


def _timeless(facts: Facts, relation: Int64Array) -> Facts:
    return Facts(facts.subject, relation, facts.object, np.zeros_like(facts.time))


def _pairs(facts: Facts) -> Facts:
    """Events without relation and direction."""
    low, high = np.minimum(facts.subject, facts.object), np.maximum(facts.subject, facts.object)
    return Facts(low, np.zeros_like(facts.relation), high, facts.time)


def _occurrences(values: Int64Array, among: Int64Array) -> Int64Array:
    """How often each value stands among others."""
    ordered = np.sort(among)
    return np.searchsorted(ordered, values, side="right") - np.searchsorted(ordered, values, side="left")
