"""tgap tune: search for good settings; many processes may share one search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tgap.cli.output import program
from tgap.cli.team import ray_option
from tgap.cli.words import parse_settings
from tgap.errors import ConfigError

if TYPE_CHECKING:
    from tgap.config import RunConfig
    from tgap.tuning.space import Space

_NO_OPTUNA = "tgap tune needs Optuna, which is not installed; install it with: pip install 'tgap[tune]'"


@click.command("tune")
@click.option("--dataset", metavar="NAME", help="Name of a dataset, or a folder.  [default: world]")
@click.option("--method", metavar="NAME", help="What to tune: see tgap methods. [default: tgap]")
@click.option("--preset", metavar="NAME", help="Settings to start from. [default: recommended]")
@click.option(
    "--space",
    "space_name",
    default="default",
    show_default=True,
    metavar="FILE|NAME",
    help="What to vary: a TOML file, or a space that the method brings (tgap has default and paper).",
)
@click.option("--minutes", type=click.FloatRange(min=0), default=0.0, metavar="N", help="Stop after so long.")
@click.option("--trials", type=click.IntRange(min=0), default=0, metavar="N", help="Stop when so many have ended.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a setting of all trials.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Where the search lies. [default: runs/tune-METHOD-DATASET]",
)
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Processor threads. [default: all cores]")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="With --ray: trials at once.",
)
@ray_option
@click.option("--show-space", is_flag=True, help="Print the space as TOML and do nothing else.")
def tune(
    dataset: str | None,
    method: str | None,
    preset: str | None,
    space_name: str,
    minutes: float,
    trials: int,
    settings: Sequence[str],
    out: Path | None,
    threads: int | None,
    workers: int,
    ray: str | None,
    show_space: bool,
) -> None:
    """Search for good settings of a method on a dataset, by validation only.

    Each trial is trained like any run. Give --minutes or --trials; the same command goes on with a search, also after
    a crash, and several processes may run it at once on one folder. The best settings are written to best.toml.

    \b
    Examples:
      tgap tune --dataset icews14 --method tntcomplex --minutes 60
      tgap tune --dataset mine --trials 20 --set epochs=0.5
      tgap tune --dataset icews14 --space paper --minutes 600
      tgap tune --dataset icews14 --minutes 600 --workers 16 --ray 10.0.0.1:6379
    """
    from tgap.data import dataset_reference
    from tgap.methods import DEFAULT, config_for

    base = config_for(method or DEFAULT, dataset_reference(dataset or "world"), preset or "recommended")
    base = base.with_values(base.values_of(parse_settings(settings)))
    values = _space_values(base.method, space_name)
    if show_space:
        import tomli_w

        click.echo(tomli_w.dumps(values), nl=False)
        return
    from tgap.tuning.space import read_space

    space = read_space(values, space_name)
    if space.search == "tpe" and not (minutes or trials):
        raise ConfigError("such a search has no end of its own; give --minutes or --trials")
    folder = out or Path("runs") / f"tune-{base.method}-{Path(base.dataset).name}"
    if workers > 1 and ray is None:
        raise ConfigError(f"--workers {workers} needs --ray; without it, run the same command several times at once")
    _tune(base, space, folder, minutes, trials, threads, workers, ray)


def _tune(
    base: RunConfig,
    space: Space,
    out: Path,
    minutes: float,
    trials: int,
    threads: int | None,
    workers: int,
    ray: str | None,
) -> None:
    try:
        from tgap.tuning.session import Limits
        from tgap.tuning.session import tune as search
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "optuna":
            raise
        raise ConfigError(_NO_OPTUNA) from None
    from tgap.cli.blocks import print_table
    from tgap.cli.terminal import make_console
    from tgap.cli.train import tell_stopping
    from tgap.cli.tune_display import TuneDisplay
    from tgap.data import load_dataset
    from tgap.kernels import set_threads
    from tgap.training.interruption import Interruption
    from tgap.tuning.report import found_by, importance_table, trials_table, write_found
    from tgap.tuning.study import StudyFolder

    data = load_dataset(base.dataset)
    folder, interruption, console = StudyFolder(out), Interruption(), make_console()
    each = (threads or 1) if ray is not None else set_threads(threads, whole_process=True)
    limits = Limits(minutes, trials, each)
    click.echo(f"Searching settings of {base.method} on {data.name}: {', '.join(space.settings)}.")
    click.echo(f"Folder: {out}  (Ctrl-C stops; the same command goes on)")
    with interruption.on_signals(tell_stopping), TuneDisplay(console, space.metric) as display:
        if ray is None:
            search(
                folder, base, space, data, limits, display, interruption,
                after_trial=lambda study: write_found(folder, base, space, study),
            )  # fmt: skip
        else:
            from tgap.distributed.ray_cluster import connected
            from tgap.distributed.ray_tuning import tune_on_ray

            space.check(base)
            folder.describe(base, space, data.checksum)
            with connected(ray, workers, each) as cluster:
                tune_on_ray(
                    cluster, folder, base, space, limits,
                    workers=workers, threads=each, watcher=display, interruption=interruption,
                )  # fmt: skip
    study = folder.open(space, base.training.seed)
    found = found_by(study, space)
    if found.trials:
        print_table(console, trials_table(found))
    if found.importance:
        print_table(console, importance_table(found))
    if interruption.requested:
        click.echo("Stopped; the same command goes on from here.")
        raise SystemExit(128 + (interruption.signal_number or 0))
    if found.best is None:
        click.echo("No trial has come to its end yet; the same command goes on from here.")
    else:
        click.echo(f"Best settings: {folder.best_file}. Next:")
        click.echo(f"  {program()} train --config {folder.best_file}")


def _space_values(method: str, name: str) -> dict[str, Any]:
    """A space by the name that the method gives it, or from a file."""
    from tgap.methods import find_method

    spaces = find_method(method).spaces
    if name in spaces:
        return dict(spaces[name])
    file = Path(name)
    if not file.is_file():
        own = f"{method} has {', '.join(spaces)}" if spaces else f"{method} has none of its own"
        raise ConfigError(f"--space {name!r} is no file and no space of {method}; {own}")
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read the space {file}: {error}") from error
