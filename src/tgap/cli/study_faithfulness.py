"""tgap study faithfulness: how much the answers of a split lose without the facts that attention used most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tgap.cli.output import simple_table
from tgap.cli.study_options import json_option, seed_option, side_option, split_option
from tgap.cli.study_shared import progress_bar, split_questions, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.explain.faithfulness import Faithfulness

_VERSION = "tgap.faithfulness/1"


@click.command("faithfulness", short_help="What answers lose without their strongest facts.")
@click.argument("run")
@split_option
@side_option("both")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    default=500,
    show_default=True,
    help="Questions, drawn at random.",
)
@click.option(
    "--delete", type=click.IntRange(min=1), metavar="K", default=5, show_default=True, help="Facts to take away."
)
@seed_option("questions and controls")
@json_option
def faithfulness(run: str, split: str, side: str, limit: int, delete: int, seed: int, json_file: str | None) -> None:
    """Delete the strongest facts of each question and compare with deleting as many others.

    For every question an answer's probability and rank are taken as they are, without the K facts that attention used
    most (inverses and copies go with them), without the K that brought this answer most of its probability, without K
    random facts that carried attention, and without K random facts of the entity that is asked about. The whole model
    is computed anew each time. Told for the model's own best answer, which is what an explanation explains, and for the
    true one.

    \b
    Example:
      tgap study faithfulness icews14 --limit 500 --json faithfulness.json
    """
    from dataclasses import asdict

    from rich.console import Console

    from tgap.explain.faithfulness import faithfulness as measure
    from tgap.predict import Predictor

    predictor = Predictor.from_run(run)
    asked = split_questions(predictor.dataset, split, side).sample(limit, seed)
    with progress_bar("deletion checks") as progress:
        best, true = measure(predictor.explainer, asked.batch, asked.answer, count=delete, seed=seed, progress=progress)
    if json_file != "-":
        console = Console(highlight=False)
        _print(console, f"The model's best answer, {best.checks:,} questions", best, delete)
        _print(console, f"The true answer, {true.checks:,} questions", true, delete)
        console.print("Ranks are raw, ties count half; change is that of the mean probability.")
        if true.unreached:
            console.print(f"Left out: {true.unreached:,} true answers that no attention reached.")
    place = {"dataset": predictor.dataset.name, "split": split, "side": side, "seed": seed, "delete": delete}
    write_json(json_file, {"schema": _VERSION, **place, "best": asdict(best), "true": asdict(true)})


def _print(console: Console, title: str, found: Faithfulness, delete: int) -> None:
    from tgap.explain.wording import percent, percent_change

    console.print(title, style="bold")
    table = simple_table(
        ("", "left"),
        ("probability", "right"),
        ("change", "right"),
        ("MRR", "right"),
        ("Hits@1", "right"),
    )
    words = {
        "before": "as it is",
        "strongest": f"without the {delete} strongest",
        "brought": f"without the {delete} that brought it most",
        "random": f"without {delete} random that carried attention",
        "nearby": f"without {delete} random of the entity itself",
    }
    for name, text in words.items():
        change = percent_change(found.drop[name]) if name in found.drop else ""
        hits = f"{100 * found.hits1[name]:.1f}"
        table.add_row(text, f"{found.probability[name]:.4f}", change, f"{found.mrr[name]:.4f}", hits)
    console.print(table)
    for name, text in (("strongest", "the strongest"), ("brought", "those that brought it most")):
        shares = found.worse[name]
        console.print(
            f"Losing {text} cost more than losing random facts in {percent(shares['random'])} of the questions, "
            f"than losing random facts of the entity in {percent(shares['nearby'])}."
        )
    console.print()
