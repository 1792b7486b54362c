"""tgap predict: the best answers to a question, by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.output import print_notes, simple_table, write_output
from tgap.cli.sight import sight_options
from tgap.cli.words import PARTS, split_parts
from tgap.errors import QueryError

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.predict import Prediction


_PATH = click.Path(path_type=Path)


@click.command("predict")
@click.argument("run")
@click.argument("parts", nargs=-1, metavar=PARTS)
@click.option(
    "--object", "object_name", metavar="NAME", help="The object, where SUBJECT is ? and only three parts follow."
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", default=10, show_default=True, help="Answers to list.")
@sight_options
@click.option("--file", "question_file", type=_PATH, metavar="FILE", help="Answer every question of a file.")
@click.option("--out", type=_PATH, metavar="FILE", help="Where the answers to --file go: .parquet, .csv or .jsonl.")
@click.option("--json", "json_file", metavar="FILE", help="Write the answers as JSON; - prints JSON and nothing else.")
def predict(
    run: str,
    parts: tuple[str, ...],
    object_name: str | None,
    top: int,
    past_only: bool,
    as_of: str | None,
    question_file: Path | None,
    out: Path | None,
    json_file: str | None,
) -> None:
    """Answer a question: a fact with a hole.

    RUN is a run folder or the name of a pretrained model. Then come the parts of the fact in their order; ? stands
    where the answer goes, and an OBJECT that is asked for may be left out. Given both SUBJECT and OBJECT, the object is
    asked for and its own place is told, too. Names are matched whatever their case, spaces or underscores.

    \b
    Examples:
      tgap predict icews14 "North Korea" Threaten 2014-04-29
      tgap predict icews14 "North Korea" Threaten "?" 2014-04-29 --top 3
      tgap predict icews14 "?" Threaten "South Korea" 2014-04-29
      tgap predict icews14 "?" Threaten 2014-04-29 --object "South Korea"
      tgap predict icews14 "North Korea" Threaten 2014-04-29 --past-only
      tgap predict icews14 --file questions.csv --out answers.parquet

    A file of questions has the columns subject, relation, object and time, with ? or nothing for what is asked. A run
    over many of them can be stopped: the same command goes on with what is missing.
    """
    from tgap.cli.terminal import make_console
    from tgap.predict import Predictor

    if question_file is not None:
        _answer_file(run, parts, question_file, out, top, past_only, as_of)
        return
    if out is not None:
        raise QueryError("--out is for the answers to --file; use --json for a single question")
    subject, relation, obj, time = split_parts(parts, object_name)
    predictor = Predictor.from_run(run).seeing(as_of=as_of, past_only=past_only)
    found = predictor.predict(subject, relation, obj, time, top=top)
    if json_file != "-":
        print_prediction(make_console(), found)
    write_output(json_file, found.to_json() + "\n")


def _answer_file(
    run: str,
    parts: tuple[str, ...],
    questions: Path,
    out: Path | None,
    top: int,
    past_only: bool,
    as_of: str | None,
) -> None:
    from tgap.cli.progress import progress_bars
    from tgap.predict import Predictor
    from tgap.predict.bulk import answer_file
    from tgap.runs import find_run
    from tgap.scorer import knowledge_of

    if parts:
        raise QueryError(f"--file does not go with a question on the command line ({' '.join(parts)}); leave one out")
    if out is None:
        raise QueryError("--file needs --out: a file for the answers, .parquet, .csv or .jsonl")
    with progress_bars() as track:
        predictor = Predictor.from_run(run).seeing(as_of=as_of, past_only=past_only)
        seen = knowledge_of(predictor.scorer).name(predictor.dataset)
        model = f"{find_run(run).identity()} {seen}"
        failed = answer_file(predictor, questions, out, top=top, model=model, progress=track("questions"))
    click.echo(f"wrote {out}" + (f"; {failed} questions could not be answered, see the column error" if failed else ""))


def print_prediction(console: Console, found: Prediction) -> None:
    """The answers as a table, notes below it."""
    from tgap.cli.terminal import cell, say
    from tgap.explain.wording import calibration_words
    from tgap.predict.prediction import known_words

    console.print(cell(found.question.text), style="bold")
    table = simple_table(("rank", "right"), ("answer", "left"), (_score_name(found), "right"), ("", "left"))
    for answer in found.answers:
        known = cell(known_words(answer))
        table.add_row(f"{answer.rank:g}", cell(answer.name), f"{answer.score:.4f}", known)
    console.print(table)
    if found.asked is not None:
        asked = (
            f"{found.asked.name} stands at rank {found.asked.rank:g} with {_score_name(found)} {found.asked.score:.4g}"
        )
        say(console, cell(asked if found.asked.score > 0 or not found.probabilities else f"{asked}: out of reach"))
    if found.calibration is not None:
        say(console, cell(calibration_words(found.calibration)))
    print_notes(console, found.notes)


def _score_name(found: Prediction) -> str:
    return "probability" if found.probabilities else "score"
