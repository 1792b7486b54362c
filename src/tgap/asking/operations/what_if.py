"""Ask again as if facts had not happened, or others had."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import MOST_ANSWERS, Cli, FactParts, QuestionOptions
from tgap.text import Block, Heading, Item, Line, Note, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.asking.what_if import WhatIf


class WhatIfOptions(QuestionOptions):
    """A question as if some known facts had not happened, or others had."""

    without: Annotated[tuple[FactParts, ...], Cli(metavar="S R O T")] = Field(
        default=(), max_length=50, description="Facts to take away: subject, relation, object, time"
    )
    added: Annotated[tuple[FactParts, ...], Cli(flag="--with", metavar="S R O T")] = Field(
        default=(), max_length=20, description="Facts to add that did not happen, likewise"
    )
    top: int = Field(default=10, ge=1, le=MOST_ANSWERS, description="Answers to list")
    hide_asked: Annotated[
        bool,
        Cli(flag="--show-asked", off=True, help="Let the walk see the asked fact where it is in the training data."),
    ] = Field(default=True, description="Hide the asked fact where it is in the training data, as explanations do")


def what_if(model: Model, options: WhatIfOptions) -> WhatIf:
    """The answers as they are, and as they would be."""
    from tgap.asking.what_if import ask_what_if

    question = model.resolve(options)
    without = [model.fact_of(fact, "without") for fact in options.without]
    added = [model.fact_of(fact, "added") for fact in options.added]
    return ask_what_if(
        model.under(question.setting),
        question,
        without=without,
        added=added,
        top=options.top,
        hide_asked=options.hide_asked,
    )


def text(found: WhatIf, options: WhatIfOptions) -> Iterator[Block]:  # noqa: ARG001
    """What would be different, and the answers then, each with what it was before."""
    yield Heading(found.before.question.text)
    for words, facts in (("If this had not happened:", found.without), ("If this had happened:", found.added)):
        if facts:
            yield Line(words)
        yield from (Item(", ".join(fact)) for fact in facts)
    before = {answer.name: answer for answer in (*found.before.answers, *filter(None, [found.before.asked]))}
    score, rows = found.before.score_name, []
    for answer in found.after.answers:
        was = before.get(answer.name)
        then = ("", f"> {len(found.before.answers)}") if was is None else (f"{was.score:.4f}", f"{was.rank:g}")
        rows.append((f"{answer.rank:g}", answer.name, f"{answer.score:.4f}", *then))
    yield Table(("rank", "answer", score, "was", "rank was"), tuple(rows), "rlrrr")
    if found.before.asked is not None and found.after.asked is not None:
        was, then_ = found.before.asked, found.after.asked
        yield Line(
            f"{was.name}: {score} {was.score:.4g}, rank {was.rank:g}; then {then_.score:.4g}, rank {then_.rank:g}"
        )
    first = f"{found.after.best} would come first instead of {found.before.best}"
    yield Line(f"{first}." if found.changes else f"{found.before.best} would still come first.")
    yield from map(Note, found.before.notes)


OPERATION = Operation(
    name="what_if",
    summary="Ask again as if facts had not happened, or others had.",
    options=WhatIfOptions,
    run=what_if,
    reply="tgap.asking.what_if:WhatIf",
    text=text,
    required=3,
    description="--without and --with may be repeated and go together. Weights stay as they are.",
    examples=('what-if icews14 "North Korea" Threaten 2014-04-29 --with "North Korea" Threaten China 2014-04-28',),
    web=Web(),
)
