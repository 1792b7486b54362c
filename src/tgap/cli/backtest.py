"""tgap backtest: what forecasts would have been worth, window by window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tgap.errors import ConfigError

if TYPE_CHECKING:
    from tgap.data import Dataset
    from tgap.scorer import Scorer


@click.command("backtest")
@click.argument("dataset")
@click.option("--from", "first", metavar="TIME", help="Where the first window begins. [default: after train]")
@click.option("--to", "last", metavar="TIME", help="Where the last window ends. [default: the end of the data]")
@click.option(
    "--step", type=click.IntRange(min=1), default=7, show_default=True, metavar="N", help="Units of time in a window."
)
@click.option("--run", "runs", multiple=True, metavar="RUN", help="A trained run of the dataset; may be repeated.")
@click.option("--methods", default="recurrency,recency", show_default=True, help="Methods without training.")
@click.option(
    "--past",
    "pasts",
    multiple=True,
    type=click.Choice(["single step", "origin", "frozen"]),
    help="What is known: all before the asked time, all before the window, train alone. [default: all three]",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask a random sample of so many per window.")
@click.option("--json", "json_file", metavar="FILE", help="Write every metric as JSON; - prints it.")
@click.option("--markdown", "markdown_file", metavar="FILE", help="Write the table as Markdown; - prints it.")
@click.option("--figure", "figure_file", metavar="FILE", help="Draw the lines over time (.png, .svg or .pdf).")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Processor threads. [default: all cores]")
def backtest(
    dataset: str,
    first: str | None,
    last: str | None,
    step: int,
    runs: Sequence[str],
    methods: str,
    pasts: Sequence[str],
    limit: int | None,
    json_file: str | None,
    markdown_file: str | None,
    figure_file: str | None,
    threads: int | None,
) -> None:
    """Ask for the facts of one window of time after another, knowing only what lies before.

    DATASET must be divided by time: windows begin after its train split. Weights never change; what is known does. The
    three kinds of past show how a model ages, and how far facts that join the graph keep it young.

    \b
    Examples:
      tgap backtest icews14-forecast --step 7
      tgap backtest icews14-forecast --run runs/forecast --from 2014-11-01 --to 2014-12-31 --figure ages.png
    """
    from tgap.cli.explain import check_format, file_format, write_bytes
    from tgap.cli.output import write_output
    from tgap.cli.progress import progress_bars
    from tgap.cli.reports import print_table
    from tgap.cli.terminal import make_console
    from tgap.compare.backtest import (
        PASTS,
        backtest_json,
        backtest_table,
        draw_backtest,
        make_windows,
        run_backtest,
    )
    from tgap.data import load_dataset
    from tgap.kernels import set_threads

    check_format(figure_file, ("png", "svg", "pdf"))
    set_threads(threads, whole_process=True)
    data = load_dataset(dataset)
    line = data.timeline
    begin = int(data.train.time.max()) + 1 if first is None else line.read(first)
    end = line.span if last is None else line.read(last)
    windows = make_windows(data, begin, end, step)
    scorers = [*_of_runs(runs, data), *_of_methods(methods, data)]
    if not scorers:
        raise ConfigError("there is nobody to ask; name runs with --run or methods with --methods")
    with progress_bars() as track:
        found = run_backtest(scorers, data, windows, pasts or PASTS, limit=limit, progress=track("windows"))
    table = backtest_table(found)
    if "-" not in (json_file, markdown_file):
        print_table(make_console(), table)
    write_output(json_file, backtest_json(found))
    write_output(markdown_file, table.markdown())
    if figure_file is not None:
        write_bytes(figure_file, draw_backtest(found, file_format(figure_file)))


def _of_runs(runs: Sequence[str], dataset: Dataset) -> list[Scorer]:
    from tgap.runs import load_scorer

    scorers = []
    for run in runs:
        loaded = load_scorer(run)
        if loaded.dataset.checksum != dataset.checksum:
            raise ConfigError(f"{run} was made with {loaded.dataset.name}, not with {dataset.name}; give a fitting run")
        scorers.append(loaded.scorer)
    return scorers


def _of_methods(names: str, dataset: Dataset) -> list[Scorer]:
    from tgap.methods import config_for, make_scorer

    chosen = [name.strip() for name in names.split(",") if name.strip()]
    return [make_scorer(config_for(name, dataset.name, task="forecast"), dataset) for name in chosen]
