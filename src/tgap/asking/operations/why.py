"""Say in one sentence why an answer has its probability."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import QuestionOptions
from tgap.text import Block, Heading, Line

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.explain.explanation import Reason


class WhyOptions(QuestionOptions):
    """A question, and how many facts are taken away for the sentence."""

    effects: int = Field(default=20, ge=1, le=50, description="Facts to remove one at a time")


def why(model: Model, options: WhyOptions) -> Reason:
    """The sentence of an explanation alone, several times as fast."""
    from tgap.asking.explanations import reason_of

    question = model.resolve(options)
    return reason_of(model.under(question.setting), question, options.effects)


def text(found: Reason, options: WhyOptions) -> Iterator[Block]:  # noqa: ARG001
    """The answer and the sentence."""
    yield Heading(f"{found.answer.name}: probability {found.answer.score:.4f}, rank {found.answer.rank:g}")
    yield Line(found.sentence)


OPERATION = Operation(
    name="why",
    summary="Say in one sentence why an answer has its probability.",
    options=WhyOptions,
    run=why,
    reply="tgap.explain.explanation:Reason",
    text=text,
    required=3,
    examples=('why icews14 "North Korea" Threaten 2014-04-29',),
    web=Web(),
)
