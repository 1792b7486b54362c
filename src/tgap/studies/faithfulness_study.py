"""Measure what answers lose without their reasons, and keep with only them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from tgap.asking.operation import FileOutput, Operation, Progress
from tgap.asking.options import Cli
from tgap.studies.options import PICTURES, SplitOptions
from tgap.text import Block, Heading, Line, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.studies.faithfulness_curves import FaithfulnessCurves


class FaithfulnessOptions(SplitOptions):
    """Which questions are asked, and whose reasons are tried."""

    limit: int = Field(default=500, ge=1, description="Questions, drawn at random")
    seed: int = Field(default=0, ge=0, description="Seed of questions and random order")
    answers: Literal["best", "true"] = Field(
        default="best", description="Whose reasons: those of the model's first new answer, or of the true one"
    )
    rows: Annotated[Path | None, Cli(metavar="FILE")] = Field(
        default=None, description="Keep each question's curves as a line of JSON, and go on from there"
    )


def faithfulness(model: Model, options: FaithfulnessOptions, progress: Progress | None = None) -> FaithfulnessCurves:
    """Take facts away, or everything but them, and see what becomes of the answer."""
    from tgap.studies.curve_rows import curve_rows
    from tgap.studies.faithfulness_curves import FaithfulnessCurves, summarise
    from tgap.studies.split_questions import split_questions

    asked = split_questions(model.dataset, options.split, options.side).sample(options.limit, options.seed)
    found = summarise(curve_rows(model, asked, options, progress))
    place = options.model_dump(include={"split", "side", "seed", "answers"})
    return FaithfulnessCurves(**vars(found), dataset=model.dataset.name, **place)


def text(found: FaithfulnessCurves, options: FaithfulnessOptions) -> Iterator[Block]:  # noqa: ARG001
    """One table for each kind of curve."""
    from tgap.explain.wording import percent
    from tgap.studies.orders import ORDER_WORDS

    whose = "the model's first answer" if found.answers == "best" else "the true answer"
    yield Heading(f"{found.questions:,} questions, {whose}: mean probability {found.probability:.3f}")
    if not found.questions:
        return
    columns = ("facts chosen by", *(f"k = {size}" for size in found.sizes))
    for title, part in (("Left without the first k facts", "deletion"), ("Left with only the first k", "sufficiency")):
        yield Line(title)
        rows = [
            (ORDER_WORDS[name], *map(percent, getattr(curves, part)), f"{getattr(curves, f'{part}_area'):.3f}")
            for name, curves in found.orders.items()
        ]
        yield Table.numbers("", (*columns, "area"), rows, numbers_from=1)
    yield Line(f"The probability is lower without them ({found.possible:,} questions where it is above 1 %)")
    lowered = [
        (ORDER_WORDS[name], *(f"{100 * share:.1f} %" for share in curves.lowered))
        for name, curves in found.orders.items()
    ]
    if found.possible:
        yield Table.numbers("", columns, lowered, numbers_from=1)


def _figure(found: FaithfulnessCurves, _: FaithfulnessOptions, ending: str) -> bytes:
    from tgap.drawing.rendering import render
    from tgap.studies.faithfulness_figure import faithfulness_figure

    title = f"{found.dataset}, {found.split}: reasons of {found.questions:,} answers"
    return render(faithfulness_figure(title, found), ending)


OPERATION = Operation(
    name="faithfulness",
    summary="Measure what answers lose without their reasons, and keep with only them.",
    options=FaithfulnessOptions,
    run=faithfulness,
    reply="tgap.studies.faithfulness_curves:FaithfulnessCurves",
    text=text,
    description=(
        "Six ways to choose the facts that explain an answer are compared over the same questions: by effect, measured "
        "anew after each fact taken away, by share in the flow to this answer, by attention, and the most recent "
        "events of the entity asked about with the answer, its most recent events with anyone, or random ones. For "
        "k = 1, 2, 3, 5, 10, 20: the probability without the first k, and with only the first k of the facts that "
        "touch the answer. The whole model is computed anew each time, some 150 times for a question. An answer that "
        "the graph itself holds as a fact of that time needs no reasons: the first new answer is looked at."
    ),
    examples=("study faithfulness icews14 --limit 500 --rows rows.jsonl --figure curves.png",),
    files=(FileOutput(name="figure", description="Draw the curves", endings=PICTURES, write=_figure),),
    long=True,
)
