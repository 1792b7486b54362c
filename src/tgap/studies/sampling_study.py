"""Show how the subgraph of a question grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from tgap.asking.operation import FileOutput, Operation
from tgap.asking.options import QuestionOptions
from tgap.studies.options import PICTURES
from tgap.studies.result import StudyResult
from tgap.text import Blank, Block, Heading, Item, Note

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.drawing.growth_picture import GrowthPanel


class SamplingOptions(QuestionOptions):
    """A question, and how much is sampled."""

    core: int = Field(default=2, ge=1, description="Core nodes of a step; the paper's x")
    sampled: int = Field(default=3, ge=1, description="Edges that are looked at for each; the paper's y")
    added: int = Field(default=2, ge=1, description="Edges that join in a step; the paper's z")
    as_trained: bool = Field(
        default=False, description="Grow it as the run answers instead, and show the strongest edges"
    )


@dataclass(frozen=True)
class GrowthStep:
    """One step of the growing subgraph, as the picture shows it."""

    title: str
    core: tuple[str, ...]  # core nodes
    joins: tuple[str, ...]  # entities that join the subgraph
    edges: tuple[str, ...]  # added edges in words, the strongest first


@dataclass(frozen=True)
class Growth(StudyResult):
    """How the subgraph of a question grows."""

    VERSION: ClassVar[str] = "tgap.sampling/1"

    question: str
    steps: tuple[GrowthStep, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class DrawnGrowth:
    """The document together with what is drawn."""

    document: Growth
    panels: tuple[GrowthPanel, ...]

    @property
    def title(self) -> str:
        """What the picture is of."""
        return f"Growing subgraph of {self.document.question}"

    def to_dict(self) -> dict[str, object]:
        """The JSON document."""
        return self.document.to_dict()

    def to_json(self) -> str:
        """The JSON document as text."""
        return self.document.to_json()

    def draw(self, file_format: str = "png") -> bytes:
        """The picture as the bytes of a PNG, SVG or PDF file."""
        from tgap.drawing.growth_picture import growth_drawing
        from tgap.drawing.rendering import drawing_figure, render

        return render(drawing_figure(growth_drawing(self.title, self.panels)), file_format)


def sampling(model: Model, options: SamplingOptions) -> DrawnGrowth:
    """Walk a question with a tiny sample, or with the one of the run."""
    from tgap.drawing.growth_picture import growth_panels
    from tgap.errors import QueryError
    from tgap.studies.comparison.variants import asked_values
    from tgap.studies.other_settings import with_settings

    if not options.as_trained:
        model = with_settings(model, asked_values((options.core, options.sampled, options.added)))
    question = model.resolve(options)
    walker = model.under(question.setting).walker
    panels = growth_panels(model.names, walker.graph, walker.trace(question.query))
    if not panels:
        raise QueryError(f"{model!r} samples no subgraph: it walks one step or the whole graph")
    steps = tuple(
        GrowthStep(
            title=panel.title,
            core=tuple(spot.label for spot in panel.spots if spot.core),
            joins=tuple(spot.label for spot in panel.spots if spot.state == "joins"),
            edges=tuple(key.clause for _, _, key in panel.keys),
        )
        for panel in panels
    )
    return DrawnGrowth(Growth(question.named.text, steps, question.notes), panels)


def text(found: DrawnGrowth, options: SamplingOptions) -> Iterator[Block]:  # noqa: ARG001
    """What joined in each step."""
    yield Heading(found.title)
    for step in found.document.steps:
        yield from (Blank(), Heading(step.title))
        yield Item(f"core nodes: {', '.join(step.core)}")
        yield Item(f"join: {', '.join(step.joins) or 'none'}")
        yield from (Item(f"{number}. {edge}") for number, edge in enumerate(step.edges, start=1))
    yield from map(Note, found.document.notes)


OPERATION = Operation(
    name="sampling",
    summary="Show how the subgraph of a question grows.",
    options=SamplingOptions,
    run=sampling,
    reply="tgap.studies.sampling_study:Growth",
    text=text,
    required=3,
    description=(
        "Core nodes, candidate edges, and those that join, step by step. By default with the paper's tiny x = 2, y = "
        "3, z = 2, because a real sample does not fit a picture."
    ),
    examples=('study sampling icews14 "North Korea" Threaten 2014-04-29 --figure s.png',),
    files=(
        FileOutput(
            name="figure",
            description="Draw the growing subgraph",
            endings=PICTURES,
            write=lambda found, _, ending: found.draw(ending),
        ),
    ),
)
