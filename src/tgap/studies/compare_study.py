"""Train and rank many methods on a dataset, in one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field

from tgap.asking.operation import Operation
from tgap.asking.options import Cli, Name
from tgap.learner import DEFAULT_TASK
from tgap.studies.options import Names, TrainOptions
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.studies.comparison.carry_out import Watch
    from tgap.studies.comparison.document import Comparison
    from tgap.training.interruption import Interruption


def _pairs(value: object) -> object:
    """Runs by method as METHOD=RUN."""
    return tuple(f"{method}={run}" for method, run in value.items()) if isinstance(value, Mapping) else value


Runs = Annotated[tuple[str, ...], BeforeValidator(_pairs), Cli(flag="--run", metavar="METHOD=RUN")]


class CompareOptions(TrainOptions):
    """Which methods are compared, on what, and how long each is trained."""

    dataset: Name = Field(description="Dataset that all methods are trained on and asked about")
    methods: Annotated[Names, Cli(metavar="A,B,...")] = Field(
        default=(), description="Which methods, by name or as package.module:Class; default: all"
    )
    task: Name = Field(default=DEFAULT_TASK, description="What they are asked for: completion or forecast")
    runs: Runs = Field(default=(), description="Take the run of a method as it is")

    @property
    def folder(self) -> Path:
        """Where runs and results go."""
        name = Path(self.dataset).name
        return self.out or Path("runs") / f"compare-{name if self.task == DEFAULT_TASK else f'{name}-{self.task}'}"


def method_runs(runs: tuple[str, ...]) -> dict[str, str]:
    """METHOD=RUN as given."""
    from tgap.errors import ConfigError, Option

    pairs = {}
    for text in runs:
        method, sign, run = text.partition("=")
        if not (sign and method and run):
            raise ConfigError(Option("runs"), f" {text!r} is not METHOD=RUN; write for instance tgap=runs/mine")
        pairs[method] = run
    return pairs


def compare(
    options: CompareOptions, watch: Watch | None = None, interruption: Interruption | None = None
) -> Comparison:
    """Train what is missing and rank all of them."""
    from tgap.studies.comparison.carry_out import carry_out
    from tgap.studies.comparison.plan import make_plan

    given = method_runs(options.runs)
    plan = make_plan(options.dataset, options.folder, options.methods, given, options.task)
    return carry_out(plan, options, watch, interruption)


def text(found: Comparison, options: CompareOptions) -> Iterator[Block]:
    """The table of methods."""
    from tgap.studies.comparison.text import comparison_text

    return comparison_text(found, options.folder)


OPERATION = Operation(
    name="compare",
    summary="Train and rank many methods on a dataset, in one table.",
    options=CompareOptions,
    run=compare,
    reply="tgap.studies.comparison.document:Comparison",
    text=text,
    on="nothing",
    positional=("dataset",),
    required=1,
    description=(
        "Train what is missing, rank all methods, and write Markdown, CSV, JSON and a page. The same call goes on "
        "where an earlier one stopped; what is trained and ranked is not done again. Shipped runs of the dataset and "
        "those that are given are taken as they are."
    ),
    examples=(
        "compare icews14",
        "compare icews14 --methods tntcomplex,distmult,recency --minutes 10",
        "compare mine --run tgap=runs/mine",
        "compare icews14-forecast --task forecast",
    ),
    command=False,  # it is no study of the group: ``tgap compare``
    trains=True,
)
