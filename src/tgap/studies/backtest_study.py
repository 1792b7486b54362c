"""Ask for one window of time after another, knowing only the past."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from tgap.asking.operation import FileOutput, Operation, Progress
from tgap.asking.options import Cli, Name, Options, Time
from tgap.studies.options import PICTURES, Names
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.data import Dataset
    from tgap.scorer import Scorer
    from tgap.studies.backtests import Backtest

Past = Literal["single step", "origin", "frozen"]


class BacktestOptions(Options):
    """Who is asked, in which windows, and what is known."""

    dataset: Name = Field(description="A dataset that is divided by time: windows begin after its train split")
    since: Annotated[Time | None, Cli(flag="--from", metavar="TIME")] = Field(
        default=None, description="Where the first window begins; default: after train"
    )
    until: Annotated[Time | None, Cli(flag="--to", metavar="TIME")] = Field(
        default=None, description="Where the last window ends; default: the end of the data"
    )
    step: int = Field(default=7, ge=1, description="Units of time in a window")
    runs: Annotated[tuple[Name, ...], Cli(flag="--run", metavar="RUN")] = Field(
        default=(), description="Trained runs of the dataset"
    )
    methods: Annotated[Names, Cli(metavar="A,B,...")] = Field(
        default=("recurrency", "recency"), description="Methods without training; default: recurrency,recency"
    )
    pasts: Annotated[tuple[Past, ...], Cli(flag="--past", metavar="[single step|origin|frozen]")] = Field(
        default=(),
        description="What is known: all before the asked time, all before the window, train alone; default: all three",
    )
    limit: int | None = Field(default=None, ge=1, description="Ask a random sample of so many per window")
    seed: int = Field(default=0, ge=0, description="Seed of that sample")


def backtest(options: BacktestOptions, progress: Progress | None = None) -> Backtest:
    """Ask for the facts of every window from what lies before it."""
    from tgap.asking.question import read_time
    from tgap.data import load_dataset
    from tgap.errors import ConfigError, Option
    from tgap.studies.backtests import PASTS, make_windows, run_backtest

    data = load_dataset(options.dataset)
    begin = int(data.train.time.max()) + 1 if options.since is None else read_time(data, options.since)
    end = data.timeline.span if options.until is None else read_time(data, options.until)
    windows = make_windows(data, begin, end, options.step)
    scorers = [*_of_runs(options.runs, data), *_of_methods(options.methods, data)]
    if not scorers:
        raise ConfigError("there is nobody to ask; give ", Option("runs"), " or ", Option("methods"))
    pasts = options.pasts or PASTS
    return run_backtest(scorers, data, windows, pasts, limit=options.limit, seed=options.seed, progress=progress)


def _of_runs(runs: tuple[str, ...], dataset: Dataset) -> Iterator[Scorer]:
    from tgap.errors import ConfigError
    from tgap.runs import load_scorer

    for run in runs:
        loaded = load_scorer(run)
        if loaded.dataset.checksum != dataset.checksum:
            raise ConfigError(f"{run} was made with {loaded.dataset.name}, not with {dataset.name}; give a fitting run")
        yield loaded.scorer


def _of_methods(names: tuple[str, ...], dataset: Dataset) -> Iterator[Scorer]:
    from tgap.methods import config_for, make_scorer

    return (make_scorer(config_for(name, dataset.name, task="forecast"), dataset) for name in names)


def text(found: Backtest, options: BacktestOptions) -> Iterator[Block]:  # noqa: ARG001
    """MRR of every line in every window."""
    from tgap.studies.backtests import backtest_table

    yield backtest_table(found)


def _markdown(found: Backtest, _: BacktestOptions, __: str) -> bytes:
    from tgap.studies.backtests import backtest_table

    return backtest_table(found).markdown().encode()


def _figure(found: Backtest, _: BacktestOptions, ending: str) -> bytes:
    from tgap.studies.backtests import draw_backtest

    return draw_backtest(found, ending)


OPERATION = Operation(
    name="backtest",
    summary="Ask for one window of time after another, knowing only the past.",
    options=BacktestOptions,
    run=backtest,
    reply="tgap.studies.backtests:Backtest",
    text=text,
    on="nothing",
    positional=("dataset",),
    required=1,
    description=(
        "Every fact of a window is asked for from what lies before. Weights never change; what is known does. The "
        "three kinds of past show how a model ages, and how far facts that join the graph keep it young. The dataset "
        "must be divided by time: windows begin after its train split."
    ),
    examples=(
        "backtest icews14-forecast --step 7",
        "backtest icews14-forecast --run runs/forecast --from 2014-11-01 --to 2014-12-31 --figure ages.png",
    ),
    files=(
        FileOutput(name="markdown", description="Write the table as Markdown", write=_markdown),
        FileOutput(name="figure", description="Draw the lines over time", endings=PICTURES, write=_figure),
    ),
    command=False,  # it is no study of the group: ``tgap backtest``
    long=True,
)
