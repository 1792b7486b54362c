"""List the stored facts of subject and answer that are nearest in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import QuestionOptions
from tgap.text import Block, Heading, Line, Note, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.asking.support import Support


class SupportOptions(QuestionOptions):
    """A question and the answer to find facts for."""

    count: int = Field(default=8, ge=1, le=200, description="Facts to list")


def support(model: Model, options: SupportOptions) -> Support:
    """What can be shown for an answer whatever the method."""
    from tgap.asking.support import support_of

    question = model.resolve(options)
    return support_of(model.under(question.setting), question, options.count)


def text(found: Support, options: SupportOptions) -> Iterator[Block]:  # noqa: ARG001
    """How the answer stands, and the nearest facts of the pair."""
    what = "probability" if found.probability else "score"
    yield Heading(found.question.text)
    yield Line(f"{found.answer.name}: {what} {found.answer.score:.4f}, rank {found.answer.rank:g}", "result")
    yield Line(found.sentence)
    yield from map(Note, found.notes)
    if found.facts:
        rows = tuple((" · ".join(edge.fact), edge.relative_time) for edge in found.facts)
        yield Table(("fact", "displacement"), rows, "lw")


OPERATION = Operation(
    name="support",
    summary="List the stored facts of subject and answer that are nearest in time.",
    options=SupportOptions,
    run=support,
    reply="tgap.asking.support:Support",
    text=text,
    required=3,
    description="It works for every method. These facts need not be the reasons of the answer.",
    examples=("support recency Japan Consult 2014-05-02 --dataset icews14",),
    web=Web(),
)
