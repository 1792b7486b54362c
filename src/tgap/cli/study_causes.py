"""tgap study causes: do the reasons name the planted causes of the synthetic world?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tgap.cli.output import simple_table
from tgap.cli.study_faithfulness import ORDER_WORDS
from tgap.cli.study_options import json_option, seed_option
from tgap.cli.study_shared import progress_bar, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.explain.causes import CauseFigures

_VERSION = "tgap.causes/2"


@click.command("causes", short_help="Do the reasons name the planted causes?")
@click.argument("run")
@click.option(
    "--within",
    type=click.IntRange(1, 20),
    metavar="K",
    default=5,
    show_default=True,
    help="Facts of each list to look at.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only a random sample of N facts.")
@click.option("--past", is_flag=True, help="Hide what happened after the time asked about.")
@seed_option("the random order")
@json_option
def causes(run: str, within: int, limit: int | None, past: bool, seed: int, json_file: str | None) -> None:
    """How often the recorded cause of a fact is the first fact that an explanation names, or among its first K.

    Needs a run on a dataset that knows its causes: the synthetic world. Counted over the test facts that a rule made
    and that the model answers right, for the same five ways to choose facts as tgap study faithfulness.

    \b
    Example:
      tgap study causes world
    """
    from dataclasses import asdict

    from tgap.cli.terminal import make_console
    from tgap.errors import QueryError
    from tgap.explain.causes import cause_figures
    from tgap.predict import Predictor

    predictor = Predictor.from_run(run)
    if not predictor.dataset.causes:
        raise QueryError(f"{predictor.dataset.name} has no recorded causes; use a run on the synthetic world")
    with progress_bar("causes") as progress:
        found = cause_figures(
            predictor.explainer, predictor.dataset, within=within, limit=limit, seed=seed, past=past, progress=progress
        )
    if json_file != "-":
        _print(make_console(), found)
    write_json(
        json_file, {"schema": _VERSION, "dataset": predictor.dataset.name, "seed": seed, "past": past, **asdict(found)}
    )


def _print(console: Console, found: CauseFigures) -> None:
    from tgap.cli.terminal import cell

    console.print(
        f"{found.right:,} of {found.facts:,} test facts with a recorded cause are answered right", style="bold"
    )
    table = simple_table(
        ("facts chosen by", "left"),
        ("the first is a cause", "right"),
        (f"a cause in {found.within}", "right"),
        (f"all causes in {found.within}", "right"),
    )
    for name, text in ORDER_WORDS.items():
        shares = (found.first[name], found.some[name], found.all[name])
        table.add_row(text, *(f"{100 * share:.1f} %" for share in shares))
    console.print(table)
    table = simple_table(("rule", "left"), ("right answers", "right"), ("strongest effect is a cause", "right"))
    for rule, (number, share) in found.by_rule.items():
        table.add_row(cell(rule), f"{number:,}", f"{100 * share:.1f} %")
    console.print(table)
