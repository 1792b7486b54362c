"""Fingerprints of published splits: the same in every copy, and those of the data that are here."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest

from tgap.data import Dataset, LeakWarning, Vocabulary, load_dataset, make_world
from tgap.data.known_splits import KNOWN_SPLITS, XERTE, KnownSplit, fingerprint, identify
from tgap.errors import DataError


def test_order_and_spelling_do_not_matter_but_facts_do() -> None:
    world = make_world()
    mark = fingerprint(world, world.test)
    assert fingerprint(world, world.test[np.random.default_rng(0).permutation(len(world.test))]) == mark
    spelled = Vocabulary([name.replace(" ", "_").upper() for name in world.entities], what="entity")
    assert fingerprint(dataclasses.replace(world, entities=spelled), world.test) == mark
    assert fingerprint(world, world.test[1:]) != mark
    assert fingerprint(world, world.valid) != mark


def test_own_splits_come_first_then_published_ones_then_those_of_a_known_size(monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world()
    assert identify(world, world.valid) == KnownSplit("world", "valid", len(world.valid))
    part = world.train[:500]
    assert identify(world, part) is None
    sized, marked = KnownSplit("sized", "test", 500), KnownSplit("marked", "test", 500, fingerprint(world, part))
    monkeypatch.setattr("tgap.data.known_splits.KNOWN_SPLITS", (sized, marked))
    assert identify(world, part) == marked
    monkeypatch.setattr("tgap.data.known_splits.KNOWN_SPLITS", (sized,))
    assert identify(world, part) == sized


def load(name: str) -> Dataset:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeakWarning)
            return load_dataset(name)
    except DataError as error:
        pytest.skip(f"{name} is not here: {error}")


@pytest.mark.parametrize("name", ["icews14", "icews14-forecast", "wikidata11k"])
def test_fingerprints_are_those_of_the_published_files(name: str) -> None:
    dataset = load(name)
    listed = {known.split: known for known in KNOWN_SPLITS if known.name == name}
    for split, facts in dataset.splits.items():
        assert listed[split] == KnownSplit(name, split, len(facts), fingerprint(dataset, facts))


def test_no_two_splits_can_be_taken_for_each_other() -> None:
    marks = [known.mark for known in KNOWN_SPLITS if known.mark]
    assert len(set(marks)) == len(marks)
    sizes = {known.facts for known in KNOWN_SPLITS if known.name != XERTE}
    assert not sizes & {known.facts for known in KNOWN_SPLITS if known.name == XERTE}
