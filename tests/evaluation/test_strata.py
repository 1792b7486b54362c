"""Strata of evidence against a loop that looks at every train fact, and on the public dataset."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.data import Dataset, Fact, Facts, Timeline, Vocabulary, load_dataset
from tgap.errors import DataError
from tgap.evaluation.strata import STRATA, evidence_of, strata_of

ENTITIES, RELATIONS = 4, ("meets", "leads-since", "leads-until")
LABELS = [stratum.label for stratum in STRATA]
fact = st.builds(Fact, *(st.integers(0, top) for top in (ENTITIES - 1, len(RELATIONS) - 1, ENTITIES - 1, 3)))


def small(train: list[Fact], test: list[Fact]) -> Dataset:
    return Dataset(
        name="small",
        entities=Vocabulary([f"e{k}" for k in range(ENTITIES)], what="entity"),
        relations=Vocabulary(list(RELATIONS), what="relation"),
        timeline=Timeline("year", 0, 3),
        train=Facts.of(train),
        valid=Facts.of([]),
        test=Facts.of(test),
    )


def stratum_by_hand(train: list[Fact], asked: Fact) -> str:
    """The definitions of the page, one after the other."""
    s, r, o, t = asked
    pair = [fact for fact in train if {fact.subject, fact.object} == {s, o}]
    if asked in train:
        return "fact itself"
    if s != o and Fact(o, r, s, t) in train:
        return "mirror"
    if r == 1 and any(fact[:3] == (s, 2, o) and fact.time >= t for fact in train):
        return "interval twin"
    if r == 2 and any(fact[:3] == (s, 1, o) and fact.time <= t for fact in train):
        return "interval twin"
    if any(fact.time == t for fact in pair):
        return "pair at that time"
    if any(fact[:3] == (s, r, o) for fact in train):
        return "same at other times"
    if pair:
        return "pair otherwise"
    known = {end for fact in train for end in (fact.subject, fact.object)}
    return "pair never" if {s, o} <= known else "entity unseen"


@settings(max_examples=300, deadline=None)
@given(st.lists(fact, max_size=10), st.lists(fact, min_size=1, max_size=6))
def test_strata_equal_looking_at_every_fact(train: list[Fact], test: list[Fact]) -> None:
    dataset = small(train, test)
    found = [LABELS[place] for place in strata_of(dataset, dataset.test)]
    assert found == [stratum_by_hand(train, asked) for asked in test]


def test_every_stratum_can_be_met() -> None:
    """So the test above is not satisfied by a few of them."""
    train = [Fact(0, 0, 1, 0), Fact(2, 0, 2, 1), Fact(0, 1, 1, 2)]
    test = [Fact(0, 0, 1, 0), Fact(1, 0, 0, 0), Fact(0, 2, 1, 3), Fact(1, 1, 0, 0), Fact(0, 0, 1, 3)]
    test += [Fact(1, 0, 0, 3), Fact(0, 0, 2, 0), Fact(0, 0, 3, 0)]
    dataset = small(train, test)
    assert [LABELS[place] for place in strata_of(dataset, dataset.test)] == LABELS


def test_shares_of_icews14() -> None:
    """What is known about it from elsewhere: an independent count of the same kinds."""
    try:
        dataset = load_dataset("icews14")
    except DataError as error:
        pytest.skip(f"icews14 is not here: {error}")
    found = evidence_of(dataset, dataset.test)
    shares = {
        "repeat": found.repeat,
        "only the pair": found.pair & ~found.repeat,
        "never": ~found.pair & found.entities,
        "unseen": ~found.entities,
        "pair then": found.pair_then,
    }
    expected = {"repeat": 0.553, "only the pair": 0.300, "never": 0.131, "unseen": 0.016, "pair then": 0.422}
    assert {name: float(np.mean(mask)) for name, mask in shares.items()} == pytest.approx(expected, abs=6e-4)
