"""tgap complete: answers to millions of questions as a folder of Parquet files, by as many processes as there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.ask_options import dataset_option, evidence_option, sight_options
from tgap.cli.team import ray_option
from tgap.errors import ConfigError

if TYPE_CHECKING:
    from tgap.asking.bulk import Answering, Wanted
    from tgap.asking.model import Model
    from tgap.asking.questions import Questions, Side
    from tgap.distributed.source import AnswerSource

_PATH = click.Path(path_type=Path)


@click.command("complete")
@click.argument("run")
@click.option(
    "--ask",
    type=_PATH,
    metavar="FILE",
    help="Questions: .csv, .parquet or .jsonl, with the columns subject, relation, object and time.",
)
@click.option("--relation", metavar="NAME", help="Instead of --ask: all about this relation, from --from to --to.")
@click.option("--from", "since", metavar="TIME", help="First time asked about.")
@click.option("--to", "until", metavar="TIME", help="Last time asked about.")
@click.option(
    "--side",
    type=click.Choice(["object", "subject", "both"]),
    default="object",
    show_default=True,
    help="With --relation: what is asked for, of everybody who is known on the other side of it.",
)
@click.option(
    "--out",
    type=_PATH,
    metavar="PLACE",
    required=True,
    help="Where the answers go: a folder, or a file (.parquet, .csv or .jsonl).",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", default=10, show_default=True, help="Answers at most.")
@click.option("--at-least", type=float, metavar="P", help="Only answers with at least this probability (or score).")
@evidence_option
@sight_options
@dataset_option
@click.option("--workers", type=click.IntRange(min=1), metavar="N", default=1, show_default=True, help="Processes.")
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="Threads of each. [default: all cores, divided]"
)
@ray_option
def complete(
    run: str,
    ask: Path | None,
    relation: str | None,
    since: str | None,
    until: str | None,
    side: Side,
    out: Path,
    top: int,
    at_least: float | None,
    evidence: int,
    past_only: bool,
    as_of: str | None,
    dataset: str | None,
    workers: int,
    threads: int | None,
    ray: str | None,
) -> None:
    """Answer many questions and write the answers to a file, or to FOLDER/part-NNNNNN.parquet.

    The questions stand in a file, or they are made: whom did everybody who is known to have done RELATION do it to, at
    each time from --from to --to? Every question has at least one row. The work can
    be stopped or killed at any time: the same command goes on with the parts that are missing, and no question is
    answered twice. The rows are the same however many processes work.

    \b
    Examples:
      tgap complete icews14 --ask questions.parquet --out answers
      tgap complete icews14 --relation Threaten --from 2014-12-01 --to 2014-12-31 --at-least 0.3 --out threats
      tgap complete icews14 --ask questions.csv --top 3 --evidence 5 --workers 4 --out answers
      tgap complete runs/mine --ask questions.parquet --workers 16 --ray 10.0.0.1:6379 --out answers
    """
    from tgap.asking.bulk import FORMS, Wanted, answer_file, answer_folder, identity_of
    from tgap.cli.progress import long_progress
    from tgap.distributed.processes import threads_each
    from tgap.distributed.source import AnswerSource
    from tgap.kernels import set_threads

    _check_questions(ask, relation, since, until)
    here = workers == 1 and ray is None
    each = threads or (1 if ray is not None else threads_each(workers, None))
    set_threads(each if here else 1, whole_process=True)  # with helpers this process only loads and writes
    source = AnswerSource(run, dataset, as_of, past_only)
    model = source.load()
    questions = _questions(model, ask, relation, since, until, side)
    wanted = Wanted(top, at_least, evidence)
    if evidence:
        model.walker  # noqa: B018  a method without a walk is refused before anything is written
    with _answering(model, source, wanted, workers, each, ray) as answering:
        noun = "question" if len(questions) == 1 else "questions"
        click.echo(f"{len(questions):,} {noun} to {out}  (Ctrl-C stops; the same command goes on)")
        identity = identity_of(model, wanted, source.name(model))
        with long_progress("questions") as progress:
            write = answer_file if out.suffix in FORMS else answer_folder
            failed = write(questions, out, answering, identity, progress)
    click.echo(f"wrote {out}{unanswered(failed)}", err=True)


def unanswered(count: int) -> str:
    """What is said of questions that could not be answered, if there are any."""
    noun = "question" if count == 1 else "questions"
    return f"; {count:,} {noun} could not be answered, see the column error" if count else ""


@contextmanager
def _answering(
    model: Model, source: AnswerSource, wanted: Wanted, workers: int, threads: int, ray: str | None
) -> Iterator[Answering]:
    """Who answers."""
    if ray is not None:
        from tgap.distributed.ray_answering import answering_on_ray
        from tgap.distributed.ray_cluster import connected

        with connected(ray, workers, threads) as cluster:
            yield answering_on_ray(cluster, model, source.absolute(), wanted, workers, threads)
    elif workers == 1:
        from tgap.asking.bulk import answering_here

        yield answering_here(model, wanted)
    else:
        from tgap.distributed.answering import answering_in_processes

        yield answering_in_processes(model, source, wanted, workers, threads)


def _check_questions(ask: Path | None, relation: str | None, since: str | None, until: str | None) -> None:
    span = {"--relation": relation, "--from": since, "--to": until}
    missing = [flag for flag, value in span.items() if value is None]
    if ask is not None and len(missing) < len(span):
        given = next(flag for flag, value in span.items() if value is not None)
        raise ConfigError(f"--ask does not go with {given}: the file says what is asked; leave one of them out")
    if ask is None and missing:
        raise ConfigError(f"{missing[0]} is missing; give --ask FILE, or --relation NAME --from TIME --to TIME")


def _questions(
    model: Model, ask: Path | None, relation: str | None, since: str | None, until: str | None, side: Side
) -> Questions:
    from tgap.asking.questions import FileQuestions, RelationQuestions

    if ask is not None:
        return FileQuestions(ask)
    assert relation is not None, "checked before"
    assert since is not None, "checked before"
    assert until is not None, "checked before"
    return RelationQuestions(model.dataset, relation, since, until, side)
