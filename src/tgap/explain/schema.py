"""The explanation as a document: the dataclasses here are the JSON schema, field by field (docs/json-schema.md).

``VERSION`` stands in every document. A field may be added under the same version; a field that is renamed, removed or
changes its meaning raises it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from tgap.explain.evidence_schema import (
    CalibrationRow,
    ChainTable,
    EvidenceRow,
    FlipRow,
    GroupRow,
    ShareTable,
    SufficientTable,
)
from tgap.explain.naming import NamedEdge

VERSION = "tgap.explanation/2"


@dataclass(frozen=True)
class Question:
    """What was asked, by its stored names. The side that is asked for is None."""

    subject: str | None
    relation: str
    object: str | None
    time: str

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

    name: str
    rank: float  # 1 is best; ties count half
    score: float  # a probability where the method walks, else whatever the method gives
    known: str | None  # "on this day", "at another time": a stored fact says so; None: no stored fact does
    known_when: str | None  # the same as a code: "same" or "other" time
    known_in: tuple[str, ...]  # splits of the dataset that hold that fact


@dataclass(frozen=True)
class EdgeRow(NamedEdge):
    """An edge in one step."""

    before: float  # attention that its subject held before the step
    attention: float  # attention that crossed it (mean over flows)
    through: float  # share of the answer's probability that crossed it in this step


@dataclass(frozen=True)
class NodeRow:
    """An entity after a step."""

    name: str
    attention: float


@dataclass(frozen=True)
class StepTable:
    """One step of the walk."""

    step: int  # from 1
    edges: tuple[EdgeRow, ...]  # strongest first, self-loops left out
    nodes: tuple[NodeRow, ...]  # entities that hold most attention after the step
    carried: int  # edges that carried attention, self-loops left out
    waiting: float  # attention that stayed on self-loops
    core: tuple[str, ...]  # entities that the subgraph grew from
    candidates: int  # edges looked at
    added: int  # edges that joined the subgraph
    subgraph: int  # entities of the subgraph after the step


@dataclass(frozen=True)
class WalkEdge(NamedEdge):
    """An edge of a walk."""

    step: int  # in which it is taken, from 1: of all ways to spread the waits, the one that weighs most


@dataclass(frozen=True)
class PathRow:
    """A walk to the answer, self-loops folded away."""

    share: float  # of the answer's probability
    sentence: str
    edges: tuple[WalkEdge, ...]
    places: tuple[str, ...]  # where the walk stands after 0, 1, ... steps


@dataclass(frozen=True)
class PathTable:
    """The heaviest walks to the answer."""

    walks: tuple[PathRow, ...]
    rest: float  # share of all walks that are not listed
    number: float  # walks to the answer, waits counted
    complete: bool  # False: the search was cut short, heavier walks may be missing


@dataclass(frozen=True)
class FlowNode(NodeRow):
    """An entity in a picture of the flow."""

    through: float  # share of the answer's probability that then stood here


@dataclass(frozen=True)
class EventRow:
    """An edge of a bundle, which tells its ends, sign and direction."""

    relation: str
    time: str
    displacement: int  # t_e - t_q in units of the timeline
    words: str  # the displacement in words: "7 days before"
    attention: float  # that crossed it in this step
    through: float  # share of the answer's probability that crossed it in this step


@dataclass(frozen=True)
class BundleRow:
    """Edges of one step between the same two entities, on the same side of the question's time, the same way round."""

    subject: str
    object: str
    sign: str  # past, present or future
    inverse: bool  # walked against the stored facts
    size: int  # edges in it
    attention: float  # that crossed all of them
    through: float  # share of the answer's probability that crossed them
    lighter: float  # attention that crossed bundles of less attention in this step
    lighter_through: float  # share of the answer that crossed bundles of a smaller share in this step
    walks: tuple[int, ...]  # places, from 0, of the listed walks that take one of its edges in this step
    events: tuple[EventRow, ...]  # its strongest edges, and those of the listed walks


@dataclass(frozen=True)
class FlowStep:
    """One step of a picture of the flow."""

    step: int  # from 1
    bundles: tuple[BundleRow, ...]  # most attention first
    moved: float  # attention that crossed edges
    moved_through: float  # share of the answer's probability that crossed edges
    waiting: float  # attention that stayed on self-loops
    waiting_through: float  # share of the answer's probability that stayed


@dataclass(frozen=True)
class FlowTable:
    """The whole walk for a picture: where attention stood after every step, and what it crossed in between."""

    columns: tuple[tuple[FlowNode, ...], ...]  # after 0, 1, ... steps: every end of a bundle, most attention first
    steps: tuple[FlowStep, ...]


@dataclass(frozen=True)
class ReachRow:
    """How the answer lies from where the walk begins."""

    steps: int  # steps that the walk takes
    distance: int | None  # edges on the shortest walk; None: no walk of any length
    reachable: bool
    sentence: str


@dataclass(frozen=True)
class DisplacementRow:
    """One displacement of a profile."""

    displacement: int
    attention: float  # share of all attention
    base: float  # edges within reach
    base_share: float  # of all edges within reach


@dataclass(frozen=True)
class RelationRow:
    """One edge relation of a profile, as shares of all attention."""

    relation: str
    inverse: bool
    attention: float
    past: float
    present: float
    future: float


@dataclass(frozen=True)
class ProfileTable:
    """How far in time attention looked, beside how far it could have looked."""

    queries: int
    unit: str  # of the timeline: day, year, ...
    bin: int  # units that share a row
    waiting: float  # share of all attention that stayed on self-loops
    attention: dict[str, float]  # past, present, future: shares of all attention
    base: dict[str, float]  # past, present, future: shares of the edges within reach
    displacements: tuple[DisplacementRow, ...]
    relations: tuple[RelationRow, ...]


@dataclass(frozen=True)
class Document:
    """A whole explanation."""

    question: Question
    instant: int  # the question's time: units of the timeline after the dataset's first
    answer: Answer
    sentence: str | None  # why, in one line; None where no effect was to be measured
    kind: str | None  # of the sentence, as a code: one, few, pair, many, none, stays, unreached
    calibration: CalibrationRow | None  # how often answers of such a probability were right; None: not measured
    asked_fact_hidden: bool  # the asked fact stands in train and was hidden, as in training
    evidence: tuple[EvidenceRow, ...]  # facts taken away one at a time, strongest effect first
    groups: tuple[GroupRow, ...]  # facts taken away together
    flips: FlipRow | None  # the smallest set found that would change the answer; None: none was found, or looked for
    sufficient: SufficientTable | None
    chains: ChainTable
    shares: ShareTable  # the flow to this answer by time, relation and entity
    reach: ReachRow
    steps: tuple[StepTable, ...]
    paths: PathTable
    profile: ProfileTable
    flow: FlowTable | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, ready for JSON."""
        return {"schema": VERSION, **plain(self)}


def plain(document: Any) -> Any:
    """Dataclasses as dictionaries, tuples as lists; a question also says which side it asks for."""
    if isinstance(document, Question):
        fields = {field.name: getattr(document, field.name) for field in dataclasses.fields(document)}
        return {**fields, "asks": document.asks}
    if dataclasses.is_dataclass(document):
        return {field.name: plain(getattr(document, field.name)) for field in dataclasses.fields(document)}
    if isinstance(document, tuple | list):
        return [plain(entry) for entry in document]
    if isinstance(document, dict):
        return {key: plain(value) for key, value in document.items()}
    return document
