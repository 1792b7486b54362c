"""Ask about days that training never saw."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import Operation
from tgap.studies.compare_study import Runs, method_runs
from tgap.studies.options import TrainOptions
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.studies.comparison.carry_out import Watch
    from tgap.studies.comparison.document import Comparison
    from tgap.training.interruption import Interruption

DATASET = "icews14-unseen"
METHODS = ("tgap", "de-simple", "tcomplex", "tntcomplex", "recency")  # the paper's, and the counter that trains nothing


class UnseenOptions(TrainOptions):
    """How long the methods are trained, and which runs stand for them."""

    runs: Runs = Field(default=(), description="Take the run of a method as it is")

    @property
    def folder(self) -> Path:
        """Where runs and results go."""
        return self.out or Path("runs") / "unseen"


def unseen(options: UnseenOptions, watch: Watch | None = None, interruption: Interruption | None = None) -> Comparison:
    """Train the paper's methods without some days, and ask about those."""
    from tgap.studies.comparison.carry_out import carry_out
    from tgap.studies.comparison.plan import make_plan

    plan = make_plan(DATASET, options.folder, METHODS, method_runs(options.runs))
    return carry_out(plan, options, watch, interruption)


def text(found: Comparison, options: UnseenOptions) -> Iterator[Block]:
    """The table of methods."""
    from tgap.studies.comparison.text import comparison_text

    return comparison_text(found, options.folder)


OPERATION = Operation(
    name="unseen",
    summary="Ask about days that training never saw.",
    options=UnseenOptions,
    run=unseen,
    reply="tgap.studies.comparison.document:Comparison",
    text=text,
    on="nothing",
    description=(
        "Training has no fact at all of the 5th, 15th and 25th of each month of ICEWS14. T-GAP walks by "
        "displacements, which it knows; DE-SimplE follows its sines; TComplEx and TNTComplEx take what lies between "
        "the days before and after. All of them are trained on icews14-unseen, ranked, and written as one table "
        "beside the paper's. The same call goes on where an earlier one stopped."
    ),
    examples=("study unseen", "study unseen --run tgap=runs/unseen-tgap --minutes 30"),
    trains=True,
)
