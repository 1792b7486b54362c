"""Generated worlds to train on: graphs of many shapes, made of habits, replies, sequences, chains, groups and posts.

Each world draws its own sizes, time unit, relations and rules, so that what is learned from them is how to read a
graph's statistics and not how one kind of data behaves. A bipartite world has actors and things (authors change files,
people write to lists), and things that belong together appear at the same instant.

All draws come from one generator: the same seed gives the same world.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tgap.data.dataset import Dataset
from tgap.data.facts import Fact, Facts, in_order
from tgap.data.time import Timeline
from tgap.data.vocabulary import Vocabulary

Event = tuple[int, int, int, int]


class Shape(NamedTuple):
    """What a world looks like."""

    actors: int
    things: int  # 0: actors act on each other
    relations: int
    facts: int
    span: int  # instants
    scale: int  # time units per instant, with jitter below it
    skew: float  # of how active entities are


def draw_shape(random: np.random.Generator) -> Shape:
    """The shape of a world."""
    facts = int(2 ** random.uniform(8.5, 14))
    bipartite = random.random() < 0.5
    actors = max(6, int(facts ** random.uniform(0.3, 0.75)))
    things = max(6, int(facts ** random.uniform(0.3, 0.8))) if bipartite else 0
    relations = int(2 ** random.uniform(0, 7 if facts > 3000 else 4))
    span = int(2 ** random.uniform(4, 11))
    scale = int(random.choice([1, 1, 1, 60, 3600]))
    return Shape(actors, things, relations, facts, span, scale, random.uniform(0.4, 1.2))


class World:
    """A world while it is made."""

    def __init__(self, shape: Shape, random: np.random.Generator) -> None:
        self.shape, self.random = shape, random
        self.events: list[Event] = []
        self.actors = self._weights(shape.actors)
        self.things = self._weights(shape.things or shape.actors)
        self.kinds = self._weights(shape.relations)
        count = shape.things or shape.actors
        self.group_of = random.integers(0, max(2, count // int(random.integers(3, 9))), count)
        self.taste = [random.choice(count, min(count, 12), p=self.things) for _ in range(shape.actors)]
        self.reply, self.next = (random.integers(0, shape.relations, shape.relations) for _ in range(2))
        self.delay = random.geometric(0.4, shape.relations)
        self.usual = [random.choice(count, min(count, 10), p=self.things) for _ in range(shape.relations)]

    def _weights(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        weights = (1.0 + np.arange(count)) ** -self.shape.skew
        self.random.shuffle(weights)
        made: np.ndarray[tuple[int], np.dtype[np.float64]] = weights / weights.sum()
        return made

    def add(self, actor: int, kind: int, thing: int, when: int) -> None:
        """One event; who acts on themselves does nothing."""
        if 0 <= when < self.shape.span and (self.shape.things or actor != thing):
            self.events.append((actor, kind, thing, when))

    def actor(self) -> int:
        """Somebody, the active more often."""
        return int(self.random.choice(self.shape.actors, p=self.actors))

    def instant(self) -> int:
        """Any instant."""
        return int(self.random.integers(self.shape.span))

    def kind(self) -> int:
        """A relation."""
        return int(self.random.choice(self.shape.relations, p=self.kinds))

    # How events come about.

    def habit(self) -> None:
        """One actor, one thing, again and again for a while."""
        actor, kind, when = self.actor(), self.kind(), self.instant()
        thing = int(self.random.choice(self.taste[actor]))
        pause = self.random.geometric(min(1.0, 8 / self.shape.span)) + 1
        for _ in range(int(self.random.geometric(0.25))):
            self.add(actor, kind, thing, when)
            when += int(self.random.geometric(1 / pause))

    def exchange(self) -> None:
        """An act, its reply some time later, sometimes what follows that."""
        actor, kind, when = self.actor(), self.kind(), self.instant()
        thing = int(self.random.choice(self.taste[actor]))
        self.add(actor, kind, thing, when)
        later = when + int(self.random.poisson(self.delay[kind]))
        if self.shape.things:
            self.add(actor, int(self.next[kind]), thing, later)
        else:
            self.add(thing, int(self.reply[kind]), actor, later)
            if self.random.random() < 0.5:
                self.add(actor, int(self.next[kind]), thing, later + int(self.random.poisson(self.delay[kind])))

    def chain(self) -> None:
        """Who acts on somebody soon acts on whom that one had acted on: an answer two steps away."""
        actor, when = self.actor(), self.instant()
        first = int(self.random.choice(self.taste[actor]))
        kind = self.kind()
        self.add(actor, kind, first, when)
        if self.shape.things:
            others = np.flatnonzero(self.group_of == self.group_of[first])
            self.add(actor, int(self.next[kind]), int(self.random.choice(others)), when + int(self.delay[kind]))
        else:
            second = int(self.random.choice(self.taste[first]))
            self.add(first, int(self.reply[kind]), second, when)
            self.add(actor, int(self.next[kind]), second, when + int(self.delay[kind]))

    def together(self) -> None:
        """Things that belong together, at one instant, by one actor."""
        actor, kind, when = self.actor(), self.kind(), self.instant()
        seed = int(self.random.choice(self.taste[actor]))
        group = np.flatnonzero(self.group_of == self.group_of[seed])
        for thing in self.random.permutation(group)[: int(self.random.geometric(0.3))]:
            self.add(actor, kind, int(thing), when)

    def post(self) -> None:
        """A few things of one relation that many actors hold, one after the other."""
        kind = self.kind()
        thing = int(self.random.choice(self.usual[kind]))
        when, actor = self.instant(), self.actor()
        for _ in range(int(self.random.geometric(0.4))):
            length = int(self.random.geometric(min(1.0, 10 / self.shape.span)))
            self.add(actor, kind, thing, when)
            self.add(actor, int(self.next[kind]), thing, when + length)
            when, actor = when + length, self.actor()

    def noise(self) -> None:
        """Anybody with anything that is popular."""
        kind = self.kind()
        count = self.shape.things or self.shape.actors
        thing = int(self.random.choice(count, p=self.things))
        self.add(self.actor(), kind, thing, self.instant())


def generate_world(seed: int, shape: Shape | None = None, past: bool = False) -> Dataset:
    """The world of a seed; a tenth of it in valid and in test each, at random or (``past``) the latest."""
    random = np.random.default_rng(seed)
    world = World(shape or draw_shape(random), random)
    ways = [world.habit, world.exchange, world.chain, world.together, world.post, world.noise]
    mixture = random.dirichlet(np.full(len(ways), 0.7))
    while len(world.events) < world.shape.facts:
        ways[int(random.choice(len(ways), p=mixture))]()
    return _dataset(f"generated-{seed}", world, past)


def _dataset(name: str, world: World, past: bool) -> Dataset:
    shape, random = world.shape, world.random
    events = sorted(set(world.events))
    jitter: dict[tuple[int, int], int] = {}
    facts = []
    for actor, kind, thing, when in events:
        offset = jitter.setdefault((actor, when), int(random.integers(shape.scale)))
        target = shape.actors + thing if shape.things else thing
        facts.append(Fact(actor, kind, target, when * shape.scale + offset))
    order = random.permutation(len(facts))
    whole = Facts.of(facts)[order]
    if past:
        whole = whole[np.argsort(whole.time, kind="stable")]
    cut = len(facts) * 8 // 10, len(facts) * 9 // 10
    train, valid, test = (in_order(part) for part in (whole[: cut[0]], whole[cut[0] : cut[1]], whole[cut[1] :]))
    entities = [f"e{number}" for number in range(shape.actors + shape.things)]
    relations = [f"r{number}" for number in range(shape.relations)]
    line = Timeline("integer", 0, shape.span * shape.scale, "%d")
    names = Vocabulary(entities, "entity"), Vocabulary(relations, "relation")
    return Dataset(name, *names, line, train, valid, test)
