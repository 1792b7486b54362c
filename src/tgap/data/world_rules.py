"""The planted rules of the synthetic world: what follows what, after how long, and how often it does not.

Each rule leaves its outcome out sometimes and lets it hit somebody else sometimes; together about a quarter of the
outcomes have no cause. Every outcome with a cause can be found by a walk of at most two steps over its cause facts.
"""

from __future__ import annotations

from tgap.data.splitmix import RandomStream
from tgap.data.world_names import Cast

Event = tuple[str, str, str, int]  # subject, relation, object, day

DAYS = 731  # two years, the first one leap: 2012-01-01 to 2013-12-31
YEAR = 366  # from a date in the first year to the same date in the second, from March on 365
_SILENT = 0.12  # share of causes that nothing follows from
_ASTRAY = 0.18  # share of outcomes that hit somebody else
_BACKGROUND = ("Consult", "Make statement about", "Praise", "Sign agreement with", "Meet", "Accuse")


class Chronicle:
    """The events of the world as they are written down, each once, with the causes of those that a rule made."""

    def __init__(self, chance: RandomStream, cast: Cast) -> None:
        self.chance = chance
        self.cast = cast
        self.events: dict[Event, None] = {}
        self.causes: dict[Event, tuple[str, tuple[Event, ...]]] = {}

    def write(self, subject: str, relation: str, obj: str, day: int) -> Event | None:
        """Note an event; nothing happens outside the two years, twice, or to oneself."""
        event = (subject, relation, obj, day)
        if not 0 <= day < DAYS or subject == obj or event in self.events:
            return None
        self.events[event] = None
        return event

    def follow(self, rule: str, outcome: Event, causes: tuple[Event | None, ...], others: list[str]) -> None:
        """Let ``outcome`` follow from its causes, with noise: sometimes nothing, sometimes another object or subject.

        ``others`` are those whom it may hit instead; it strikes the person or place that the rule would tell.
        """
        if self.chance.happens(_SILENT):
            return
        subject, relation, obj, day = outcome
        if self.chance.happens(_ASTRAY):
            self.write(subject, relation, self.chance.pick(others), day)
            return
        known = tuple(cause for cause in causes if cause is not None)
        event = self.write(subject, relation, obj, day)
        if event is not None and len(known) == len(causes):
            self.causes[event] = (rule, known)


def provocations(world: Chronicle, count: int) -> None:
    """A country criticises another; within two to five days the other retaliates."""
    chance, countries = world.chance, world.cast.countries
    for _ in range(count):
        day = chance.between(0, DAYS - 1)
        bold, hurt = chance.pick(countries), chance.pick(countries)
        cause = world.write(bold, "Criticize", hurt, day)
        if cause is not None:
            outcome = (hurt, "Retaliate against", bold, day + chance.between(2, 5))
            world.follow("retaliation", outcome, (cause,), countries)


def visits(world: Chronicle, count: int) -> None:
    """A visit between countries or between people is returned in the second week after it."""
    chance = world.chance
    circles = (world.cast.countries, world.cast.people[:28])
    for turn in range(count):
        circle = circles[turn % 2]
        day = chance.between(0, DAYS - 1)
        guest, host = chance.pick(circle), chance.pick(circle)
        cause = world.write(guest, "Visit", host, day)
        if cause is not None:
            world.follow("return visit", (host, "Visit", guest, day + chance.between(7, 14)), (cause,), circle)


def successions(world: Chronicle, terms: int) -> None:
    """On the day somebody leaves an office, the deputy takes it over."""
    chance = world.chance
    for office in world.cast.offices + world.cast.companies:
        holder = chance.pick(world.cast.people)
        day = chance.between(0, 40)
        for _ in range(terms):
            day += chance.between(60, 2 * DAYS // terms - 60)
            deputy = chance.pick([person for person in world.cast.people if person != holder])
            promise = world.write(deputy, "Become deputy of", holder, day - chance.between(10, 50))
            end = world.write(holder, "Leave office at", office, day)
            if end is None:
                break
            outcome = (office, "Appoint", deputy, day)
            world.follow("succession", outcome, (end, promise), world.cast.people)
            holder = deputy


def awards(world: Chronicle, prizes: int) -> None:
    """A prize is given on the same day every year, the second time to whom the first winner recommended."""
    chance, people = world.chance, world.cast.people
    for giver in world.cast.offices + world.cast.universities:
        for _ in range(prizes):
            day = chance.between(0, 364)
            next_year = day + (YEAR if day < 60 else 365)
            winner, protege = chance.pick(people), chance.pick(people)
            first = world.write(giver, "Award prize to", winner, day)
            word = world.write(winner, "Recommend", protege, next_year - chance.between(5, 30))
            if first is not None and word is not None:
                world.follow("yearly award", (giver, "Award prize to", protege, next_year), (first, word), people)


def memberships(world: Chronicle, graduates: int) -> None:
    """Who completes studies joins, the same day or the next, the company that the school last agreed to work with."""
    chance, cast = world.chance, world.cast
    partner: dict[str, list[tuple[int, Event]]] = {}
    for school in cast.universities:
        day = chance.between(0, 20)
        while day < DAYS:
            event = world.write(school, "Sign partnership with", chance.pick(cast.companies), day)
            assert event is not None, "partnerships of a school are on different days"
            partner.setdefault(school, []).append((day, event))
            day += chance.between(30, 70)
    for _ in range(graduates):
        person, school = chance.pick(cast.people), chance.pick(cast.universities)
        day = chance.between(25, DAYS - 2)
        end = world.write(person, "Complete studies at", school, day)
        agreement = [event for since, event in partner[school] if since < day][-1]
        if end is not None:
            outcome = (person, "Join", agreement[2], day + chance.between(0, 1))
            world.follow("membership", outcome, (end, agreement), cast.companies)


def background(world: Chronicle, count: int) -> None:
    """Everyday events between those who know each other: a few friends each, the first ones met most often."""
    chance, cast = world.chance, world.cast
    everyone = cast.countries + cast.universities + cast.companies + cast.offices + cast.people
    friends = {name: chance.shuffled([other for other in everyone if other != name])[:8] for name in everyone}
    written = 0
    while written < count:
        name = chance.pick(cast.countries) if chance.happens(0.4) else chance.pick(everyone)
        other = friends[name][int(8 * chance.unit() ** 2)]
        relation = _BACKGROUND[int(len(_BACKGROUND) * chance.unit() ** 1.5)]
        written += world.write(name, relation, other, chance.between(0, DAYS - 1)) is not None
