"""``tgap data export``: a dataset as a file for other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tgap.data.dataset import SPLITS

_FORMATS = ("csv", "tsv", "jsonl", "parquet", "nquads")


@click.command("export")
@click.argument("name")
@click.option("--out", required=True, metavar="FILE", help="File to write, a folder (with '/' at its end), or -.")
@click.option("--format", "form", type=click.Choice(_FORMATS), help="Form of the file.  [default: by its name]")
@click.option("--split", type=click.Choice(SPLITS), help="Only this split.  [default: all, in a column 'split']")
@click.option("--force", is_flag=True, help="Overwrite what exists.")
def export_command(name: str, out: str, form: str | None, split: str | None, force: bool) -> None:
    """Write dataset NAME to a file: .csv, .tsv, .jsonl, .parquet or .nq (N-Quads).

    Columns are subject, relation, object, time and split, so that importing the file gives the same dataset again. A
    folder gets train.txt, valid.txt and test.txt as the public datasets have them: tab separated, four columns, no
    header. In N-Quads every instant is a named graph, whose time OWL-Time tells in the default graph.

    \b
    Examples:
      tgap data export icews14 --out icews14.parquet
      tgap data export world --out world/
      tgap data export mine --split test --format jsonl --out - | head
    """
    import warnings

    from tgap.cli.data_place import check_writable
    from tgap.data import LeakWarning, load_dataset
    from tgap.data.atomic import write_atomically
    from tgap.data.exporting import export, export_folder, format_of

    folder = out.endswith("/") or (out != "-" and Path(out).is_dir())
    if folder and (form or split):
        raise click.UsageError("a folder gets all three splits as text; leave out --format and --split, or name a file")
    if out == "-" and form is None:
        raise click.UsageError("name the form of standard output with --format")
    chosen = form or ("" if folder else format_of(Path(out)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)
        dataset = load_dataset(name)
    splits = (split,) if split else SPLITS
    if out == "-":
        sys.stdout.buffer.write(export(dataset, chosen, splits))
        return
    targets = [Path(out) / f"{each}.txt" for each in SPLITS] if folder else [Path(out)]
    for target in targets:
        check_writable(target, "--out", force)
    contents = export_folder(dataset) if folder else [export(dataset, chosen, splits)]
    for target, content in zip(targets, contents, strict=True):
        write_atomically(target, content)
    click.echo(f"{dataset.name}: {sum(len(dataset.splits[each]) for each in splits):,} facts written to {out}")
