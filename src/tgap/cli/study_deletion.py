"""tgap study deletion: claimed effects beside those of facts that are deleted from the training data."""

from __future__ import annotations

from dataclasses import asdict

import click

from tgap.cli.output import simple_table
from tgap.cli.study_options import json_option, seed_option, side_option, split_option
from tgap.cli.study_shared import progress_bar, split_questions, write_json

_VERSION = "tgap.deletion/1"


@click.command("deletion", short_help="Do facts that are deleted from the file cost what an explanation says?")
@click.argument("run")
@split_option
@side_option("both")
@click.option(
    "--checks", type=click.IntRange(min=1), metavar="N", default=300, show_default=True, help="Claims to check."
)
@seed_option("the questions")
@json_option
def deletion(run: str, split: str, side: str, checks: int, seed: int, json_file: str | None) -> None:
    """Delete facts from the training data, build the graph anew, and compare with what an explanation claims.

    For each question a fact, a group of facts and the set of facts that would change the answer are deleted. A claim
    holds if the probability is the same within 0.1 point; a flip must also put another answer first.

    \b
    Example:
      tgap study deletion icews14 --checks 300
    """
    from tgap.cli.terminal import make_console
    from tgap.explain.deletion import POINT, check_deletions
    from tgap.explain.wording import percent
    from tgap.predict import Predictor

    predictor = Predictor.from_run(run)
    asked = split_questions(predictor.dataset, split, side).sample(checks, seed)
    with progress_bar("deletions") as progress:
        found = check_deletions(predictor.explainer, predictor.dataset, asked, checks, progress)
    table = simple_table(("claim", "left"), ("checked", "right"), ("hold", "right"), ("largest difference", "right"))
    for kind in ("fact", "group", "flip"):
        mine = [check for check in found if check.kind == kind]
        if mine:
            far = max(abs(check.claimed - check.found) for check in mine)
            hold = sum(check.holds for check in mine)
            table.add_row(kind, f"{len(mine):,}", percent(hold / len(mine)), f"{100 * far:.5f} points")
    if json_file != "-":
        console = make_console()
        console.print(table)
        share = sum(check.holds for check in found) / max(1, len(found))
        console.print(f"{percent(share)} of {len(found):,} claims hold within {100 * POINT:g} points.")
    place = {"dataset": predictor.dataset.name, "split": split, "side": side, "seed": seed}
    write_json(json_file, {"schema": _VERSION, **place, "checks": [asdict(check) for check in found]})
