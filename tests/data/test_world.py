"""The synthetic world: fixed, of the promised size, and its recorded causes are true."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tgap.data import Dataset, load_dataset, make_world

# Weights and figures refer to this world: it never changes.
WORLD_CHECKSUM = "8a599682afa581f146ab92956e385fa39360f1a0d7b5a0184d322b1403f6d9bd"


@pytest.fixture(scope="module")
def world() -> Dataset:
    return make_world()


def rows(dataset: Dataset, split: str) -> set[tuple[int, ...]]:
    return set(dataset.splits[split])


def test_is_the_same_for_ever(world: Dataset) -> None:
    assert world.checksum == WORLD_CHECKSUM
    assert load_dataset("world").checksum == world.checksum
    assert make_world(1).checksum != world.checksum
    assert make_world(1).name == "world-1"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_has_the_promised_size(seed: int) -> None:
    world = make_world(seed)
    counts = [len(facts) for facts in world.splits.values()]
    assert 145 <= world.num_entities <= 155
    assert 5_700 <= sum(counts) <= 6_300
    assert abs(counts[0] / sum(counts) - 0.8) < 0.01
    assert world.timeline.format(0) == "2012-01-01"
    assert world.timeline.format(world.timeline.span) == "2013-12-31"
    assert not world.leaks().across_splits
    assert len(world.causes) > 250


def test_every_rule_is_tested(world: Dataset) -> None:
    rules = Counter(cause.rule for cause in world.causes.values())
    assert set(rules) == {"retaliation", "return visit", "succession", "yearly award", "membership"}
    assert min(rules.values()) >= 10


def test_causes_are_train_facts_on_a_path_to_the_answer(world: Dataset) -> None:
    train = rows(world, "train")
    for place, cause in world.causes.items():
        fact = world.test[place]
        assert all(tuple(step) in train for step in cause.facts)
        reached = {fact.subject}
        for _ in cause.facts:
            reached |= {step.object for step in cause.facts if step.subject in reached}
            reached |= {step.subject for step in cause.facts if step.object in reached}
        assert fact.object in reached
        assert all(step.time <= fact.time for step in cause.facts)


@pytest.mark.parametrize(
    ("rule", "delays"),
    [
        ("retaliation", {2, 3, 4, 5}),
        ("return visit", set(range(7, 15))),
        ("succession", {0}),
        ("yearly award", {365, 366}),
        ("membership", {0, 1}),
    ],
)
def test_delays_follow_the_rule(world: Dataset, rule: str, delays: set[int]) -> None:
    seen = {world.test[place].time - cause.facts[0].time for place, cause in world.causes.items() if cause.rule == rule}
    assert seen <= delays
    assert len(seen) >= len(delays) - 1


def test_rules_hold_mostly_but_not_always(world: Dataset) -> None:
    """The rule's answer to ``X retaliates against ?`` is right more often than not, and far from always."""
    train, test = world.train, world.test
    provocation = train[train.relation == world.relations.id("Criticize")]
    asked = test[test.relation == world.relations.id("Retaliate against")]
    right = []
    for fact in asked:
        delay = fact.time - provocation.time
        suspects = provocation.subject[(provocation.object == fact.subject) & (delay >= 2) & (delay <= 5)]
        right.append(np.mean(suspects == fact.object) if len(suspects) else 0.0)
    assert 0.6 < np.mean(right) < 0.9


def test_names_read_naturally(world: Dataset) -> None:
    assert {"Valmora", "University of Caldera", "Central Bank of Aldoria"} <= set(world.entities)
    assert all(name == name.strip() and name[0].isupper() for name in (*world.entities, *world.relations))
