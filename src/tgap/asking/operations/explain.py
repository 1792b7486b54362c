"""Say why an answer has its probability."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tgap.asking.operation import FileOutput, Operation, Web
from tgap.asking.options import Cli, QuestionOptions
from tgap.explain.options import ExplainOptions as Measured
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.explain.explanation import Explanation

_PICTURES = ("png", "svg", "pdf")


class ExplainOptions(Measured, QuestionOptions):
    """A question, the answer to explain, and how much to measure and to list."""

    hide_asked: Annotated[
        bool,
        Cli(flag="--show-asked", off=True, help="Let the walk see the asked fact where it is in the training data."),
    ] = Field(default=True, description="Hide the asked fact where it is in the training data, as training does")
    walk: Annotated[bool, Cli(text=True)] = Field(
        default=False, description="Print the whole walk, too: edges of each step, paths, attention over time"
    )


def explain(model: Model, options: ExplainOptions) -> Explanation:
    """Why an answer has its probability: the best one, or the one that is named."""
    from tgap.asking.explanations import explain_question

    question = model.resolve(options)
    measured = Measured(**options.model_dump(include=set(Measured.model_fields)))
    return explain_question(model.under(question.setting), question, measured)


def text(found: Explanation, options: ExplainOptions) -> Iterator[Block]:
    """The answer, the sentence, and what supports it."""
    from tgap.asking.explanation_text import explanation_text, walk_text

    yield from explanation_text(found.document)
    if options.walk:
        yield from walk_text(found.document)


def _table(found: Explanation, _: ExplainOptions, ending: str) -> bytes:
    """Every edge of every step."""
    import io

    content, frame = io.BytesIO(), found.trace_frame()
    if ending == "csv":
        frame.write_csv(content)
    else:
        frame.write_parquet(content)
    return content.getvalue()


OPERATION = Operation(
    name="explain",
    summary="Say why an answer has its probability.",
    options=ExplainOptions,
    run=explain,
    reply="tgap.explain.schema:Document",
    text=text,
    required=3,
    description=(
        "First one sentence; then the facts that speak for and against the answer, each with the probability that is "
        "left without it; what would change the answer; how few facts are enough; and the chains that attention took. "
        "Every number is measured for this answer. A fact that is asked about and stands in the training data is "
        "hidden, as it was in training.\n\n"
        "For a method that has no walk, the nearest training facts of subject and answer are shown instead."
    ),
    examples=(
        'explain icews14 "North Korea" Threaten 2014-04-29',
        'explain icews14 "North Korea" Threaten 2014-04-29 --answer Japan --html a.html',
        'explain icews14 "?" Threaten "South Korea" 2014-04-29 --walk --figure why.png',
    ),
    files=(
        FileOutput(
            name="html",
            description="Write a self-contained page with the flow picture.",
            media="text/html",
            write=lambda found, _, __: found.to_html().encode(),
        ),
        FileOutput(
            name="figure",
            description="Draw the flow picture.",
            endings=_PICTURES,
            write=lambda found, _, ending: found.draw(ending),
        ),
        FileOutput(
            name="profile",
            description="Draw the displacement profile.",
            endings=_PICTURES,
            write=lambda found, _, ending: found.draw_profile(ending),
        ),
        FileOutput(
            name="trace", description="Write every edge of every step.", endings=("csv", "parquet"), write=_table
        ),
    ),
    web=Web(),
    instead="support",
)
