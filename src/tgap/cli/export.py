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
    help="Change a setting of the copy, such as the size of the subgraph.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Figures to ship with it: a file that tgap evaluate --json wrote.",
)
def export(run: str, folder: Path, settings: tuple[str, ...], report: Path | None) -> None:
    """Write weights, settings, environment and figures of a run to FOLDER, without anything to resume from.

    \b
    Examples:
      tgap export runs/mine shared/mine
      tgap export runs/mine shared/mine --set core_nodes=100 --report test.json
    """
    import json

    from tgap.cli.train import parse_settings
    from tgap.runs import export_run, find_run

    figures = None if report is None else {"test": json.loads(report.read_text(encoding="utf-8"))}
    config = find_run(run).config().with_values(parse_settings(settings))
    target = export_run(run, folder, figures)
    target.write_config(config)
    size = target.weights_file.stat().st_size / 1e6
    click.echo(f"wrote {folder}: {size:.1f} MB of weights for {target.config().dataset}")
