"""tgap compare: train what is missing, rank everything under one protocol, write one table."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.errors import ConfigError

if TYPE_CHECKING:
    from tgap.compare.document import Comparison
    from tgap.compare.plan import Plan

_WIDE = 120  # columns of a terminal that has room for the whole table


runs_option = click.option(
    "--run", "runs", multiple=True, metavar="METHOD=RUN", help="Take this run as it is; may be repeated."
)


@click.command("compare")
@click.argument("dataset")
@click.option("--methods", metavar="A,B,...", help="Which methods, by name or as package.module:Class. [default: all]")
@click.option("--task", metavar="NAME", default="completion", show_default=True, help="completion or forecast.")
@runs_option
@click.option(
    "--minutes",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="N",
    help="Longest training of each method, over all resumes. [default: until its own end]",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="[default: runs/compare-DATASET]"
)
@click.option("--split", type=click.Choice(["test", "valid"]), default="test", show_default=True, help="What is asked.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask a random sample of so many queries.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Processor threads. [default: all cores]")
def compare(
    dataset: str,
    methods: str | None,
    task: str,
    runs: Sequence[str],
    minutes: float,
    out: Path | None,
    split: str,
    limit: int | None,
    threads: int | None,
) -> None:
    """Compare methods on a dataset: train what is missing, rank all of them, write Markdown, CSV, JSON and a page.

    The same command goes on where an earlier one stopped; what is trained and ranked is not done again. Shipped runs
    of the dataset and those given by --run are taken as they are.

    \b
    Examples:
      tgap compare icews14
      tgap compare icews14 --methods tntcomplex,distmult,recency --minutes 10
      tgap compare mine --run tgap=runs/mine
      tgap compare icews14-forecast --task forecast
    """
    from tgap.compare.plan import make_plan
    from tgap.learner import DEFAULT_TASK

    name = Path(dataset).name if task == DEFAULT_TASK else f"{Path(dataset).name}-{task}"
    folder = out or Path("runs") / f"compare-{name}"
    plan = make_plan(dataset, folder, _names(methods), method_runs(runs), task)
    carry_out(plan, split, limit, minutes, threads)


def carry_out(plan: Plan, split: str, limit: int | None, minutes: float, threads: int | None) -> Comparison:
    """Work a plan off, print the table and write all forms of it; Ctrl-C ends the program with everything saved."""
    from tgap.cli.compare_display import PlanDisplay
    from tgap.cli.reports import print_table
    from tgap.cli.terminal import cell, make_console, say
    from tgap.cli.train import tell_stopping
    from tgap.compare.document import compare as compare_outcomes
    from tgap.compare.document import (
        comparison_csv,
        comparison_json,
        comparison_markdown,
        footnotes,
        main_table,
        short_table,
    )
    from tgap.compare.page import comparison_page
    from tgap.compare.ranks_file import Questions
    from tgap.compare.session import Limits, work_off
    from tgap.data import LeakWarning, load_dataset
    from tgap.evaluation.bootstrap import Bootstrap
    from tgap.kernels import set_threads
    from tgap.runs.environment import describe_environment
    from tgap.runs.files import write_text
    from tgap.training.interruption import Interruption, InterruptionError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)  # the notes under the table say it about these very queries
        data = load_dataset(plan.dataset).base
    used = set_threads(threads, whole_process=True)
    interruption = Interruption()
    with interruption.on_signals(tell_stopping), PlanDisplay(plan) as display:
        try:
            outcomes = work_off(plan, data, Questions(split, limit), Limits(minutes, used), display, interruption)
        except InterruptionError:
            click.echo(f"Stopped; everything is saved in {plan.out}. The same command goes on from here.")
            raise SystemExit(128 + (interruption.signal_number or 0)) from None
    comparison = compare_outcomes(outcomes, data, Bootstrap(), describe_environment(data, used))
    console = make_console()
    print_table(console, main_table(comparison) if console.width >= _WIDE else short_table(comparison))
    for line in footnotes(comparison):
        say(console, cell(line))
    texts = {
        "md": comparison_markdown(comparison),
        "csv": comparison_csv(comparison),
        "json": comparison_json(comparison),
        "html": comparison_page(comparison),
    }
    for ending, text in texts.items():
        write_text(plan.out / f"comparison.{ending}", text)
    click.echo(f"wrote {plan.out}/comparison.{{{','.join(texts)}}}")
    return comparison


def _names(text: str | None) -> list[str]:
    """Names between commas."""
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def method_runs(runs: Sequence[str]) -> dict[str, str]:
    """METHOD=RUN as given."""
    pairs = {}
    for text in runs:
        method, sign, run = text.partition("=")
        if not (sign and method and run):
            raise ConfigError(f"--run {text!r} is not METHOD=RUN; write for instance --run tgap=runs/mine")
        pairs[method] = run
    return pairs
