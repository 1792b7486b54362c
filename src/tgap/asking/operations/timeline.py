"""Tell how many facts happened when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import Options
from tgap.text import Block, Heading, Table

if TYPE_CHECKING:
    from tgap.asking.history import TimelineCounts
    from tgap.asking.model import Model


class TimelineOptions(Options):
    """How finely time is divided."""

    points: int = Field(default=2000, ge=1, le=20_000, description="Instants at most")


def timeline(model: Model, options: TimelineOptions) -> TimelineCounts:
    """Evenly spread instants with the number of facts from each to the next."""
    return model.history.timeline(options.points)


def text(found: TimelineCounts, options: TimelineOptions) -> Iterator[Block]:  # noqa: ARG001
    """One row per instant."""
    yield Heading(f"{found.first} to {found.last}, by {found.unit}")
    rows = tuple((text, f"{count:,}") for text, count in zip(found.texts, found.facts, strict=True))
    yield Table(("from", "facts"), rows, "wr")


OPERATION = Operation(
    name="timeline",
    summary="Tell how many facts happened when.",
    options=TimelineOptions,
    run=timeline,
    reply="tgap.asking.history:TimelineCounts",
    text=text,
    examples=("timeline icews14 --points 12",),
    web=Web(method="GET", at_once=True),
)
