"""Measure how far the probabilities of a model can be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import FileOutput, Operation, Progress
from tgap.asking.options import Options
from tgap.text import Block, Heading, Line, Table

if TYPE_CHECKING:
    from tgap.asking.calibrations import CalibrationResult
    from tgap.asking.model import Model
    from tgap.evaluation.reliability import Reliability


class CalibrateOptions(Options):
    """How many questions are asked, and whether the test split judges."""

    limit: int | None = Field(default=None, ge=1, description="Ask only a random sample of N questions")
    seed: int = Field(default=0, ge=0, description="Seed of that sample")
    test: bool = Field(default=False, description="Also judge the calibrated probabilities by the test split")


def calibrate(model: Model, options: CalibrateOptions, progress: Progress | None = None) -> CalibrationResult:
    """Measure how often answers given a probability are right, and keep it in the run folder."""
    from tgap.asking.calibrations import calibrate_model

    return calibrate_model(model, options, progress)


def text(result: CalibrationResult, options: CalibrateOptions) -> Iterator[Block]:  # noqa: ARG001
    """Reliability as a table, then the errors."""
    from tgap.explain.wording import percent

    found = result.calibration
    yield Heading(f"{found.answers:,} answers to {found.questions:,} questions ({found.split})")
    rows = tuple(
        (
            f"{100 * entry.low:g} to {100 * entry.high:g} %",
            f"{entry.answers:,}",
            *(percent(share) for share in (entry.mean, entry.right, found(entry.mean))),
        )
        for entry in found.raw.bins
    )
    yield Table(("given", "answers", "mean", "right", "calibrated"), rows, "rrrrr")
    yield _errors(found.split, found.raw, found.calibrated)
    if result.test is not None:
        yield _errors("test", result.test.raw, result.test.calibrated)
    if result.kept is None:
        yield Line("kept nowhere: only a model that answers as the run in its folder does keeps it there")
    else:
        yield Line(f"kept in {result.kept}")


def _errors(split: str, raw: Reliability, calibrated: Reliability) -> Line:
    return Line(
        f"{split}: expected calibration error {100 * raw.error:.2f} % raw, {100 * calibrated.error:.2f} % calibrated; "
        f"of first answers alone {100 * raw.first_error:.2f} % and {100 * calibrated.first_error:.2f} %"
    )


OPERATION = Operation(
    name="calibrate",
    summary="Measure how far the probabilities of a model can be trusted.",
    options=CalibrateOptions,
    run=calibrate,
    reply="tgap.asking.calibrations:CalibrationResult",
    text=text,
    description=(
        "How often answers given a probability are right, kept in the run folder. Every answer of at least 1 % to the "
        "questions of the validation split counts, but for those that another split holds. A rising curve through them "
        "gives calibrated probabilities; predict, explain and the server then say beside an answer how far its "
        "probability can be trusted. The order of answers does not change."
    ),
    examples=("calibrate icews14 --test",),
    files=(
        FileOutput(
            name="figure",
            description="Draw the reliability curve",
            endings=("png", "svg", "pdf"),
            write=lambda found, _, ending: found.draw(ending),
        ),
    ),
    long=True,
)
