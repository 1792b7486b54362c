"""The reasons of an answer as parts of the document: what was measured, what would change it, how attention came.

The dataclasses are the JSON schema, field by field, as those of ``schema`` are (docs/json-schema.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from tgap.explain.naming import NamedFact


@dataclass(frozen=True)
class EvidenceRow(NamedFact):
    """A fact and what happened when it was taken away."""

    share: float  # of all moves on the way to the answer, the part that took this fact
    effect: float  # probability with it minus without it; negative: it speaks against the answer
    probability: float  # of the answer without it
    rank: float  # of the answer without it


@dataclass(frozen=True)
class GroupRow:
    """Facts taken away together."""

    kind: str  # "first": those of highest share; "pair": one subject, relation and object; "time": one time
    subject: str | None  # of a pair
    relation: str | None
    object: str | None
    since: str  # time of the first of the facts
    until: str  # time of the last
    facts: int
    share: float
    effect: float
    probability: float
    rank: float


@dataclass(frozen=True)
class FlipRow:
    """Facts without which another answer comes first, none of which can be spared."""

    facts: tuple[NamedFact, ...]
    answer: str  # that comes first then
    answer_probability: float
    probability: float  # of the explained answer then
    rank: float


@dataclass(frozen=True)
class SufficientRow:
    """The answer with only the first facts that speak for it, beside the background."""

    facts: int
    probability: float
    rank: float
    kept: float  # part of the probability that is left; may exceed 1


@dataclass(frozen=True)
class SufficientTable:
    """How few facts are enough."""

    background: str  # what stays visible besides, as a code: "facts that do not touch the answer"
    touching: int  # facts that touch the answer
    rows: tuple[SufficientRow, ...]


@dataclass(frozen=True)
class LinkRelation:
    """The events of one relation on a link of a chain."""

    relation: str
    inverse: bool  # walked against the stored facts
    share: float  # of the link
    events: int  # the fewest that bring nine tenths of this
    since: str  # time of the first of those
    until: str  # time of the last


@dataclass(frozen=True)
class ChainLink:
    """One hop of a chain."""

    subject: str
    object: str
    events: int  # events between the two that carried the chain
    relations: tuple[LinkRelation, ...]  # strongest first


@dataclass(frozen=True)
class ChainRow:
    """All walks through the same entities."""

    share: float  # of the answer's probability
    sentence: str
    links: tuple[ChainLink, ...]


@dataclass(frozen=True)
class ChainTable:
    """The heaviest chains to the answer."""

    chains: tuple[ChainRow, ...]
    rest: float  # share of all other chains
    complete: bool  # False: the search was cut short, heavier chains may be missing


@dataclass(frozen=True)
class TimeShare:
    """What the facts of one time brought."""

    time: str
    displacement: int
    share: float


@dataclass(frozen=True)
class RelationShare:
    """What the facts of one relation brought, walked either way."""

    relation: str
    share: float


@dataclass(frozen=True)
class EntityShare:
    """Part of the answer's probability that stood on an entity after a step."""

    name: str
    share: float


@dataclass(frozen=True)
class StepShares:
    """Where this answer's probability stood after a step."""

    step: int
    entities: tuple[EntityShare, ...]  # those of highest share
    rest: float  # on all others


@dataclass(frozen=True)
class ShareTable:
    """The flow to this answer. Past, present, future, waiting sum to 1; so do the entities of a step with the rest."""

    past: float
    present: float
    future: float
    waiting: float  # stayed on self-loops
    times: tuple[TimeShare, ...]  # in rising order, all that brought something
    relations: tuple[RelationShare, ...]  # those of highest share
    relations_rest: float  # all others
    steps: tuple[StepShares, ...]


@dataclass(frozen=True)
class CalibrationRow:
    """How often answers given a probability like this one were right."""

    answer: str  # that this is about
    probability: float  # of that answer, as the model gives it
    low: float  # answers given a probability from here ...
    high: float  # ... to here
    answers: int  # how many there were
    right: float  # share of them that was right
    calibrated: float  # the probability read off a rising curve through all of them
    split: str  # where that was measured
