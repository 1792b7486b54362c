"""Draw a question from a held-out fact, with its true answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import Options
from tgap.text import Block, Heading, Item

if TYPE_CHECKING:
    from tgap.asking.examples import HeldOut
    from tgap.asking.model import Model


class RandomOptions(Options):
    """Which question is drawn."""

    seed: int | None = Field(default=None, ge=0, le=2**53, description="The same seed draws the same question")


def random_question(model: Model, options: RandomOptions) -> HeldOut:
    """A question from a held-out fact; the answer of the fact itself comes first."""
    return model.question_source.draw(options.seed)


def text(found: HeldOut, options: RandomOptions) -> Iterator[Block]:  # noqa: ARG001
    """The question and its answers."""
    yield Heading(found.question.text)
    yield from map(Item, found.answers)


OPERATION = Operation(
    name="random_question",
    summary="Draw a question from a held-out fact, with its true answers.",
    options=RandomOptions,
    run=random_question,
    reply="tgap.asking.examples:HeldOut",
    text=text,
    examples=("random-question icews14 --seed 3",),
    web=Web(path="questions/random", method="GET", at_once=True),
)
