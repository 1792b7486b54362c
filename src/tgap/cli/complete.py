"""tgap complete: answers to millions of questions as a folder of Parquet files, by as many processes as there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.ask_options import dataset_option, evidence_option, sight_options
from tgap.cli.predict import unanswered
from tgap.cli.team import ray_option
from tgap.errors import ConfigError

if TYPE_CHECKING:
    from tgap.distributed.source import AnswerSource
    from tgap.predict import Predictor
    from tgap.predict.bulk import Answering, Wanted
    from tgap.predict.questions import Questions, Side

_PATH = click.Path(path_type=Path)


@click.command("complete")
@click.argument("run")
@click.option("--ask", type=_PATH, metavar="FILE", help="Questions: .csv, .parquet or .jsonl, as for predict --file.")
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
@click.option("--out", type=_PATH, metavar="FOLDER", required=True, help="Where the answers go.")
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
    """Answer many questions and write the answers to FOLDER/part-NNNNNN.parquet.

    The questions stand in a file, or they are made: whom did everybody who is known to have done RELATION do it to, at
    each time from --from to --to? Every question has at least one row, with the columns of predict --file. The work can
    be stopped or killed at any time: the same command goes on with the parts that are missing, and no question is
    answered twice. The rows are the same however many processes work.

    \b
    Examples:
      tgap complete icews14 --ask questions.parquet --out answers
      tgap complete icews14 --relation Threaten --from 2014-12-01 --to 2014-12-31 --at-least 0.3 --out threats
      tgap complete icews14 --ask questions.csv --top 3 --evidence 5 --workers 4 --out answers
      tgap complete runs/mine --ask questions.parquet --workers 16 --ray 10.0.0.1:6379 --out answers
    """
    from tgap.cli.progress import long_progress
    from tgap.distributed.processes import threads_each
    from tgap.distributed.source import AnswerSource
    from tgap.kernels import set_threads
    from tgap.predict.bulk import Wanted, answer_folder, identity_of

    _check_questions(ask, relation, since, until)
    here = workers == 1 and ray is None
    each = threads or (1 if ray is not None else threads_each(workers, None))
    set_threads(each if here else 1, whole_process=True)  # with helpers this process only loads and writes
    source = AnswerSource(run, dataset, as_of, past_only)
    predictor = source.load()
    questions = _questions(predictor, ask, relation, since, until, side)
    wanted = Wanted(top, at_least, evidence)
    if evidence:
        predictor.explainer  # noqa: B018  a method without a walk is refused before anything is written
    with _answering(predictor, source, wanted, workers, each, ray) as answering:
        click.echo(f"{len(questions):,} questions to {out}  (Ctrl-C stops; the same command goes on)")
        identity = identity_of(predictor, wanted, source.name(predictor))
        with long_progress("questions") as progress:
            failed = answer_folder(questions, out, answering, identity, progress)
    click.echo(f"wrote {out}{unanswered(failed)}")


@contextmanager
def _answering(
    predictor: Predictor, source: AnswerSource, wanted: Wanted, workers: int, threads: int, ray: str | None
) -> Iterator[Answering]:
    """Who answers."""
    if ray is not None:
        from tgap.distributed.ray_answering import answering_on_ray
        from tgap.distributed.ray_cluster import connected

        with connected(ray, workers, threads) as cluster:
            yield answering_on_ray(cluster, predictor, source.absolute(), wanted, workers, threads)
    elif workers == 1:
        from tgap.predict.bulk import answering_here

        yield answering_here(predictor, wanted)
    else:
        from tgap.distributed.answering import answering_in_processes

        yield answering_in_processes(predictor, source, wanted, workers, threads)


def _check_questions(ask: Path | None, relation: str | None, since: str | None, until: str | None) -> None:
    span = {"--relation": relation, "--from": since, "--to": until}
    missing = [flag for flag, value in span.items() if value is None]
    if ask is not None and len(missing) < len(span):
        given = next(flag for flag, value in span.items() if value is not None)
        raise ConfigError(f"--ask does not go with {given}: the file says what is asked; leave one of them out")
    if ask is None and missing:
        raise ConfigError(f"{missing[0]} is missing; give --ask FILE, or --relation NAME --from TIME --to TIME")


def _questions(
    predictor: Predictor, ask: Path | None, relation: str | None, since: str | None, until: str | None, side: Side
) -> Questions:
    from tgap.predict.questions import FileQuestions, RelationQuestions

    if ask is not None:
        return FileQuestions(ask)
    assert relation is not None, "checked before"
    assert since is not None, "checked before"
    assert until is not None, "checked before"
    return RelationQuestions(predictor.dataset, relation, since, until, side)
