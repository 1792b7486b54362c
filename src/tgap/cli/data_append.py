"""tgap data append: facts that join a dataset as context, in versions that can be taken back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tgap.data.journal import Appended

_SHOWN = 10  # new names that are listed


@click.command("append")
@click.argument("name")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--undo", is_flag=True, help="Take the newest version back.")
@click.option("--list", "list_versions", is_flag=True, help="List the versions.")
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be read, instead of refusing the file.")
def append_command(name: str, files: tuple[Path, ...], undo: bool, list_versions: bool, skip_bad: bool) -> None:
    """Append the events of FILE (CSV, TSV, Parquet ...) to dataset NAME, as context.

    The facts are known from then on to every model of the dataset that reads the graph, without training: predict,
    explain and evaluate load them, a server picks them up while it runs. The splits stay as they are, so runs and
    their figures do too. Columns and times are found as `tgap data import` finds them. Facts that are known already
    are passed over; names that are new are listed.

    \b
    Examples:
      tgap data append icews14 tomorrow.csv
      tgap data append icews14 --list
      tgap data append icews14 --undo
    """
    from tgap.data.catalog import journal_of, load_dataset
    from tgap.data.journal import read_appendable
    from tgap.data.reading import of_files
    from tgap.errors import DataError

    journal = journal_of(name)
    if undo or list_versions:
        if files or (undo and list_versions):
            raise DataError("--undo and --list stand alone: leave the rest out")
        if undo:
            gone = journal.undo()
            click.echo(f"version {gone['version']} taken back: {gone['facts']:,} facts, {gone['origin']}")
            return
        for manifest in journal.manifests():
            click.echo(f"{manifest['version']}  {manifest['date']}  {manifest['facts']:,} facts  {manifest['origin']}")
        return
    if not files:
        raise DataError("no file was given; write one, as in: tgap data append icews14 events.csv")
    dataset = load_dataset(name)
    events = read_appendable(of_files(list(files)), dataset.base, skip_bad=skip_bad)
    appended = journal.append(dataset.base, events, ", ".join(file.name for file in files))
    for line in _lines(appended, len(events.rejects)):
        click.echo(line)


def _lines(appended: Appended, skipped: int) -> list[str]:
    """What was done, a line each."""
    known = f"{appended.repeated:,} known already" if appended.repeated else "none known already"
    bad = f", {skipped:,} bad rows left out" if skipped else ""
    if not appended.added:
        return [f"nothing is new: {known}{bad}"]
    dataset, line = appended.dataset, appended.dataset.timeline
    fresh = dataset.context[len(dataset.context) - appended.added :]
    times = f"{line.format(int(fresh.time.min()))} to {line.format(int(fresh.time.max()))}"
    lines = [f"version {appended.version}: {appended.added:,} facts of {times} joined as context; {known}{bad}"]
    for what, names in (("entities", appended.entities), ("relations", appended.relations)):
        if names:
            rest = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            shown = ", ".join(repr(name) for name in names[:_SHOWN])
            lines.append(f"new {what}, which no model was trained on: {shown}{rest}")
    lines += [f"Warning: {new!r} is taken as new, beside {old!r}" for new, old in appended.alike[:_SHOWN]]
    lines.append(f"Take it back with: tgap data append {dataset.name} --undo")
    return lines
