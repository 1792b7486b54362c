"""The reasons in a document: measured effects, what would change the answer, how attention reached it.

Like those of ``schema``, these dataclasses are the JSON schema, field by field (docs/json-schema.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from tgap.explain.naming import NamedFact


@dataclass(frozen=True)
class EvidenceRow(NamedFact):
    """A fact and what happened when it was taken away."""

    share: Annotated[
        float,
        Field(
            description=(
                "of all moves on the way to the answer, the part that took this fact, in any step and either direction"
            )
        ),
    ]
    effect: Annotated[
        float, Field(description="probability with it minus without it; negative where it speaks against the answer")
    ]
    probability: Annotated[float, Field(description="of the answer without it")]
    rank: Annotated[float, Field(description="of the answer without it")]
    labels: Annotated[
        tuple[str, ...],
        Field(
            description=(
                "what else it is, as codes: copy (the asked fact itself), mirror (the same event recorded from the "
                "other side), same_day (another event of the same two at the time asked about), rival (another answer "
                "on record), other_end (the other end of the same statement), after (later than the time asked about)"
            )
        ),
    ] = ()


@dataclass(frozen=True)
class CoupleRow:
    """Two facts taken away together: whether both are needed, or either is enough, or they add up."""

    facts: Annotated[tuple[NamedFact, NamedFact], Field(description="the two")]
    effect: Annotated[float, Field(description="probability with both minus without both")]
    alone: Annotated[
        tuple[float, float], Field(description="effect of each by itself; 0 where it was below the spread")
    ]
    probability: Annotated[float, Field(description="of the answer without both")]
    rank: Annotated[float, Field(description="of the answer without both")]
    joint: Annotated[
        str,
        Field(
            description=(
                "and: each alone brings at least half of the probability; or: together they bring half, each alone "
                "less than a quarter; sum: neither"
            )
        ),
    ]


@dataclass(frozen=True)
class RemovalRow:
    """A fact taken away after those of the rows before it."""

    fact: Annotated[NamedFact, Field(description="of the candidates the one that then costs most, measured anew")]
    probability: Annotated[float, Field(description="of the answer without this and all earlier ones")]
    rank: Annotated[float, Field(description="of the answer then")]


@dataclass(frozen=True)
class ReadRow:
    """A fact that the re-ranker read."""

    fact: Annotated[NamedFact, Field(description="an event of the answer")]
    probability: Annotated[float, Field(description="of the answer, if the re-ranker alone did not see it")]


@dataclass(frozen=True)
class RerankedRow:
    """What a re-ranker did to the answer of the walk."""

    walk_probability: Annotated[float, Field(description="that the walk alone gives")]
    walk_rank: Annotated[float, Field(description="that the walk alone gives")]
    probability: Annotated[float, Field(description="after the re-ranker")]
    rank: Annotated[float, Field(description="after the re-ranker")]
    facts: Annotated[tuple[ReadRow, ...], Field(description="facts that it read, most telling first")]


@dataclass(frozen=True)
class GroupRow:
    """Facts taken away together."""

    kind: Annotated[
        str,
        Field(
            description=(
                "first: the 2, 3, 5, ... facts of highest share; pair: all visible events of one subject, relation "
                "and object; between: all visible events between two entities; time: all visible events of one time; "
                "and, where none of these decides, day: events of the entity asked about and of the answer at that "
                "time; own: events of the asked relation that the entity asked about had with anyone; toward: those of "
                "the answer"
            )
        ),
    ]
    subject: Annotated[str | None, Field(description="of a pair; one of the entities of other groups")]
    relation: Annotated[str | None, Field(description="of a pair")]
    object: Annotated[str | None, Field(description="of a pair; the other entity of other groups")]
    since: Annotated[str, Field(description="time of the first of the facts")]
    until: Annotated[str, Field(description="time of the last of the facts")]
    facts: Annotated[int, Field(description="how many they are")]
    share: Annotated[float, Field(description="sum of their shares")]
    effect: Annotated[float, Field(description="probability with them minus without them")]
    probability: Annotated[float, Field(description="of the answer without them")]
    rank: Annotated[float, Field(description="of the answer without them")]


@dataclass(frozen=True)
class FlipRow:
    """Facts without which another answer comes first, none of which can be spared."""

    facts: Annotated[tuple[NamedFact, ...], Field(description="strongest first")]
    answer: Annotated[str, Field(description="who comes first then")]
    answer_probability: Annotated[float, Field(description="of that answer then")]
    probability: Annotated[float, Field(description="of the explained answer then")]
    rank: Annotated[float, Field(description="of the explained answer then")]


@dataclass(frozen=True)
class SufficientRow:
    """The answer with only the first facts that speak for it, beside the background."""

    facts: Annotated[
        int,
        Field(
            description="how many of the facts in evidence that have a positive effect and touch the answer, in order"
        ),
    ]
    probability: Annotated[float, Field(description="of the answer")]
    rank: Annotated[float, Field(description="of the answer")]
    kept: Annotated[float, Field(description="part of the probability that is left; may exceed 1")]


@dataclass(frozen=True)
class SufficientTable:
    """How few facts are enough."""

    background: Annotated[
        str, Field(description='what stays visible besides: "facts that do not touch the answer", all of them')
    ]
    touching: Annotated[int, Field(description="facts that touch the answer, which would be visible otherwise")]
    rows: Annotated[tuple[SufficientRow, ...], Field(description="from few to many")]


@dataclass(frozen=True)
class LinkRelation:
    """The events of one relation on a link of a chain."""

    relation: Annotated[str, Field(description="plain name")]
    inverse: Annotated[bool, Field(description="walked against the stored facts")]
    share: Annotated[float, Field(description="of the link")]
    events: Annotated[int, Field(description="the fewest events that bring nine tenths of this")]
    since: Annotated[str, Field(description="time of the first of those")]
    until: Annotated[str, Field(description="time of the last of those")]


@dataclass(frozen=True)
class ChainLink:
    """One hop of a chain."""

    subject: Annotated[str, Field(description="where it was left")]
    object: Annotated[str, Field(description="where it leads")]
    events: Annotated[int, Field(description="events between the two that carried the chain")]
    relations: Annotated[tuple[LinkRelation, ...], Field(description="the strongest, with what each brings")]


@dataclass(frozen=True)
class ChainRow:
    """All walks through the same entities."""

    share: Annotated[float, Field(description="exact share of the answer's probability")]
    sentence: Annotated[str, Field(description="the chain in words")]
    links: Annotated[tuple[ChainLink, ...], Field(description="in order; empty where attention stayed")]


@dataclass(frozen=True)
class ChainTable:
    """The heaviest chains to the answer."""

    chains: Annotated[tuple[ChainRow, ...], Field(description="heaviest first")]
    rest: Annotated[float, Field(description="share of all chains that are not listed")]
    complete: Annotated[bool, Field(description="false: the search was cut short, heavier chains may be missing")]


@dataclass(frozen=True)
class TimeShare:
    """What the facts of one time brought."""

    time: Annotated[str, Field(description="as the dataset writes it")]
    displacement: Annotated[int, Field(description="from the question's time, in units of the timeline")]
    share: Annotated[float, Field(description="of all moves on the way to the answer")]


@dataclass(frozen=True)
class RelationShare:
    """What the facts of one relation brought, walked either way."""

    relation: Annotated[str, Field(description="plain name")]
    share: Annotated[float, Field(description="of all moves on the way to the answer")]


@dataclass(frozen=True)
class EntityShare:
    """Part of the answer's probability that stood on an entity after a step."""

    name: Annotated[str, Field(description="the entity")]
    share: Annotated[float, Field(description="of the answer's probability")]


@dataclass(frozen=True)
class StepShares:
    """Where this answer's probability stood after a step."""

    step: Annotated[int, Field(description="from 1")]
    entities: Annotated[tuple[EntityShare, ...], Field(description="those of highest share")]
    rest: Annotated[float, Field(description="on all other entities")]


@dataclass(frozen=True)
class ShareTable:
    """The flow to this answer. Past, present, future and self-loops sum to 1; so do the entities of each step."""

    past: Annotated[float, Field(description="share of the facts before the question's time")]
    present: Annotated[float, Field(description="share of the facts at the question's time")]
    future: Annotated[float, Field(description="share of the facts after it")]
    self_loops: Annotated[float, Field(description="stayed on self-loops")]
    times: Annotated[tuple[TimeShare, ...], Field(description="in rising order, all that brought something")]
    relations: Annotated[tuple[RelationShare, ...], Field(description="those of highest share")]
    relations_rest: Annotated[float, Field(description="share of all other relations")]
    steps: Annotated[tuple[StepShares, ...], Field(description="where the answer's probability stood after each step")]


@dataclass(frozen=True)
class CalibrationRow:
    """How often answers given a probability like this one were right."""

    answer: Annotated[str, Field(description="the answer that this is about")]
    probability: Annotated[
        float,
        Field(description="of that answer, as the model gives it, among those that train does not tell already"),
    ]
    low: Annotated[float, Field(description="answers given a probability from here ...")]
    high: Annotated[float, Field(description="... to here")]
    answers: Annotated[int, Field(description="how many there were")]
    right: Annotated[float, Field(description="share of them that was right")]
    calibrated: Annotated[
        float,
        Field(description="the probability read off a rising curve through all answers; the order of answers stays"),
    ]
    split: Annotated[str, Field(description="where that was measured: valid")]
    relation: Annotated[
        str | None, Field(description="the relation that the counted answers are of; null: of all, as it has too few")
    ] = None
    base_rate: Annotated[
        float | None,
        Field(
            description=(
                "part of all times at which train has a fact of the entity asked about and this relation: how often "
                "something of the kind happens at all; right and calibrated hold if it happened"
            )
        ),
    ] = None
