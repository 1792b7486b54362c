"""What a query could lean on: queries sorted by the strongest thing that train tells about their fact.

A fact whose mirror stands in train asks for little more than memory; one whose two entities never met asks for a
prediction. ``STRATA`` lists the kinds from most to least to lean on; a query belongs to the first that holds, so the
strata are disjoint and their shares sum to 1. Both directions of a fact are in the same stratum. An analysis by
another kind is one entry more.

Everything is looked up by binary search in sorted keys: O((Q + F) log F) for Q queries and F train facts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Facts
from tgap.data.facts import contained, fact_keys
from tgap.data.near_copies import near_copies
from tgap.scorer import IntArray

Mask = NDArray[np.bool_]


class Evidence(NamedTuple):
    """What train holds about each of Q facts (s, r, o, t)."""

    fact: Mask  # [Q] the fact itself: a leak
    mirror: Mask  # [Q] (o, r, s, t)
    twin: Mask  # [Q] the other end of the same interval
    pair_then: Mask  # [Q] another event of s and o, either way round, at t
    repeat: Mask  # [Q] (s, r, o) at some time
    pair: Mask  # [Q] an event of s and o, either way round, at some time
    entities: Mask  # [Q] an event of s, and one of o


@dataclass(frozen=True)
class Stratum:
    """A kind of evidence."""

    label: str  # in tables and files
    meaning: str  # as a clause, for the page that explains it
    holds: Callable[[Evidence], Mask]


STRATA = (
    Stratum("fact itself", "(s, r, o, t) stands in train: the split leaks", lambda found: found.fact),
    Stratum("mirror", "(o, r, s, t) stands in train", lambda found: found.mirror),
    Stratum("interval twin", "the other end of the same interval stands in train", lambda found: found.twin),
    Stratum("pair at that time", "s and o have another event at t", lambda found: found.pair_then),
    Stratum("same at other times", "(s, r, o) happened at another time", lambda found: found.repeat),
    Stratum("pair otherwise", "s and o met at other times, never by (s, r, o)", lambda found: found.pair),
    Stratum("pair never", "train knows s and o, but no event of both", lambda found: found.entities),
    Stratum("entity unseen", "s or o is in no event of train", lambda found: ~found.entities),
)


def strata_of(dataset: Dataset, facts: Facts) -> IntArray:
    """[Q] position in ``STRATA`` of each fact, by what the train split holds."""
    found = evidence_of(dataset, facts)
    return np.argmax(np.stack([stratum.holds(found) for stratum in STRATA]), axis=0)


def evidence_of(dataset: Dataset, facts: Facts) -> Evidence:
    """What the train split holds about facts."""
    train, near = dataset.train, near_copies(dataset, facts)
    ends = np.sort(np.concatenate([train.subject, train.object]))
    return Evidence(
        fact=_stand_in(facts, train),
        mirror=near.mirror,
        twin=near.twin,
        pair_then=near.pair,
        repeat=_stand_in(_timeless(facts), _timeless(train)),
        pair=_stand_in(_pairs(facts), _pairs(train)),
        entities=contained(facts.subject, ends) & contained(facts.object, ends),
    )


def _stand_in(facts: Facts, known: Facts) -> Mask:
    keys, there = fact_keys([facts, known])
    return contained(keys, np.sort(there))


def _timeless(facts: Facts) -> Facts:
    return Facts(facts.subject, facts.relation, facts.object, np.zeros_like(facts.time))


def _pairs(facts: Facts) -> Facts:
    """Who met whom: no relation, no direction, no time."""
    low, high = np.minimum(facts.subject, facts.object), np.maximum(facts.subject, facts.object)
    nothing = np.zeros_like(facts.time)
    return Facts(low, nothing, high, nothing)
