"""Measure how well a model ranks the true answers of a split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, field_validator

from tgap.asking.operation import FileOutput, Operation, Progress
from tgap.asking.options import Cli, SightOptions
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.asking.evaluations import EvaluationResult
    from tgap.asking.model import Model


class EvaluateOptions(SightOptions):
    """Which questions are asked, from which facts, and what is measured."""

    split: Annotated[Literal["valid", "test"], Cli(option=True)] = Field(
        default="test", description="Facts that are asked for"
    )
    protocol: Annotated[str, Cli(text=True, metavar="NAME")] = Field(
        default="all", description="Filter that the printed tables show: raw, time, static or all"
    )

    @field_validator("protocol")
    @classmethod
    def _known(cls, name: str) -> str:
        """An unknown filter is told before minutes of scoring are spent."""
        from tgap.evaluation.protocols import chosen_protocols

        chosen_protocols(name)
        return name

    context: Literal["train", "train+valid", "all"] | None = Field(
        default=None, description="Whose facts are known, weights unchanged; default: train, and all for forecasts"
    )
    limit: int | None = Field(default=None, ge=1, description="Ask only a random sample of N queries")
    seed: int = Field(default=0, ge=0, description="Seed of the samples")
    details: Annotated[bool, Cli(text=True)] = Field(
        default=False, description="Print the breakdowns too, for instance by evidence"
    )
    bootstrap: int | None = Field(
        default=None,
        ge=2,
        description="Add 95 % intervals from N draws of the facts (1000 is enough), and differences to the baselines",
    )
    baselines: bool = Field(default=True, description="Measure the untrained baselines beside it")
    top: Annotated[int, Cli(metavar="K")] = Field(
        default=0, ge=0, description="Best answers that are kept of each query, for a file of predictions"
    )


def evaluate(model: Model, options: EvaluateOptions, progress: Progress | None = None) -> EvaluationResult:
    """Rank the true answers of a split under all protocols."""
    from tgap.asking.evaluations import evaluate_model

    return evaluate_model(model, options, progress)


def text(found: EvaluationResult, options: EvaluateOptions) -> Iterator[Block]:
    """All tables, then the notes."""
    from tgap.evaluation.protocols import chosen_protocols
    from tgap.evaluation.tables import report_blocks

    yield from report_blocks(found.reports, chosen_protocols(options.protocol), options.details)


def _markdown(found: EvaluationResult, options: EvaluateOptions, _: str) -> bytes:
    from tgap.evaluation.protocols import chosen_protocols
    from tgap.evaluation.tables import markdown_page

    return markdown_page(found.reports, chosen_protocols(options.protocol)).encode()


OPERATION = Operation(
    name="evaluate",
    summary="Measure how well a model ranks the true answers of a split.",
    options=EvaluateOptions,
    run=evaluate,
    reply="tgap.asking.evaluations:EvaluationResult",
    text=text,
    positional=("split",),
    description="MRR, Hits and mean rank, raw and filtered, in both directions. Files hold all filters.",
    examples=(
        "evaluate icews14",
        "evaluate runs/mine --split valid --json result.json",
        "evaluate recency --dataset icews14 --details",
        "evaluate mine.scorers:Nearest --dataset icews14",
        "evaluate icews14 --context train+valid",
        "evaluate recurrency --dataset icews14-forecast --task forecast",
    ),
    files=(
        FileOutput(
            name="csv", description="Write every metric as CSV", write=lambda found, _, __: found.csv().encode()
        ),
        FileOutput(name="markdown", description="Write the tables as a Markdown page", write=_markdown),
        FileOutput(
            name="predictions",
            description="Write every query with its best answers",
            endings=("parquet",),
            implies={"top": 10},
            write=lambda found, _, __: found.predictions(),
        ),
    ),
    long=True,
)
