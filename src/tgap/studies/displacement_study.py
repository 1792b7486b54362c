"""Show how far in time attention looks, by relation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from tgap.asking.operation import FileOutput, Operation, Progress, Web
from tgap.asking.options import Cli, Name
from tgap.explain.schema import ProfileTable
from tgap.studies.options import PICTURES, Relations, Side, SplitOptions
from tgap.studies.result import StudyResult
from tgap.text import Block, Heading

if TYPE_CHECKING:
    from tgap.asking.model import Model

_MOST = 200  # questions of a request


class DisplacementOptions(SplitOptions):
    """Whose questions are walked, and how they are drawn."""

    relations: Relations = Field(default=(), description="Relations to study; default: all together")
    side: Side = Field(default="tail", description="Side of the facts that is asked for")
    limit: int | None = Field(default=None, ge=1, description="Ask only a random sample of N questions a relation")
    axis: Annotated[int, Cli(text=True)] = Field(
        default=100, ge=1, description="Units of time to both sides in the figure"
    )


class DisplacementRequest(DisplacementOptions):
    """The same in a query string, which may name several relations and asks few questions."""

    relations: tuple[Name, ...] = Field(
        default=(), alias="relation", max_length=8, description="Relation to study; may be repeated"
    )
    limit: int | None = Field(default=50, ge=1, le=_MOST, description="Questions of each relation, drawn at random")


@dataclass(frozen=True)
class RelationProfile(ProfileTable):
    """How far in time attention looked for the questions of one relation."""

    relation: Annotated[str, Field(description='the relation that is asked for, or "all relations"')]
    available: Annotated[int, Field(description="questions that the split has; `queries` of them were walked")]


@dataclass(frozen=True)
class DisplacementProfiles(StudyResult):
    """Attention against displacement, beside the displacements of all edges within reach."""

    VERSION: ClassVar[str] = "tgap.displacement/2"

    dataset: Annotated[str, Field(description="what the questions are about")]
    split: Annotated[str, Field(description="whose facts are asked for")]
    side: Annotated[str, Field(description="side of the facts that is asked for: tail, head or both")]
    profiles: Annotated[tuple[RelationProfile, ...], Field(description="one for each relation that was named")]

    def title(self, profile: RelationProfile) -> str:
        """What a profile is of."""
        words = f"{profile.queries:,} question{'s' if profile.queries != 1 else ''}"
        number = words if profile.queries == profile.available else f"{words} of {profile.available:,}"
        return f"{profile.relation} ({self.split}, {self.side}): {number}"


def displacement(model: Model, options: DisplacementOptions, progress: Progress | None = None) -> DisplacementProfiles:
    """Walk the questions of each relation, or of all, and sum attention by displacement."""
    from tgap.explain.tables import profile_table
    from tgap.studies.relation_profiles import queries_profile
    from tgap.studies.split_questions import questions_about, split_questions

    walker, found = model.walker, []
    every = split_questions(model.dataset, options.split, options.side)
    parts = {
        model.dataset.relations.name(model.relation_id(name)): questions_about(model, every, (name,), options.split)
        for name in options.relations
    }
    for name, asked in (parts or {"all relations": every}).items():
        queries = asked if options.limit is None else asked.sample(options.limit, options.seed)
        profile = profile_table(model.names, queries_profile(walker, queries.batch, progress))
        found.append(RelationProfile(**vars(profile), relation=name, available=queries.available))
    return DisplacementProfiles(model.dataset.name, options.split, options.side, tuple(found))


def text(found: DisplacementProfiles, options: DisplacementOptions) -> Iterator[Block]:  # noqa: ARG001
    """Each profile under its title."""
    from tgap.asking.explanation_text import profile_text

    for profile in found.profiles:
        yield Heading(found.title(profile))
        yield from profile_text(profile)


def _figure(found: DisplacementProfiles, options: DisplacementOptions, ending: str) -> bytes:
    from tgap.drawing.profile_figure import Panel, profile_figure
    from tgap.drawing.rendering import render

    panels = [Panel(found.title(profile), profile) for profile in found.profiles]
    return render(profile_figure(panels, options.axis), ending)


OPERATION = Operation(
    name="displacement",
    summary="Show how far in time attention looks, by relation.",
    options=DisplacementOptions,
    run=displacement,
    reply="tgap.studies.displacement_study:DisplacementProfiles",
    text=text,
    description=(
        "Attention against displacement, beside the displacements of all edges within reach. Self-loops have no "
        "displacement and are shown apart. The number of questions stands with every figure: a relation with two test "
        "facts shows two anecdotes, not a habit."
    ),
    examples=(
        "study displacement icews14 --relation Threaten --figure profile.png",
        "study displacement icews14 --side both",
    ),
    files=(
        FileOutput(
            name="figure", description="Draw a row of panels for each relation", endings=PICTURES, write=_figure
        ),
    ),
    web=Web(method="GET", patient=True, options=DisplacementRequest),
    long=True,
)
