"""Follow answers through time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import Cli, Name, SightOptions, Time
from tgap.text import Block, Heading, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.asking.sweeps import Sweep


class SweepOptions(SightOptions):
    """A question without its time, answers to follow, and the stretch of time to follow them through."""

    subject: Name | None = Field(default=None, description='An entity, or null or "?" where it is asked for')
    relation: Name = Field(description="A relation, in the direction of the fact whichever side is asked for")
    object: Name | None = Field(default=None, description='An entity, or null or "?" where it is asked for')
    since: Annotated[Time, Cli(flag="--from", metavar="TIME")] = Field(description="First instant")
    until: Annotated[Time, Cli(flag="--to", metavar="TIME")] = Field(description="Last instant")
    points: int = Field(default=31, ge=2, le=121, description="Instants to look at, evenly spread")
    answers: Annotated[tuple[Name, ...], Cli(flag="--answer", metavar="NAME")] = Field(
        min_length=1, max_length=8, description="Answers to follow"
    )


def sweep(model: Model, options: SweepOptions) -> Sweep:
    """How each answer stands at evenly spread instants, beside the best one."""
    from tgap.asking.sweeps import Sweep, sweep_points

    return Sweep(points=tuple(make() for make in sweep_points(model, options)))


def entries(model: Model, options: SweepOptions) -> list[tuple[int, Callable[[], dict[str, Any]]]]:
    """One entry per instant, in their order."""
    from tgap.asking.sweeps import sweep_points

    def entry(make: Callable[[], Any]) -> Callable[[], dict[str, Any]]:
        return lambda: {"point": make().to_dict()}

    return [(index, entry(make)) for index, make in enumerate(sweep_points(model, options))]


def text(found: Sweep, options: SweepOptions) -> Iterator[Block]:
    """One row per instant."""
    yield Heading(f"({options.subject or '?'}, {options.relation}, {options.object or '?'})")
    names = [answer.name for answer in found.points[0].answers]
    rows = tuple(
        (point.time, point.best.name, f"{point.best.score:.4f}", *(f"{answer.score:.4f}" for answer in point.answers))
        for point in found.points
    )
    yield Table(("time", "best", "", *names), rows, "wlr" + "r" * len(names))


OPERATION = Operation(
    name="sweep",
    summary="Follow answers through time.",
    options=SweepOptions,
    run=sweep,
    reply="tgap.asking.sweeps:Sweep",
    text=text,
    positional=("subject", "relation", "object"),
    required=2,
    examples=('sweep icews14 "North Korea" Threaten --from 2014-04-01 --to 2014-05-31 --answer Japan',),
    web=Web(media="application/x-ndjson"),
    entries=entries,
    entry="tgap.asking.sweeps:SweepEntry",
)
