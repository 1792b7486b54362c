"""``tgap data import``: own data in one command."""

from __future__ import annotations

from pathlib import Path

import click

from tgap.data.splits import SPLIT_RULES, SplitRule
from tgap.data.time import UNITS, Unit

_FILE = click.Path(path_type=Path)


@click.command("import")
@click.argument("events", type=_FILE, nargs=-1, required=True)
@click.option("--out", required=True, metavar="NAME", help="Name to store it under, or a folder (with a '/').")
@click.option("--subject", default="", metavar="COL", help="Column of who acts: its header name or position from 1.")
@click.option("--relation", default="", metavar="COL", help="Column of what happens.")
@click.option("--relation-name", default="", metavar="NAME", help="Relation of all facts, where no column has one.")
@click.option("--object", "obj", default="", metavar="COL", help="Column of to whom it happens.")
@click.option("--time", default="", metavar="COL", help="Column of when it happens (or begins, with --end).")
@click.option("--end", default="", metavar="COL", help="Column of when it ends: gives a -since and an -until fact.")
@click.option("--modifier", default="", metavar="COL", help="Column merged into the relation: P54-occurSince.")
@click.option("--header/--no-header", default=None, help="Whether the first line names the columns.  [default: found]")
@click.option("--separator", default="", metavar="CHAR", help="Separator: one character, or 'tab'.  [default: found]")
@click.option(
    "--quotes/--no-quotes",
    default=None,
    help="Whether quotation marks enclose fields.  [default: yes, but in tab separated files they are letters]",
)
@click.option("--missing", multiple=True, metavar="TEXT", help="Text that stands for an empty field: NA. Repeatable.")
@click.option("--unit", type=click.Choice(UNITS), help="Unit of time; finer times are cut to it.  [default: found]")
@click.option(
    "--time-format",
    default="",
    metavar="FORMAT",
    help="How times are written: '%d.%m.%Y', or 'hours since 2018-01-01' for numbers.  [default: found]",
)
@click.option(
    "--day-first/--month-first", default=None, help="How 01/02/2018 is meant.  [default: as other dates prove]"
)
@click.option("--valid", type=_FILE, metavar="FILE", help="File of the valid split, if your data are divided already.")
@click.option("--test", type=_FILE, metavar="FILE", help="File of the test split, if your data are divided already.")
@click.option("--split", type=click.Choice(SPLIT_RULES), help="How to divide the facts, see below.  [default: random]")
@click.option("--shares", metavar="A/B/C", help="Percent of facts for train/valid/test.  [default: 80/10/10]")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed of the random division.  [default: 0]")
@click.option("--ends-apart", is_flag=True, help="Let the two ends of an interval fall into different splits.")
@click.option("--skip-bad", type=_FILE, metavar="FILE", help="Import the good rows, write the bad ones to FILE.")
@click.option(
    "--lookalikes", type=_FILE, metavar="FILE", help="Write names that differ only in case or blanks to FILE."
)
@click.option("--force", is_flag=True, help="Overwrite the files of --skip-bad and --lookalikes.")
@click.option("--replace", is_flag=True, help="Overwrite a stored dataset of that name.")
def import_command(
    events: tuple[Path, ...],
    out: str,
    subject: str,
    relation: str,
    relation_name: str,
    obj: str,
    time: str,
    end: str,
    modifier: str,
    header: bool | None,
    separator: str,
    quotes: bool | None,
    missing: tuple[str, ...],
    unit: Unit | None,
    time_format: str,
    day_first: bool | None,
    valid: Path | None,
    test: Path | None,
    split: SplitRule | None,
    shares: str | None,
    seed: int | None,
    ends_apart: bool,
    skip_bad: Path | None,
    lookalikes: Path | None,
    force: bool,
    replace: bool,
) -> None:
    """Import your own EVENTS: who did what to whom, and when.

    EVENTS are tables of text (separated by tabs, commas, semicolons, bars or blanks), JSON, Parquet or .xlsx files,
    packed with gzip, zip or zstd or not, with or without a header; several files, a folder of them, or - for standard
    input. A folder with train, valid and test files is taken as divided.
    Columns that you do not name are found: the headers of ICEWS, POLECAT, ACLED and GDELT are known, then usual words
    (subject, relation, object, time ...), else the position: four columns are subject, relation, object, time; in five
    the fourth is a modifier of the relation, or the start of an interval.

    Times may be dates in any common form, datetimes, months, weeks, years (also 0025, -44 and 1952-##-##), whole
    numbers, or seconds since 1970; the unit is found.

    \b
    The split: random         facts at random, both ends of an interval together
               chronological  the latest to test; no instant is in two splits
               unseen-times   every tenth instant is kept out of train

    A bad row stops the import with file, line and reason, and nothing is written; with --skip-bad the good rows are
    imported and the bad ones are written to FILE, each with its reason.

    \b
    Examples:
      tgap data import events.csv --out mine
      tgap data import visits.csv --out visits \\
          --subject guest --relation kind --object host --time day
      tgap data import terms.tsv --time start --end stop --unit year --out terms
      tgap data import train.txt --valid valid.txt --test test.txt --out published
      zcat events.jsonl.gz | tgap data import - --out piped
    """
    from tgap.cli.data_imported import print_imported
    from tgap.cli.data_place import check_writable, storage_place
    from tgap.data.aliases import write_pairs
    from tgap.data.importing import Division, import_events
    from tgap.data.reading import Layout, find_sources, write_rejects
    from tgap.data.stored import check_free, store_dataset

    name, folder = storage_place(out)
    check_free(folder, replace)
    sources = find_sources(events, _list(valid), _list(test))
    if skip_bad is not None:
        read = [source.path for source in sources.sources if source.path is not None]
        check_writable(skip_bad, "--skip-bad", force, read)
    if lookalikes is not None:
        check_writable(lookalikes, "--lookalikes", force, [])
    layout = Layout(
        subject=subject,
        relation=relation,
        relation_name=relation_name,
        object=obj,
        time=time,
        end=end,
        modifier=modifier,
        header=header,
        separator=_separator(separator),
        quotes=quotes,
        time_format=time_format,
        day_first=day_first,
        missing=missing,
    )
    division = Division(
        split=split,
        seed=seed,
        shares=None if shares is None else _shares(shares),
        ends_apart=ends_apart or None,
    )
    imported = import_events(name, sources, layout=layout, unit=unit, division=division, skip_bad=skip_bad is not None)
    if skip_bad is not None:
        write_rejects(skip_bad, [*imported.events.rejects, *imported.events.undated])
    if lookalikes is not None:
        write_pairs(lookalikes, imported.events.lookalikes())
    store_dataset(imported.dataset, folder, imported.origin, replace)
    print_imported(imported, folder, out, skip_bad)


def _list(path: Path | None) -> list[Path] | None:
    return None if path is None else [path]


def _separator(text: str) -> str:
    """One character; names for those that are hard to type."""
    named = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}
    character = named.get(text, text)
    if len(character.encode()) > 1 or character in ("\n", "\r", '"'):
        raise click.BadParameter(f"{text!r} is not one character; try ';' or 'tab'", param_hint="--separator")
    return character


def _shares(text: str) -> tuple[float, float, float]:
    """Three percentages as shares of 1."""
    try:
        train, valid, test = (float(part) for part in text.split("/"))
    except ValueError:
        raise click.BadParameter(f"{text!r}; write three percentages like 80/10/10", param_hint="--shares") from None
    if min(train, valid, test) <= 0 or abs(train + valid + test - 100) > 1e-6:
        raise click.BadParameter(f"{text!r}; three positive percentages must add up to 100", param_hint="--shares")
    return train / 100, valid / 100, test / 100
