"""tgap train: make a run, or go on with one, with a live bar and a line for every validation."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.output import command
from tgap.cli.team import Team, TeamChoice, team_options
from tgap.cli.words import parse_settings
from tgap.errors import ConfigError, TrainingError

if TYPE_CHECKING:
    from tgap.config import RunConfig
    from tgap.data import Dataset
    from tgap.runs import RunFolder

_REASONS = {
    "finished": "all epochs done",
    "patience": "validation has stopped improving",
    "time": "the time limit is reached",
    "interrupted": "interrupted; everything is saved",
}


@click.command("train")
@click.option(
    "--dataset",
    metavar="NAME",
    help="Name of a dataset (`tgap data list` shows all, and the folders they lie in), or a folder.  [default: world]",
)
@click.option("--method", metavar="NAME", help="What to train: see tgap methods. [default: tgap]")
@click.option("--preset", metavar="NAME", help="Settings to start from: recommended, paper. [default: recommended]")
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Take dataset, method and settings from a TOML file, as --show-config prints and tgap tune writes it.",
)
@click.option(
    "--task",
    metavar="NAME",
    help="What is asked for: completion, or forecast (only what lies before is seen). [default: completion]",
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option("--out", type=click.Path(path_type=Path), metavar="RUN", help="Run folder to make. [default: runs/...]")
@click.option("--resume", metavar="RUN", help="Go on with a run that was stopped, killed or limited.")
@team_options
@click.option("--show-config", is_flag=True, help="Print the resolved settings as TOML and do nothing else.")
def train(
    dataset: str | None,
    method: str | None,
    preset: str | None,
    config_file: Path | None,
    task: str | None,
    settings: Sequence[str],
    out: Path | None,
    resume: str | None,
    workers: int | None,
    threads: int | None,
    ray: str | None,
    show_config: bool,
) -> None:
    """Train a method on a dataset. Ctrl-C saves; a run can always be resumed.

    \b
    Examples:
      tgap train --dataset icews14
      tgap train --dataset mine --method recency
      tgap train --dataset icews14 --preset paper --out runs/paper
      tgap train --config runs/tune-tgap-icews14/best.toml
      tgap train --dataset icews14-forecast --task forecast
      tgap train --resume runs/paper
      tgap train --dataset icews14 --workers 4 --threads 1
      tgap train --dataset icews14 --workers 8 --ray 10.0.0.1:6379
      torchrun --nproc-per-node 4 -m tgap train --dataset icews14 --out runs/four
    """
    team = TeamChoice(workers, threads, ray)
    if team.helps:
        team.help()
        return
    changes = parse_settings(settings)
    named = {"--dataset": dataset, "--method": method, "--preset": preset, "--task": task}
    if resume is not None:
        for option, value in {**named, "--config": config_file, "--out": out}.items():
            if value is not None:
                raise ConfigError(
                    f"--resume does not go with {option} {value}: a run knows its dataset, method, settings and "
                    f"folder; leave {option} out, or start a new run without --resume"
                )
        _resume(resume, changes, team, show_config)
        return
    if config_file is not None:
        for option, value in named.items():
            if value is not None:
                raise ConfigError(f"--config does not go with {option} {value}: {config_file} says it; leave one out")
        config = read_config(config_file)
    else:
        from tgap.data import dataset_reference
        from tgap.learner import DEFAULT_TASK
        from tgap.methods import DEFAULT, config_for

        config = config_for(
            method or DEFAULT, dataset_reference(dataset or "world"), preset or "recommended", task or DEFAULT_TASK
        )
    config = config.with_values(config.values_of(changes))
    if show_config:
        click.echo(config.to_toml(), nl=False)
        return
    if team.restarted and out is not None and (out / "config.toml").exists():
        _resume(str(out), {}, team, show_config=False)
        return
    team.check_folder(out)
    _start(config, out or _default_folder(config), team)


def read_config(file: Path) -> RunConfig:
    """Settings from a TOML file."""
    from tgap.methods import parse_config

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}"
        ) from error
    try:
        return parse_config(text)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from error


def _default_folder(config: RunConfig) -> Path:
    """runs/DATASET-DATE-TIME; a dataset given as a folder lends its last part."""
    return Path("runs") / f"{Path(config.dataset).name}-{datetime.now():%Y%m%d-%H%M%S}"


def _start(config: RunConfig, out: Path, choice: TeamChoice) -> None:
    from tgap.data import load_dataset
    from tgap.methods import find_method
    from tgap.runs import create_run

    loaded = load_dataset(config.dataset)
    data = loaded.base
    if len(loaded.context):
        click.echo(f"Note: {len(loaded.context):,} appended facts are context; they are not trained on.")
    if find_method(config.method).learn is None:
        _record_untrained(create_run(out, config, data), config, data)
        return
    team = choice.team()
    folder = create_run(out, config, data, team.threads, team.workers)
    with folder.locked():
        _train(folder, config, data, team)


def _resume(run: str, changes: Mapping[str, str], choice: TeamChoice, show_config: bool) -> None:
    from tgap.runs import find_run
    from tgap.training.session import reopen_run, resumed_config

    folder = find_run(run)
    config = folder.config()
    values = config.values_of(changes)
    if show_config:
        click.echo(resumed_config(folder, config, values).to_toml(), nl=False)
        return
    from tgap.runs.environment import latest_environment

    with reopen_run(folder.path, values) as (folder, config, data, changed):
        before = latest_environment(folder.environment())["machine"]
        team = choice.team(before)
        for note in team.notes(before):
            click.echo(f"Note: {note}")
        folder.record_resume(data, team.threads, changed, team.workers)
        _train(folder, config, data, team)


def _record_untrained(folder: RunFolder, config: RunConfig, data: Dataset) -> None:
    from tgap.cli.train_display import metrics_line
    from tgap.training.session import record_untrained

    metrics = record_untrained(folder, config, data, lambda _done, _total: None)
    click.echo(f"{config.method} needs no training. Validation: {metrics_line(metrics)}")
    click.echo(f"The run lies in {folder.path}. Next: {command('evaluate', folder.path)}")


def tell_stopping(number: int) -> None:
    """Say that a signal was heard. Inside a signal handler only a bare write is safe: a print may be under way."""
    again = "; press Ctrl-C again to quit at once" if number == signal.SIGINT else ""
    start = "\n" if os.isatty(2) else ""  # a terminal stands behind the bar and its ^C
    os.write(2, f"{start}stopping after this batch{again}\n".encode())


def _train(folder: RunFolder, config: RunConfig, data: Dataset, team: Team) -> None:
    """Train a run whose lock is held."""
    from tgap.cli.train_display import Display
    from tgap.training.interruption import Interruption

    queries = 2 * len(data.train)
    click.echo(f"Training on {data.name}: {queries:,} queries an epoch, {config.training.epochs:g} epochs.")
    for line in team.described(config):
        click.echo(line)
    click.echo(f"Run folder: {folder.path}  (Ctrl-C saves and stops)")
    interruption = Interruption()
    started = time.monotonic()
    with interruption.on_signals(tell_stopping):
        try:
            reason = team.train(config, data, folder, Display(), interruption)
        except TrainingError as error:
            lower = f"--set training.learning_rate={config.training.learning_rate / 2:g}"
            raise TrainingError(f"{error}: {command('train', '--resume', folder.path)} {lower}") from error
    click.echo(f"Stopped after {(time.monotonic() - started) / 60:.1f} minutes: {_REASONS[reason]}.")
    if reason == "interrupted":
        click.echo(f"Go on with: {command('train', '--resume', folder.path)}")
        raise SystemExit(128 + (interruption.signal_number or 0))
    click.echo(f"The run lies in {folder.path}. Next:")
    click.echo(f"  {command('evaluate', folder.path)}")
    click.echo(f"  {command('explain', folder.path, *_question(data))}")
    if reason == "time":
        longer = f"max_minutes={2 * config.training.max_minutes:g}"
        click.echo(f"  {command('train', '--resume', folder.path, '--set', longer)}   to train on")


def _question(data: Dataset) -> tuple[str, str, str]:
    """A held-out fact without its object, to be asked about."""
    facts = data.test if len(data.test) else data.train
    fact = facts[len(facts) // 2]
    return data.entities.name(fact.subject), data.relations.name(fact.relation), data.timeline.format(fact.time)
