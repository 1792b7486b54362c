"""Measure what each part of T-GAP is worth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tgap.asking.operation import Operation
from tgap.asking.options import Cli, Name
from tgap.studies.options import Names, TrainOptions
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.studies.comparison.carry_out import Watch
    from tgap.studies.comparison.document import Comparison
    from tgap.training.interruption import Interruption


class AblationOptions(TrainOptions):
    """Which variants are trained, on what and how long."""

    dataset: Name = Field(default="icews14", description="Dataset to train on")
    variants: Annotated[Names, Cli(metavar="A,B,...")] = Field(
        default=(), description="Which ones; default: all but no-subgraph, which takes hours per epoch"
    )
    epochs: float = Field(default=1.0, gt=0, description="Epochs of training of each")

    @property
    def folder(self) -> Path:
        """Where runs and results go."""
        return self.out or Path("runs") / f"ablation-{Path(self.dataset).name}"


def ablation(
    options: AblationOptions, watch: Watch | None = None, interruption: Interruption | None = None
) -> Comparison:
    """Train T-GAP without one of its parts at a time, all alike, and rank them."""
    from tgap.errors import ConfigError
    from tgap.studies.comparison.carry_out import carry_out
    from tgap.studies.comparison.plan import plan_variants
    from tgap.studies.comparison.variants import ABLATIONS, SLOW, trained_for

    known = {variant.name: variant for variant in ABLATIONS}
    for name in options.variants:
        if name not in known:
            raise ConfigError(f"unknown variant {name!r}; expected one of {', '.join(known)}")
    chosen = [
        trained_for(variant, options.epochs)
        for name, variant in known.items()
        if (name in options.variants if options.variants else name not in SLOW)
    ]
    return carry_out(plan_variants(options.dataset, options.folder, "tgap", chosen), options, watch, interruption)


def text(found: Comparison, options: AblationOptions) -> Iterator[Block]:
    """The table of variants."""
    from tgap.studies.comparison.text import comparison_text

    return comparison_text(found, options.folder)


OPERATION = Operation(
    name="ablation",
    summary="Measure what each part of T-GAP is worth.",
    options=AblationOptions,
    run=ablation,
    reply="tgap.studies.comparison.document:Comparison",
    text=text,
    on="nothing",
    positional=("dataset",),
    description=(
        "Train T-GAP without one of its parts at a time, all alike, and rank them in one table beside the paper's. "
        "Variants: full, no-displacement, no-subgraph, no-pgnn, two-layer-pgnn, two-steps, four-steps. What is "
        "trained and ranked is kept in the folder; the same call goes on where an earlier one stopped."
    ),
    examples=(
        "study ablation icews14 --epochs 1",
        "study ablation icews14 --variants full,no-subgraph --epochs 0.05",
    ),
    trains=True,
)
