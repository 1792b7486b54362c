"""The explanation as a document. These dataclasses are the JSON schema, field by field (docs/json-schema.md).

Every document carries its ``VERSION``. A new field keeps the version; a field that is renamed, removed or changes its
meaning raises it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tgap.explain.evidence_schema import (
    CalibrationRow,
    ChainTable,
    CoupleRow,
    EvidenceRow,
    FlipRow,
    GroupRow,
    RemovalRow,
    RerankedRow,
    ShareTable,
    SufficientTable,
)
from tgap.explain.naming import NamedEdge


@dataclass(frozen=True)
class Question:
    """What was asked, by its stored names. The side that is asked for is None."""

    subject: Annotated[str | None, Field(description="named entity, or null where it is asked for")]
    relation: Annotated[str, Field(description="in the direction of the fact, whichever side is asked for")]
    object: Annotated[str | None, Field(description="named entity, or null where it is asked for")]
    time: Annotated[str, Field(description="the time that is asked about")]

    @property
    def asks(self) -> str:
        """Which side of the fact is asked for: subject or object."""
        return "subject" if self.subject is None else "object"

    @property
    def start(self) -> str:
        """The named entity, where the walk begins."""
        return self.subject or self.object or "?"

    @property
    def text(self) -> str:
        """The question on one line."""
        return f"({self.subject or '?'}, {self.relation}, {self.object or '?'}, {self.time})"


@dataclass(frozen=True)
class Answer:
    """An entity as an answer."""

    name: Annotated[str, Field(description="the entity")]
    rank: Annotated[float, Field(description="1 is best; ties count half")]
    score: Annotated[float, Field(description="a probability where the method walks, else whatever the method gives")]
    known: Annotated[
        str | None,
        Field(
            description=(
                '"on this day" (or "in this year" and so on, by the timeline): a stored fact says so at the time '
                'asked about; "at another time": only at other times; null: no stored fact'
            )
        ),
    ]
    known_when: Annotated[str | None, Field(description='the same as a code: "same", "other" or null')]
    known_in: Annotated[
        tuple[str, ...],
        Field(description="splits of the dataset that hold such a fact: train, valid, test; context: appended later"),
    ]


@dataclass(frozen=True)
class EdgeRow(NamedEdge):
    """An edge in one step."""

    subject_attention: Annotated[float, Field(description="attention that its subject held before the step")]
    attention: Annotated[float, Field(description="attention that crossed it (mean over flows)")]
    answer_share: Annotated[float, Field(description="share of the answer's probability that crossed it in this step")]


@dataclass(frozen=True)
class NodeRow:
    """An entity after a step."""

    name: Annotated[str, Field(description="the entity")]
    attention: Annotated[float, Field(description="attention that it holds after the step")]


@dataclass(frozen=True)
class StepTable:
    """One step of the walk."""

    step: Annotated[int, Field(description="from 1")]
    edges: Annotated[tuple[EdgeRow, ...], Field(description="strongest first, self-loops left out")]
    nodes: Annotated[tuple[NodeRow, ...], Field(description="entities that hold most attention after the step")]
    used_edges: Annotated[int, Field(description="edges that carried attention, self-loops left out")]
    self_loops: Annotated[float, Field(description="attention that stayed on self-loops")]
    core_nodes: Annotated[tuple[str, ...], Field(description="entities that the subgraph grew from")]
    candidate_edges: Annotated[int, Field(description="edges looked at")]
    added_edges: Annotated[int, Field(description="edges that joined the subgraph")]
    subgraph_nodes: Annotated[int, Field(description="entities of the subgraph after the step")]


@dataclass(frozen=True)
class WalkEdge(NamedEdge):
    """An edge of a walk."""

    step: Annotated[
        int,
        Field(
            description="the step in which the edge is taken, from 1; of all ways to place the self-loops, the heaviest"
        ),
    ]


@dataclass(frozen=True)
class PathRow:
    """A walk to the answer, self-loops folded away."""

    share: Annotated[
        float,
        Field(
            description=(
                "exact share of the answer's probability; walks that differ only in when they take a self-loop are one"
            )
        ),
    ]
    sentence: Annotated[str, Field(description="the walk in words")]
    edges: Annotated[tuple[WalkEdge, ...], Field(description="in order; empty where attention stayed")]
    entities: Annotated[tuple[str, ...], Field(description="the entity that the walk is on after 0, 1, ... steps")]


@dataclass(frozen=True)
class PathTable:
    """The heaviest walks to the answer."""

    walks: Annotated[tuple[PathRow, ...], Field(description="heaviest first")]
    rest: Annotated[float, Field(description="share of all walks that are not listed")]
    count: Annotated[
        float,
        Field(
            description=(
                "number of walks to the answer; walks that differ only in when they take a self-loop count separately"
            )
        ),
    ]
    complete: Annotated[bool, Field(description="false: the search was cut short, heavier walks may be missing")]


@dataclass(frozen=True)
class FlowNode(NodeRow):
    """An entity in a picture of the flow."""

    answer_share: Annotated[float, Field(description="share of the answer's probability that then stood here")]


@dataclass(frozen=True)
class EventRow:
    """An edge of a bundle, which tells its ends, sign and direction."""

    relation: Annotated[str, Field(description="plain name, whichever way the edge was walked")]
    time: Annotated[str, Field(description="date of the fact")]
    displacement: Annotated[
        int, Field(description="time of the fact minus the question's time, in units of the timeline")
    ]
    relative_time: Annotated[str, Field(description='the displacement in words: "7 days before"')]
    attention: Annotated[float, Field(description="attention that crossed it in this step")]
    answer_share: Annotated[float, Field(description="share of the answer's probability that crossed it in this step")]


@dataclass(frozen=True)
class BundleRow:
    """Edges of one step between the same two entities, on the same side of the question's time, the same way round."""

    subject: Annotated[str, Field(description="where they were left")]
    object: Annotated[str, Field(description="where they lead")]
    sign: Annotated[str, Field(description='side of the question\'s time: "past", "present" or "future"')]
    inverse: Annotated[bool, Field(description="walked against the stored facts")]
    size: Annotated[int, Field(description="edges in the bundle, listed or not")]
    attention: Annotated[float, Field(description="attention that crossed all of them")]
    answer_share: Annotated[
        float, Field(description="share of the answer's probability that crossed them in this step")
    ]
    rest_attention: Annotated[float, Field(description="attention that crossed bundles of less attention in this step")]
    rest_share: Annotated[
        float, Field(description="share of the answer that crossed bundles of a smaller share in this step")
    ]
    walks: Annotated[
        tuple[int, ...],
        Field(description="places, from 0, of the listed walks that take one of its edges in this step"),
    ]
    events: Annotated[tuple[EventRow, ...], Field(description="its strongest edges, and those of the listed walks")]


@dataclass(frozen=True)
class FlowStep:
    """One step of a picture of the flow."""

    step: Annotated[int, Field(description="from 1")]
    bundles: Annotated[
        tuple[BundleRow, ...],
        Field(
            description=(
                "most attention first: the heaviest by attention, the heaviest by share of the answer, those of the "
                "listed walks"
            )
        ),
    ]
    moved: Annotated[float, Field(description="attention that crossed edges")]
    moved_share: Annotated[float, Field(description="share of the answer's probability that crossed edges")]
    self_loops: Annotated[float, Field(description="attention that stayed on self-loops")]
    self_loops_share: Annotated[float, Field(description="share of the answer's probability that stayed")]


@dataclass(frozen=True)
class FlowTable:
    """The whole walk for a picture: where attention stood after every step, and what it crossed in between."""

    columns: Annotated[
        tuple[tuple[FlowNode, ...], ...],
        Field(
            description=(
                "after 0, 1, ... steps: every entity where a bundle begins or ends or a listed walk stands, most "
                "attention first"
            )
        ),
    ]
    steps: Annotated[tuple[FlowStep, ...], Field(description="what was crossed between two columns")]


@dataclass(frozen=True)
class ReachRow:
    """How the answer lies from where the walk begins."""

    steps: Annotated[int, Field(description="steps that the walk takes")]
    distance: Annotated[
        int | None, Field(description="edges on the shortest walk; null where no walk of any length leads there")
    ]
    reachable: Annotated[bool, Field(description="a walk of steps steps can end at the answer")]
    sentence: Annotated[str, Field(description="the same in words")]


@dataclass(frozen=True)
class DisplacementRow:
    """One displacement of a profile."""

    displacement: Annotated[int, Field(description="in units of the timeline")]
    attention: Annotated[float, Field(description="share of all attention")]
    base: Annotated[float, Field(description="edges within reach of the walk, summed over questions")]
    base_share: Annotated[float, Field(description="the same as a share of all edges within reach")]


@dataclass(frozen=True)
class RelationRow:
    """One edge relation of a profile, as shares of all attention."""

    relation: Annotated[str, Field(description="relation of the edges")]
    inverse: Annotated[bool, Field(description="walked against the stored facts")]
    attention: Annotated[float, Field(description="share of all attention")]
    past: Annotated[float, Field(description="part of it at displacements below 0")]
    present: Annotated[float, Field(description="part of it at displacements 0")]
    future: Annotated[float, Field(description="part of it at displacements above 0")]


@dataclass(frozen=True)
class ProfileTable:
    """How far in time attention looked, beside how far it could have looked."""

    queries: Annotated[int, Field(description="questions behind the means; 1 in an explanation")]
    unit: Annotated[str, Field(description="unit of the timeline: day, year, ...")]
    bin: Annotated[int, Field(description="units that share a row of displacements; 1 but for very long timelines")]
    self_loops: Annotated[float, Field(description="share of all attention that stayed on self-loops")]
    attention: Annotated[dict[str, float], Field(description="past, present, future: shares of all attention")]
    base: Annotated[dict[str, float], Field(description="past, present, future: shares of the edges within reach")]
    displacements: Annotated[tuple[DisplacementRow, ...], Field(description="in rising order, only those that occur")]
    relations: Annotated[tuple[RelationRow, ...], Field(description="the edge relations that attention used most")]


@dataclass(frozen=True)
class Document:
    """A whole explanation."""

    VERSION: ClassVar[str] = "tgap.explanation/3"

    question: Annotated[Question, Field(description="what was asked")]
    instant: Annotated[
        int, Field(description="the question's time: units of the timeline after the dataset's first instant")
    ]
    answer: Annotated[Answer, Field(description="the answer that is explained, and how it stands")]
    sentence: Annotated[
        str | None,
        Field(description="why, in one line of plain words, as the measurements have it; null where none were wanted"),
    ]
    kind: Annotated[
        str | None,
        Field(
            description=(
                "what the sentence says, as a code: one (one fact brings half of the probability or more), both (each "
                "of several does: all are needed), either (two together do, each alone less than a quarter), few (2 to "
                "5 facts together do), pair, between, time, day, own, toward (all events of such a group do), many "
                "(none of these), none (no fact that was tried speaks for the answer), stays (attention never left), "
                "unreached (none arrived)"
            )
        ),
    ]
    calibration: Annotated[
        CalibrationRow | None,
        Field(
            description=(
                "how often answers of such a probability were right; null where the run was not calibrated or the "
                "answer has less than 1 %"
            )
        ),
    ]
    asked_fact_hidden: Annotated[
        bool, Field(description="the asked fact stands in train and was hidden from the walk, as in training")
    ]
    evidence: Annotated[
        tuple[EvidenceRow, ...], Field(description="facts taken away one at a time, strongest effect first")
    ]
    groups: Annotated[tuple[GroupRow, ...], Field(description="facts taken away together")]
    couples: Annotated[
        tuple[CoupleRow, ...], Field(description="any two of the strongest facts taken away together, strongest first")
    ]
    removals: Annotated[
        tuple[RemovalRow, ...], Field(description="facts taken away one after the other, measured anew each time")
    ]
    flips: Annotated[
        FlipRow | None,
        Field(
            description=(
                "the smallest set found that would change the answer; null where none was found, or the answer is not"
                " the first"
            )
        ),
    ]
    flip_tried: Annotated[
        int, Field(description="facts among which a flip was searched for; 0 where the answer is not the first")
    ]
    sufficient: Annotated[SufficientTable | None, Field(description="how few facts are enough")]
    reranked: Annotated[
        RerankedRow | None, Field(description="the part of a re-ranker; null where the method has none")
    ]
    spread: Annotated[
        float | None,
        Field(
            description=(
                "how far the probability ranges over seeds where a sample decides (hub_edges, caps); smaller effects "
                "are left out; null where every edge is looked at"
            )
        ),
    ]
    chains: Annotated[ChainTable, Field(description="walks through the same entities, taken together")]
    shares: Annotated[ShareTable, Field(description="the flow to this answer by time, relation and entity")]
    reach: Annotated[ReachRow, Field(description="whether a walk can reach the answer at all")]
    steps: Annotated[
        tuple[StepTable, ...], Field(description="the strongest edges of every step, and what was sampled")
    ]
    paths: Annotated[PathTable, Field(description="the heaviest walks to the answer")]
    profile: Annotated[ProfileTable, Field(description="how far in time attention looked")]
    flow: Annotated[FlowTable | None, Field(description="the walk for a picture; null unless it was asked for")]
    notes: Annotated[
        tuple[str, ...],
        Field(description="what the reader should know: a time outside the data, an entity without facts"),
    ]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, ready for JSON."""
        found: dict[str, Any] = plain(self)
        return found


def plain(document: Any) -> Any:
    """Dataclasses as dictionaries, tuples as lists; documents carry their version, questions the side they ask for."""
    if isinstance(document, Question):
        fields = {field.name: getattr(document, field.name) for field in dataclasses.fields(document)}
        return {**fields, "asks": document.asks}
    if dataclasses.is_dataclass(document):
        fields = {field.name: plain(getattr(document, field.name)) for field in dataclasses.fields(document)}
        version = getattr(document, "VERSION", None)
        return fields if version is None else {"schema": version, **fields}
    if isinstance(document, tuple | list):
        return [plain(entry) for entry in document]
    if isinstance(document, dict):
        return {key: plain(value) for key, value in document.items()}
    return document
