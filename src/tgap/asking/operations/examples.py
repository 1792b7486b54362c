"""List a few questions that show what a dataset is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tgap.asking.operation import Operation, Web
from tgap.asking.options import Options
from tgap.text import Block, Item

if TYPE_CHECKING:
    from tgap.asking.examples import Examples
    from tgap.asking.model import Model


def examples(model: Model, options: Options) -> Examples:  # noqa: ARG001
    """A few questions about different things."""
    return model.example_questions


def text(found: Examples, options: Options) -> Iterator[Block]:  # noqa: ARG001
    """One line per question."""
    yield from (Item(question.text) for question in found.questions)


OPERATION = Operation(
    name="examples",
    summary="List a few questions that show what a dataset is about.",
    options=Options,
    run=examples,
    reply="tgap.asking.examples:Examples",
    text=text,
    examples=("examples icews14",),
    web=Web(path="questions/examples", method="GET", at_once=True),
)
