"""tgap export: the small form of a run, to ship or to share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click


@click.command("export")
@click.argument("run")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting of the copy, such as the size of the subgraph.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="NAME=FILE",
    help="Figures to ship with it under a name: a file that tgap evaluate --json wrote.",
)
def export(run: str, folder: Path, settings: tuple[str, ...], reports: tuple[str, ...]) -> None:
    """Write weights, settings, environment and figures of a run to FOLDER, without anything to resume from.

    \b
    Examples:
      tgap export runs/mine shared/mine
      tgap export runs/mine shared/mine --report test=test.json
    """
    from tgap.cli.train import parse_settings
    from tgap.runs import export_run, find_run

    figures = {name: _read(Path(file)) for name, file in (_split(text) for text in reports)}
    config = find_run(run).config().with_values(parse_settings(settings))
    target = export_run(run, folder, figures)
    target.write_config(config)
    size = target.weights_file.stat().st_size / 1e6
    click.echo(f"wrote {folder}: {size:.1f} MB of weights for {config.dataset}")


def _split(text: str) -> tuple[str, str]:
    from tgap.errors import RunError

    name, sign, file = text.partition("=")
    if not sign or not name or not file:
        raise RunError(f"--report {text!r} is not NAME=FILE; write for instance --report test=test.json")
    return name, file


def _read(path: Path) -> Any:
    """The headline figures of a report: its protocols and what they were measured on, without breakdowns."""
    from tgap.errors import RunError

    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        return {key: report[key] for key in ("raw", "static", "time", "split", "queries") if key in report}
    except (OSError, ValueError, TypeError) as error:
        raise RunError(f"cannot read {path}: {error}; give a file that tgap evaluate --json wrote") from error
