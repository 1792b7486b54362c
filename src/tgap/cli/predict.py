"""tgap predict: the best answers to a question, by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.ask_options import dataset_option, evidence_option, sight_options
from tgap.cli.output import print_notes, simple_table, write_output
from tgap.cli.words import PARTS, split_parts
from tgap.errors import QueryError

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.distributed.source import AnswerSource
    from tgap.predict import Prediction, WhatIf
    from tgap.predict.bulk import Wanted

Fact = tuple[str, str, str, str]
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
@evidence_option
@click.option("--without", nargs=4, multiple=True, metavar="S R O T", help="Ask again as if this had not happened.")
@click.option("--with", "added", nargs=4, multiple=True, metavar="S R O T", help="Ask again as if this had happened.")
@dataset_option
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
    evidence: int,
    without: tuple[Fact, ...],
    added: tuple[Fact, ...],
    dataset: str | None,
    json_file: str | None,
) -> None:
    """Answer a question: a fact with a hole.

    RUN is a run folder or the name of a pretrained model, or, with --dataset, a method that needs no training or a
    scorer of your own (package.module:Class). Then come the parts of the fact in their order; ? stands
    where the answer goes, and an OBJECT that is asked for may be left out. Given both SUBJECT and OBJECT, the object is
    asked for and its own place is told, too. Names are matched whatever their case, spaces or underscores.

    \b
    Examples:
      tgap predict icews14 "North Korea" Threaten 2014-04-29
      tgap predict icews14 "North Korea" Threaten "?" 2014-04-29 --top 3
      tgap predict icews14 "?" Threaten "South Korea" 2014-04-29
      tgap predict icews14 "?" Threaten 2014-04-29 --object "South Korea"
      tgap predict icews14 "North Korea" Threaten 2014-04-29 --past-only
      tgap predict icews14 "North Korea" Threaten 2014-04-29 --evidence 5
      tgap predict icews14 "North Korea" Threaten 2014-04-29 --with "North Korea" Threaten China 2014-04-28
      tgap predict icews14 --file questions.csv --out answers.parquet

    --without and --with may be repeated and go together; what the method has learned stays as it is. A file of
    questions has the columns subject, relation, object and time, with ? or nothing for what is asked. A run over many
    of them can be stopped: the same command goes on with what is missing.
    """
    from tgap.cli.terminal import make_console
    from tgap.predict import Predictor

    if question_file is not None:
        if parts or without or added or json_file is not None:
            raise QueryError("--file does not go with a question, --without, --with or --json; leave them out")
        from tgap.distributed.source import AnswerSource
        from tgap.predict.bulk import Wanted

        source = AnswerSource(run, dataset, as_of, past_only)
        _answer_file(source, question_file, out, Wanted(top, evidence=evidence))
        return
    if out is not None:
        raise QueryError("--out is for the answers to --file; use --json for a single question")
    subject, relation, obj, time = split_parts(parts, object_name)
    predictor = Predictor.from_run(run, dataset=dataset).seeing(as_of=as_of, past_only=past_only)
    console = make_console(quiet=json_file == "-")
    if without or added:
        if evidence:
            raise QueryError("--evidence does not go with --without and --with; ask twice")
        compared = predictor.what_if(subject, relation, obj, time, without=without, added=added, top=top)
        print_what_if(console, compared)
        write_output(json_file, compared.to_json() + "\n")
        return
    found = predictor.predict(subject, relation, obj, time, top=top, evidence=evidence)
    print_prediction(console, found)
    write_output(json_file, found.to_json() + "\n")


def _answer_file(source: AnswerSource, questions: Path, out: Path | None, wanted: Wanted) -> None:
    from tgap.cli.progress import progress_bars
    from tgap.predict.bulk import answer_file, answering_here, identity_of
    from tgap.predict.questions import FileQuestions

    if out is None:
        raise QueryError("--file needs --out: a file for the answers, .parquet, .csv or .jsonl")
    predictor = source.load()
    identity = identity_of(predictor, wanted, source.name(predictor))
    with progress_bars() as track:
        failed = answer_file(
            FileQuestions(questions), out, answering_here(predictor, wanted), identity, track("questions")
        )
    click.echo(f"wrote {out}{unanswered(failed)}")


def unanswered(count: int) -> str:
    """What is said of questions that could not be answered, if there are any."""
    return f"; {count:,} questions could not be answered, see the column error" if count else ""


def print_prediction(console: Console, found: Prediction) -> None:
    """The answers as a table, notes below it."""
    from tgap.cli.terminal import cell, say
    from tgap.explain.wording import calibration_words, percent, points
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
    if found.evidence:
        console.print(
            f"What carried most of the way to {cell(found.answers[0].name)}, and its probability without each:"
        )
        table = simple_table(("effect", "right"), ("without it", "right"), ("event", "left"))
        for row in found.evidence:
            table.add_row(points(row.effect), percent(row.probability), cell(row.clause))
        console.print(table)
    print_notes(console, found.notes)


def print_what_if(console: Console, found: WhatIf) -> None:
    """What would be different, and the answers then, each with what it was before."""
    from tgap.cli.output import print_item
    from tgap.cli.terminal import cell, say

    console.print(cell(found.before.question.text), style="bold")
    for words, facts in (("If this had not happened:", found.without), ("If this had happened:", found.added)):
        if facts:
            say(console, words)
        for fact in facts:
            print_item(console, ", ".join(fact))
    before = {answer.name: answer for answer in (*found.before.answers, *filter(None, [found.before.asked]))}
    score = _score_name(found.before)
    table = simple_table(
        ("rank", "right"), ("answer", "left"), (score, "right"), ("was", "right"), ("rank was", "right")
    )
    for answer in found.after.answers:
        was = before.get(answer.name)
        then = ("", f"> {len(found.before.answers)}") if was is None else (f"{was.score:.4f}", f"{was.rank:g}")
        table.add_row(f"{answer.rank:g}", cell(answer.name), f"{answer.score:.4f}", *then)
    console.print(table)
    if found.before.asked is not None and found.after.asked is not None:
        was, then_ = found.before.asked, found.after.asked
        say(
            console,
            cell(
                f"{was.name}: {score} {was.score:.4g}, rank {was.rank:g}; then {then_.score:.4g}, rank {then_.rank:g}"
            ),
        )
    first = f"{found.after.best} would come first instead of {found.before.best}"
    say(console, cell(f"{first}." if found.changes else f"{found.before.best} would still come first."))
    print_notes(console, found.before.notes)


def _score_name(found: Prediction) -> str:
    return "probability" if found.probabilities else "score"
