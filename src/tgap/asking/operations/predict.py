"""Answer a question about the facts at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tgap.asking.operation import Operation, Web
from tgap.asking.options import MOST_ANSWERS, Cli, QuestionOptions
from tgap.text import Block, Heading, Line, Note, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.asking.prediction import Prediction


class PredictOptions(QuestionOptions):
    """A question, and how many answers are wanted. Given both sides, the object is asked for."""

    top: int = Field(default=10, ge=1, le=MOST_ANSWERS, description="Answers to list")
    evidence: Annotated[int, Cli(metavar="K")] = Field(
        default=0,
        ge=0,
        le=50,
        description="Add to the best answer the K events that carried most of the way, with their measured effects",
    )


def predict(model: Model, options: PredictOptions) -> Prediction:
    """The best answers, and how the answer that was given stands."""
    from tgap.asking.answers import predictions

    question = model.resolve(options)
    return next(predictions(model.under(question.setting), [question], options.top, options.evidence))


def text(found: Prediction, options: PredictOptions) -> Iterator[Block]:  # noqa: ARG001
    """The answers as a table, notes below it."""
    from tgap.asking.prediction import known_words
    from tgap.explain.wording import calibration_words, percent, points

    yield Heading(found.question.text)
    rows = tuple(
        (f"{answer.rank:g}", answer.name, f"{answer.score:.4f}", known_words(answer)) for answer in found.answers
    )
    yield Table(("rank", "answer", found.score_name, ""), rows, "rlrl")
    if found.asked is not None:
        stands = f"{found.asked.name} has rank {found.asked.rank:g} with {found.score_name} {found.asked.score:.4g}"
        reached = found.asked.score > 0 or not found.probabilities
        yield Line(stands if reached else f"{stands}: no walk reaches it")
    if found.calibration is not None:
        yield Line(calibration_words(found.calibration))
    if found.evidence:
        yield Line(f"What carried most of the way to {found.answers[0].name}, and its probability without each:")
        events = tuple((points(row.effect), percent(row.probability), row.clause) for row in found.evidence)
        yield Table(("effect", "without it", "event"), events, "rrl")
    yield from map(Note, found.notes)


OPERATION = Operation(
    name="predict",
    summary="Answer a question about the facts at a time.",
    options=PredictOptions,
    run=predict,
    reply="tgap.asking.prediction:Prediction",
    text=text,
    required=3,
    description=(
        "Given both SUBJECT and OBJECT, the object is asked for and its own place is told, too. Names are matched "
        "whatever their case, spaces or underscores."
    ),
    examples=(
        'predict icews14 "North Korea" Threaten 2014-04-29',
        'predict icews14 "North Korea" Threaten "?" 2014-04-29 --top 3',
        'predict icews14 "?" Threaten "South Korea" 2014-04-29',
        'predict icews14 "North Korea" Threaten 2014-04-29 --past-only',
        'predict icews14 "North Korea" Threaten 2014-04-29 --evidence 5',
    ),
    web=Web(),
)
