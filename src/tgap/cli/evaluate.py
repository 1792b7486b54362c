"""tgap evaluate: ranks of a run or a baseline on a split, with the untrained baselines beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.ask_options import sight_options
from tgap.cli.progress import progress_bars
from tgap.cli.protocol import ProtocolName
from tgap.cli.reports import check_target, print_reports

if TYPE_CHECKING:
    from tgap.config import RunConfig
    from tgap.data import Dataset
    from tgap.scorer import Scorer

_FILE = click.Path(path_type=Path)


@click.command("evaluate")
@click.argument("run")
@click.option(
    "--dataset",
    metavar="NAME",
    help="Dataset for what is no run (`tgap data list` shows all, and the folders they lie in), or another one than "
    "the run learned from, whose relations have the same names. [default: the run's own]",
)
@click.option("--split", type=click.Choice(["valid", "test"]), default="test", show_default=True)
@click.option(
    "--protocol",
    type=ProtocolName(),
    default="all",
    show_default=True,
    help="Which filter the tables show. JSON, CSV and predictions always hold every one.",
)
@click.option(
    "--context",
    type=click.Choice(["train", "train+valid", "all"]),
    help="Whose facts are known, weights unchanged. [default: train; all for forecasts]",
)
@sight_options
@click.option(
    "--task", metavar="NAME", help="What a baseline is asked for: completion or forecast; a run knows its own."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask only a random sample of N queries.")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Seed of the samples."
)
@click.option("--details", is_flag=True, help="Also print the breakdowns, for instance by evidence.")
@click.option(
    "--bootstrap",
    type=click.IntRange(min=2),
    metavar="N",
    help="Add 95 % intervals from N draws of the facts (1000 will do), and differences to the baselines.",
)
@click.option("--no-baselines", is_flag=True, help="Leave the untrained baselines out of the tables.")
@click.option(
    "--json", "json_file", metavar="FILE", help="Write every metric as JSON; - prints it instead of the tables."
)
@click.option("--csv", "csv_file", metavar="FILE", help="Write every metric as CSV; - prints it.")
@click.option("--markdown", "markdown_file", metavar="FILE", help="Write the tables as a Markdown page; - prints it.")
@click.option("--predictions", "predictions_file", type=_FILE, metavar="FILE", help="Write every query as Parquet.")
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="K",
    default=10,
    show_default=True,
    help="Best answers that --predictions keeps of each query.",
)
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Processor threads. [default: all cores]")
def evaluate(
    run: str,
    dataset: str | None,
    split: str,
    protocol: str,
    context: str | None,
    past_only: bool,
    as_of: str | None,
    task: str | None,
    limit: int | None,
    seed: int,
    details: bool,
    bootstrap: int | None,
    no_baselines: bool,
    json_file: str | None,
    csv_file: str | None,
    markdown_file: str | None,
    predictions_file: Path | None,
    top: int,
    threads: int | None,
) -> None:
    """Rank the true answers of a split: MRR, Hits and mean rank, raw and filtered.

    RUN is a run folder, the name of a pretrained model (icews14), or, with --dataset, a method that needs no training
    (recency, frequency) or a scorer of your own, package.module:Class.

    \b
    Examples:
      tgap evaluate icews14
      tgap evaluate runs/mine --split valid --json result.json
      tgap evaluate recency --dataset icews14 --details
      tgap evaluate mine.scorers:Nearest --dataset icews14
      tgap evaluate icews14 --context train+valid
      tgap evaluate recurrency --dataset icews14-forecast --task forecast
    """
    from tgap.capabilities import setting_of, under_setting
    from tgap.cli.output import check_one_stdout, write_output
    from tgap.cli.terminal import make_console
    from tgap.evaluation import (
        PROTOCOLS,
        Bootstrap,
        Filters,
        markdown_page,
        report_csv,
        report_json,
        with_intervals,
    )
    from tgap.evaluation import evaluate as evaluate_scorer
    from tgap.evaluation.predictions import write_predictions
    from tgap.methods import BESIDE, config_for, find_method, make_scorer

    texts = (json_file, csv_file, markdown_file)
    check_one_stdout(json=json_file, csv=csv_file, markdown=markdown_file)
    for target in (*texts, predictions_file):
        if target not in (None, "-"):
            check_target(Path(target))
    protocols = tuple(PROTOCOLS) if protocol == "all" else (protocol,)
    scorer, data, config = find_scorer(run, dataset, threads, task)
    batch_size = config.evaluation.batch_size
    setting = setting_of(scorer).chosen(data, context, as_of, past_only)
    filters = Filters.of(data)
    names = [name for name in BESIDE[config.task] if not no_baselines and find_method(name).title != scorer.name]
    beside = [
        under_setting(make_scorer(config_for(name, data.name, task=config.task), data), data, setting) for name in names
    ]
    scorer = under_setting(scorer, data, setting)
    with progress_bars() as track:
        evaluations = [
            evaluate_scorer(
                one,
                data,
                split,
                batch_size=batch_size,
                limit=limit,
                seed=seed,
                top=top if one is scorer and predictions_file is not None else 0,
                filters=filters,
                progress=track(one.name),
            )
            for one in (scorer, *beside)
        ]
    reports = [evaluation.report for evaluation in evaluations]
    if bootstrap is not None:
        reports = with_intervals(evaluations, Bootstrap(samples=bootstrap, seed=seed))
    if "-" not in texts:
        print_reports(make_console(), reports, protocols, details)
    write_output(json_file, report_json(reports[0], reports[1:]))
    write_output(csv_file, report_csv(reports))
    write_output(markdown_file, markdown_page(reports, protocols))
    if predictions_file is not None:
        write_predictions(predictions_file, evaluations[0], data, filters)
        click.echo(f"wrote {predictions_file}", err="-" in texts)


def find_scorer(
    run: str, dataset: str | None, threads: int | None, task: str | None = None
) -> tuple[Scorer, Dataset, RunConfig]:
    """Scorer, dataset and settings for what the user called RUN."""
    import warnings

    from tgap.data import LeakWarning
    from tgap.kernels import set_threads
    from tgap.runs import load_scorer

    set_threads(threads, whole_process=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)  # the note under the tables says it about these very queries
        loaded = load_scorer(run, dataset=dataset, task=task)
    return loaded.scorer, loaded.dataset, loaded.config
