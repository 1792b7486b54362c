"""List the stored facts of an entity that are nearest to a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import Name, Options, Time
from tgap.text import Block, Heading, Table

if TYPE_CHECKING:
    from tgap.asking.history import EntityFacts
    from tgap.asking.model import Model


class FactsOptions(Options):
    """An entity and a time."""

    entity: Name = Field(description="The entity")
    time: Time = Field(description="Facts nearest to this time")
    limit: int = Field(default=20, ge=1, le=200, description="Facts to list")
    partner: Name | None = Field(default=None, description="Only facts with this entity")
    relation: Name | None = Field(default=None, description="Only facts of this relation")


def facts(model: Model, options: FactsOptions) -> EntityFacts:
    """Stored facts of an entity around a time."""
    from tgap.asking.question import read_time

    partner = None if options.partner is None else model.entity_id(options.partner, "partner")
    relation = None if options.relation is None else model.relation_id(options.relation)
    time = read_time(model.dataset, options.time)
    return model.history.around(model.entity_id(options.entity), time, options.limit, partner, relation)


def text(found: EntityFacts, options: FactsOptions) -> Iterator[Block]:  # noqa: ARG001
    """The facts as a table."""
    yield Heading(f"{found.entity} around {found.time}: {len(found.facts):,} of {found.total:,} facts")
    rows = tuple((row.subject, row.relation, row.object, row.time, row.relative_time, row.split) for row in found.facts)
    yield Table(("subject", "relation", "object", "time", "displacement", "split"), rows, "lllwwl")


OPERATION = Operation(
    name="facts",
    summary="List the stored facts of an entity that are nearest to a time.",
    options=FactsOptions,
    run=facts,
    reply="tgap.asking.history:EntityFacts",
    text=text,
    positional=("entity", "time"),
    required=2,
    examples=('facts icews14 "North Korea" 2014-04-29 --partner "South Korea"',),
    web=Web(method="GET", at_once=True),
)
