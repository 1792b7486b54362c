"""tgap study faithfulness: what answers lose without their reasons, and keep with only them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tgap.cli.explain import check_format, file_format, write_bytes
from tgap.cli.output import simple_table
from tgap.cli.study_options import json_option, seed_option, side_option, split_option
from tgap.cli.study_shared import progress_bar, split_questions, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.evaluation.queries import SplitQueries
    from tgap.evaluation.scoring import Progress
    from tgap.explain.faithfulness import CurveRow, Faithfulness
    from tgap.scorer import Explainer

_VERSION = "tgap.faithfulness/3"
_ROWS = "tgap.curves/2"  # the first line of a file of rows says what they are of
ORDER_WORDS = {
    "effect": "effect, measured anew",
    "share": "share of the flow to the answer",
    "attention": "strongest attention",
    "pair": "most recent events of the pair",
    "recent": "most recent events of the entity",
    "random": "random events of the entity",
}


@click.command("faithfulness", short_help="What answers lose without their reasons, and keep with only them.")
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
    "--answers",
    type=click.Choice(["best", "true"]),
    default="best",
    show_default=True,
    help="Whose reasons: those of the model's first new answer, or of the true one.",
)
@seed_option("questions and random order")
@click.option(
    "--rows", "rows_file", metavar="FILE", help="Keep each question's curves as a line of JSON, and go on from there."
)
@click.option("--figure", "figure_file", metavar="FILE", help="Draw the curves (.png, .svg or .pdf).")
@json_option
def faithfulness(
    run: str,
    split: str,
    side: str,
    limit: int,
    answers: str,
    seed: int,
    rows_file: str | None,
    figure_file: str | None,
    json_file: str | None,
) -> None:
    """Take facts away, or everything but them, and see what becomes of the answer.

    Six ways to choose the facts that explain an answer are compared over the same questions: by effect, measured anew
    after each fact taken away, by share in the flow to this answer, by attention, and the most recent events of the
    entity asked about with the answer, its most recent events with anyone, or random ones.
    For k = 1, 2, 3, 5, 10, 20: the probability without the first k, and with only the first k of the facts that touch
    the answer. The whole model is computed anew each time, some 150 times for a question. An answer that the graph
    itself holds as a fact of that time needs no reasons: the first new answer is looked at.

    \b
    Example:
      tgap study faithfulness icews14 --limit 500 --rows rows.jsonl --figure curves.png
    """
    from dataclasses import asdict

    from tgap.cli.terminal import make_console
    from tgap.explain.faithfulness import summarise
    from tgap.predict import Predictor
    from tgap.runs import find_run

    check_format(figure_file, ("png", "svg", "pdf"))
    predictor = Predictor.from_run(run)
    asked = split_questions(predictor.dataset, split, side).sample(limit, seed)
    with progress_bar("curves") as progress:
        made = {"schema": _ROWS, "run": find_run(run).identity(), "answers": answers, "seed": seed}
        rows = _rows(predictor.explainer, asked, made, rows_file, progress)
    found = summarise(rows)
    if json_file != "-":
        _print(make_console(), found, answers)
    if figure_file is not None:
        from tgap.drawing.faithfulness_figure import faithfulness_figure
        from tgap.drawing.rendering import render

        title = f"{predictor.dataset.name}, {split}: reasons of {found.questions:,} answers"
        write_bytes(figure_file, render(faithfulness_figure(title, found), file_format(figure_file)))
    place = {"dataset": predictor.dataset.name, "split": split, "side": side, "seed": seed, "answers": answers}
    write_json(json_file, {"schema": _VERSION, **place, **asdict(found)})


def _rows(
    explainer: Explainer, asked: SplitQueries, made: dict[str, Any], rows_file: str | None, progress: Progress
) -> list[CurveRow]:
    """Curves of all questions; those that a file already holds are read from it, the others are added to it.

    ``made``: how rows are made, the first line of the file.
    """
    from tgap.explain.faithfulness import question_curves
    from tgap.graph import View
    from tgap.scorer import Query

    rows = [] if rows_file is None else _stored(Path(rows_file), made, asked)
    for place in range(len(rows), len(asked)):
        query = Query(*(int(column[place]) for column in (asked.batch.subject, asked.batch.relation, asked.batch.time)))
        answer = int(asked.answer[place]) if made["answers"] == "true" else None
        rows.append(question_curves(explainer, query, View.all(), answer, made["seed"]))
        if rows_file is not None:
            with Path(rows_file).open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1].to_dict()) + "\n")
        progress(place + 1, len(asked))
    return rows


def _stored(file: Path, made: dict[str, Any], asked: SplitQueries) -> list[CurveRow]:
    """The rows of a file, which is begun if need be; refuses those of other questions or another model."""
    from tgap.data.atomic import write_atomically
    from tgap.errors import QueryError
    from tgap.explain.faithfulness import CurveRow

    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []  # what follows the last newline is unfinished
    try:
        head, *rows = [json.loads(line) for line in lines] or [made]
        found = [CurveRow.of(row) for row in rows][: len(asked)] if head == made else None
    except (ValueError, TypeError) as error:
        raise QueryError(f"{file} holds no rows of this study ({error}); name another file") from error
    wanted = zip(asked.batch.subject.tolist(), asked.batch.relation.tolist(), asked.batch.time.tolist(), strict=True)
    if found is None or any(
        (row.subject, row.relation, row.time) != query for row, query in zip(found, wanted, strict=False)
    ):
        raise QueryError(
            f"the rows of {file} were made with another model, split, side, limit, seed or kind of answers; "
            "name another file"
        )
    write_atomically(file, b"".join(line + b"\n" for line in lines or [json.dumps(made).encode()]))
    return found


def _print(console: Console, found: Faithfulness, answers: str) -> None:
    from tgap.explain.wording import percent

    whose = "the model's first answer" if answers == "best" else "the true answer"
    console.print(f"{found.questions:,} questions, {whose}: mean probability {found.probability:.3f}", style="bold")
    headings = [(f"k = {size}", "right") for size in found.sizes]
    for title, part in (("Left without the first k facts", "deletion"), ("Left with only the first k", "sufficiency")):
        console.print(title)
        table = simple_table(("facts chosen by", "left"), *headings, ("area", "right"))
        for name, curves in found.orders.items():
            line, area = getattr(curves, part), getattr(curves, f"{part}_area")
            table.add_row(ORDER_WORDS[name], *(percent(share) for share in line), f"{area:.3f}")
        console.print(table)
    console.print(f"The probability is lower without them ({found.possible:,} questions where it is above 1 %)")
    table = simple_table(("facts chosen by", "left"), *headings)
    for name, curves in found.orders.items():
        table.add_row(ORDER_WORDS[name], *(f"{100 * share:.1f} %" for share in curves.lowered))
    console.print(table)
