"""Find names of entities or relations by a part of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import LONGEST_NAME, Name, Options
from tgap.text import Block, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.asking.names import Matches


class SearchOptions(Options):
    """What was typed."""

    q: str = Field(default="", max_length=LONGEST_NAME, description="Part of a name; none: the most used names")
    kind: Literal["entity", "relation"] = Field(default="entity", description="What to look for")
    limit: int = Field(default=10, ge=1, le=50, description="Names to list")
    subject: Name | None = Field(default=None, description="Relations of facts with this subject come first")
    object: Name | None = Field(default=None, description="Relations of facts with this object come first")


def search(model: Model, options: SearchOptions) -> Matches:
    """Names by a part of them: the most used first, beginnings before the inside of words."""
    from tgap.asking.names import Matches

    found = model.name_index.search(options.kind, options.q, options.limit, options.subject, options.object)
    return Matches(matches=found)


def text(found: Matches, options: SearchOptions) -> Iterator[Block]:  # noqa: ARG001
    """The names and how many facts hold each."""
    yield Table(("name", "facts"), tuple((row.name, f"{row.facts:,}") for row in found.matches), "lr")


OPERATION = Operation(
    name="search",
    summary="Find names of entities or relations by a part of them.",
    options=SearchOptions,
    run=search,
    reply="tgap.asking.names:Matches",
    text=text,
    positional=("q",),
    examples=("search icews14 'noth korea'", "search icews14 visit --kind relation"),
    web=Web(method="GET", at_once=True),
)
