"""tgap export: the small form of a run, to ship or to share."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("export")
@click.argument("run")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting of the copy: evaluation.*, or the size of the subgraph and its caps. The report says so.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="NAME=FILE",
    help="Metrics to ship with it under a name: a file that tgap evaluate --json wrote about this run.",
)
@click.option("--with-data", is_flag=True, help="Put the dataset into the folder too, so that it answers anywhere.")
def export(run: str, folder: Path, settings: tuple[str, ...], reports: tuple[str, ...], with_data: bool) -> None:
    """Write weights, settings, environment and metrics of a run to FOLDER, without anything to resume from.

    FOLDER must be new or empty.

    \b
    Examples:
      tgap export runs/mine shared/mine
      tgap export runs/mine shared/mine --report test=test.json
      tgap export runs/mine shared/mine --with-data
    """
    from tgap.cli.words import parse_settings
    from tgap.runs import export_run, find_run
    from tgap.runs.export import read_metrics

    source = find_run(run)
    metrics = {name: read_metrics(Path(file), source) for name, file in (_split(text) for text in reports)}
    target = export_run(run, folder, metrics, source.config().values_of(parse_settings(settings)), with_data)
    size = target.weights_file.stat().st_size / 1e6
    click.echo(f"wrote {folder}: {size:.1f} MB of weights for {target.config().dataset}")


def _split(text: str) -> tuple[str, str]:
    from tgap.errors import RunError

    name, sign, file = text.partition("=")
    if not sign or not name or not file:
        raise RunError(f"--report {text!r} is not NAME=FILE; write for instance --report test=test.json")
    return name, file
