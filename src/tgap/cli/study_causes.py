"""tgap study causes: are the planted causes of the synthetic world among the strongest edges?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tgap.cli.output import simple_table
from tgap.cli.study_options import json_option, seed_option
from tgap.cli.study_shared import progress_bar, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.explain.causes import CauseFigures

_VERSION = "tgap.causes/1"


@click.command("causes", short_help="Are the planted causes among the strongest edges?")
@click.argument("run")
@click.option(
    "--edges", type=click.IntRange(min=1), metavar="N", default=5, show_default=True, help="Edges picked a step."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only a random sample of N facts.")
@seed_option("the random picks")
@json_option
def causes(run: str, edges: int, limit: int | None, seed: int, json_file: str | None) -> None:
    """How often the recorded cause of a fact is among the strongest edges of some step.

    Needs a run on a dataset that knows its causes: the synthetic world. Counted over the test facts that a rule made
    and that the model answers right, against picking as many edges at random, or the most recent.

    \b
    Example:
      tgap study causes world
    """
    from dataclasses import asdict

    from rich.console import Console

    from tgap.errors import QueryError
    from tgap.explain.causes import cause_figures
    from tgap.predict import Predictor

    predictor = Predictor.from_run(run)
    if not predictor.dataset.causes:
        raise QueryError(f"{predictor.dataset.name} has no recorded causes; use a run on the synthetic world")
    with progress_bar("causes") as progress:
        found = cause_figures(
            predictor.explainer, predictor.dataset, count=edges, limit=limit, seed=seed, progress=progress
        )
    if json_file != "-":
        _print(Console(highlight=False), found)
    write_json(json_file, {"schema": _VERSION, "dataset": predictor.dataset.name, "seed": seed, **asdict(found)})


def _print(console: Console, found: CauseFigures) -> None:
    from rich.markup import escape

    from tgap.explain.wording import counted

    words = {
        "strongest": "strongest by attention",
        "random": "random, of those that carried attention",
        "recent": "most recent, of those that carried attention",
    }
    console.print(
        f"{found.right:,} of {found.facts:,} test facts with a recorded cause are answered right", style="bold"
    )
    table = simple_table(
        (f"{counted(found.picked, 'edge')} a step", "left"), ("hold a cause", "right"), ("hold all causes", "right")
    )
    for name, text in words.items():
        table.add_row(text, f"{100 * found.some[name]:.1f} %", f"{100 * found.all[name]:.1f} %")
    console.print(table)
    table = simple_table(("rule", "left"), ("right answers", "right"), ("strongest hold a cause", "right"))
    for rule, (number, share) in found.by_rule.items():
        table.add_row(escape(rule), f"{number:,}", f"{100 * share:.1f} %")
    console.print(table)
