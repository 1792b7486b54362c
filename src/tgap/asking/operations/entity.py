"""Tell when an entity was active, with whom and in which relations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import Name, Options
from tgap.text import Block, Heading, Line, Table

if TYPE_CHECKING:
    from tgap.asking.history import EntityHistory
    from tgap.asking.model import Model


class EntityOptions(Options):
    """An entity."""

    entity: Name = Field(description="The entity")


def entity(model: Model, options: EntityOptions) -> EntityHistory:
    """What the dataset holds about an entity."""
    return model.history.entity(model.entity_id(options.entity))


def text(found: EntityHistory, options: EntityOptions) -> Iterator[Block]:  # noqa: ARG001
    """Counts, partners and relations."""
    yield Heading(found.entity)
    span = f", from {found.first} to {found.last}" if found.first else ""
    yield Line(f"{found.total:,} facts{span}; subject of {found.acting:,}")
    yield Table(("partner", "facts"), tuple((row.name, f"{row.facts:,}") for row in found.partners[:10]), "lr")
    yield Table(("relation", "facts"), tuple((row.relation, f"{row.facts:,}") for row in found.relations[:10]), "lr")


OPERATION = Operation(
    name="entity",
    summary="Tell when an entity was active, with whom and in which relations.",
    options=EntityOptions,
    run=entity,
    reply="tgap.asking.history:EntityHistory",
    text=text,
    positional=("entity",),
    required=1,
    examples=('entity icews14 "North Korea"',),
    web=Web(method="GET", at_once=True),
)
