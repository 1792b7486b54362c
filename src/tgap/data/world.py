"""The synthetic world: about 150 entities and 6,000 facts over two years, made from a seed by planted temporal rules.

It is the embedded dataset of the demo and of most tests: small, needs no files, and knows the truth. For every test
fact that a rule made, ``Dataset.causes`` tells the rule and its cause facts, which always stand in train; so a test
can ask whether an explanation finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from tgap.data.dataset import Cause, Dataset
from tgap.data.facts import Fact, Facts, in_order
from tgap.data.splitmix import RandomStream
from tgap.data.time import Timeline
from tgap.data.vocabulary import Vocabulary
from tgap.data.world_names import make_cast
from tgap.data.world_rules import (
    DAYS,
    Chronicle,
    Event,
    awards,
    background,
    memberships,
    provocations,
    successions,
    visits,
)

_FIRST_DAY = 15_340  # 2012-01-01
_HELD_OUT = 0.1  # share of all facts in valid, and as many in test


def make_world(seed: int = 0) -> Dataset:
    """The world of a seed; the same seed gives the same world, always.

    >>> world = make_world()
    >>> world.timeline.format(0), len(world.causes) > 250
    ('2012-01-01', True)
    """
    world, valid, test = _history(seed)
    entities = sorted({name for subject, _, obj, _ in world.events for name in (subject, obj)})
    relations = sorted({relation for _, relation, _, _ in world.events})
    entity = {name: index for index, name in enumerate(entities)}
    relation = {name: index for index, name in enumerate(relations)}

    def fact(event: Event) -> Fact:
        return Fact(entity[event[0]], relation[event[1]], entity[event[2]], event[3])

    held = {*valid, *test}
    train = [event for event in world.events if event not in held]
    parts = [in_order(Facts.of([fact(event) for event in events])) for events in (train, valid, test)]
    place = {fact: index for index, fact in enumerate(parts[2])}
    causes: Mapping[int, Cause] = {
        place[fact(event)]: Cause(world.causes[event][0], tuple(map(fact, world.causes[event][1])))
        for event in test
        if event in world.causes
    }
    return Dataset(
        "world" if seed == 0 else f"world-{seed}",
        Vocabulary(entities, "entity"),
        Vocabulary(relations, "relation"),
        Timeline("day", _FIRST_DAY, _FIRST_DAY + DAYS - 1),
        parts[0],
        parts[1],
        parts[2],
        causes=MappingProxyType(dict(sorted(causes.items()))),
    )


@lru_cache(maxsize=2)  # a command may ask for the world several times; what it gets is its own
def _history(seed: int) -> tuple[Chronicle, list[Event], list[Event]]:
    """All that happens, and what of it is held out for valid and test."""
    chance = RandomStream(seed)
    world = Chronicle(chance, make_cast(chance))
    provocations(world, 850)
    visits(world, 850)
    successions(world, 7)
    awards(world, 5)
    memberships(world, 360)
    background(world, 1350)
    return world, *_held_out(world)


def _held_out(world: Chronicle) -> tuple[list[Event], list[Event]]:
    """Events for valid and test, a tenth of all each: half of them made by a rule, none the cause of another event."""
    needed = {cause for _, causes in world.causes.values() for cause in causes}
    free = world.chance.shuffled([event for event in world.events if event not in needed])
    ruled = [event for event in free if event in world.causes]
    other = [event for event in free if event not in world.causes]
    half = round(len(world.events) * _HELD_OUT / 2)
    return ruled[:half] + other[:half], ruled[half : 2 * half] + other[half : 2 * half]
