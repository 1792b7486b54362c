"""Measure accuracy against cost over the size of the sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tgap.asking.operation import FileOutput, Operation, Progress
from tgap.studies.options import PICTURES, TrainOptions
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.studies.comparison.carry_out import Watch
    from tgap.studies.sample_sizes import Dial
    from tgap.training.interruption import Interruption


class DialOptions(TrainOptions):
    """What is asked with every size, and whether it is trained with every size."""

    split: Literal["valid", "test"] = Field(default="valid", description="What is asked")
    train: bool = Field(default=False, description="Also train each size anew, on the run's dataset")
    epochs: float = Field(default=1.0, gt=0, description="Epochs of training of each size")


def dial(
    model: Model,
    options: DialOptions,
    progress: Progress | None = None,
    watch: Watch | None = None,
    interruption: Interruption | None = None,
) -> Dial:
    """Ask the model with few core nodes and edges to many, and train it so if that is wanted."""
    from tgap.errors import QueryError
    from tgap.studies.comparison.carry_out import carry_out
    from tgap.studies.comparison.plan import plan_variants
    from tgap.studies.comparison.variants import trained_for, trained_sizes
    from tgap.studies.sample_sizes import Dial, ask_sizes, of_training, write_dial

    if model.folder is None or model.config is None:
        raise QueryError(f"{model!r} has no run folder to be loaded from with other sizes; save it first")
    points = ask_sizes(model, options.split, options.limit, progress, interruption)
    folder = options.out or Path("runs") / f"dial-{model.folder.name}"
    if options.train:
        variants = [trained_for(size, options.epochs) for size in trained_sizes()]
        plan = plan_variants(model.config.dataset, folder, "tgap", variants)
        points += of_training(carry_out(plan, options, watch, interruption))
    found = Dial(model.dataset.name, options.split, tuple(points))
    if options.train or options.out is not None:
        write_dial(folder, found)
    return found


def text(found: Dial, options: DialOptions) -> Iterator[Block]:  # noqa: ARG001
    """All sizes in a table."""
    from tgap.studies.sample_sizes import dial_table

    yield dial_table(found)


def _markdown(found: Dial, _: DialOptions, __: str) -> bytes:
    from tgap.studies.sample_sizes import dial_table

    return dial_table(found).markdown().encode()


def _csv(found: Dial, _: DialOptions, __: str) -> bytes:
    from tgap.studies.sample_sizes import dial_csv

    return dial_csv(found).encode()


def _figure(found: Dial, _: DialOptions, ending: str) -> bytes:
    from tgap.studies.sample_sizes import draw_dial

    return draw_dial(found, ending)


OPERATION = Operation(
    name="dial",
    summary="Measure accuracy against cost over the size of the sample.",
    options=DialOptions,
    run=dial,
    reply="tgap.studies.sample_sizes:Dial",
    text=text,
    description=(
        "Turn the paper's dial: core nodes x, sampled edges y and added edges z, from few to many. The weights of the "
        "run are asked with every size, which costs minutes; with train, T-GAP is also trained with every size and "
        "asked with its own. A folder, or training, keeps everything there with dial.md, dial.csv and dial.png; the "
        "same call goes on where an earlier one stopped."
    ),
    examples=(
        "study dial icews14 --limit 4000 --figure dial.png",
        "study dial icews14 --train --epochs 1",
    ),
    files=(
        FileOutput(name="markdown", description="Write the table as Markdown", write=_markdown),
        FileOutput(name="csv", description="Write every number as CSV", write=_csv),
        FileOutput(name="figure", description="Draw MRR over cost", endings=PICTURES, write=_figure),
    ),
    long=True,
    trains=True,
)
