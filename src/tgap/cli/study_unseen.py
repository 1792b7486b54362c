"""tgap study unseen: questions about days that training never saw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tgap.cli.compare import carry_out, method_runs, runs_option
from tgap.cli.study_options import limit_option, minutes_option, out_option, threads_option

DATASET = "icews14-unseen"
METHODS = ("tgap", "de-simple", "tcomplex", "tntcomplex", "recency")  # the paper's, and the counter that trains nothing


@click.command("unseen", short_help="Days that training never saw.")
@runs_option
@click.option("--split", type=click.Choice(["test", "valid"]), default="test", show_default=True, help="What is asked.")
@limit_option
@minutes_option
@out_option("runs/unseen")
@threads_option
def unseen(
    runs: Sequence[str], split: str, limit: int | None, minutes: float, out: Path | None, threads: int | None
) -> None:
    """Ask about days of which training has no fact at all: the 5th, 15th and 25th of each month of ICEWS14.

    T-GAP walks by displacements, which it knows; DE-SimplE follows its sines; TComplEx and TNTComplEx take what lies
    between the days before and after. All of them are trained on icews14-unseen, ranked, and written as one table
    beside the paper's. The same command goes on where an earlier one stopped.

    \b
    Examples:
      tgap study unseen
      tgap study unseen --run tgap=runs/unseen-tgap --minutes 30
    """
    from tgap.compare.plan import make_plan

    plan = make_plan(DATASET, out or Path("runs") / "unseen", METHODS, method_runs(runs))
    carry_out(plan, split, limit, minutes, threads)
