"""``tgap data rename``, ``merge`` and ``undo``: other names for what a dataset holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tgap.cli.output import command

_FILE = click.Path(path_type=Path)


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Arguments that rename and merge share."""
    for decorate in (
        click.option("--out", metavar="NAME", help="Store the result under this name.  [default: in place]"),
        click.option("--relations", is_flag=True, help="The names are of relations, not of entities."),
        click.argument("aliases", type=_FILE),
        click.argument("name"),
    ):
        command = decorate(command)
    return command


@click.command("rename")
@_options
def rename_command(name: str, aliases: Path, relations: bool, out: str | None) -> None:
    """Give entities (or relations) of dataset NAME the names that table ALIASES has for them.

    ALIASES has two columns: the present name and the new one, in either order, with or without a header; so an
    entity2id.txt that comes with a published dataset will do. No two may end up with the same name: that is `merge`.
    The version before is kept, `tgap data undo NAME` brings it back.

    \b
    Examples:
      tgap data rename icews18 entity2id.txt
      tgap data rename icews18 relation2id.txt --relations
    """
    _change(name, aliases, relations, out, merge=False)


@click.command("merge")
@_options
def merge_command(name: str, aliases: Path, relations: bool, out: str | None) -> None:
    """Take entities (or relations) of dataset NAME that mean the same for one, as table ALIASES tells.

    ALIASES has two columns: a name that goes, and the name that it becomes; the latter may be there already. Facts that
    become equal are kept once, in the earliest split that has them, so that nothing of test is in train.
    The version before is kept, `tgap data undo NAME` brings it back.

    \b
    Example:
      tgap data merge mine aliases.csv      with lines like: Burma,Myanmar
    """
    _change(name, aliases, relations, out, merge=True)


@click.command("undo")
@click.argument("name")
def undo_command(name: str) -> None:
    """Take back the last rename or merge of dataset NAME."""
    from tgap.data.catalog import find_folder
    from tgap.data.stored import undo

    gone = undo(find_folder(name))
    click.echo(f"{name}: as it was before; gone is the version {gone!r}")


def _change(name: str, aliases: Path, relations: bool, out: str | None, merge: bool) -> None:
    import warnings
    from dataclasses import replace

    from tgap.cli.data_output import print_examples
    from tgap.cli.data_place import storage_place
    from tgap.data import LeakWarning, load_dataset
    from tgap.data.aliases import read_aliases, rename
    from tgap.data.catalog import find_folder
    from tgap.data.entries import CATALOG
    from tgap.data.stored import check_free, is_stored, read_manifest, store_dataset
    from tgap.errors import DataError, Option

    own = None if name in CATALOG else find_folder(name)
    if out is None and (own is None or not is_stored(own)):
        raise DataError(
            f"{name} is not an imported dataset, so it is not changed in place; name the result with ", Option("out")
        )
    stored_as, folder = (Path(name).name, own) if out is None else storage_place(out)
    assert folder is not None, "without --out the dataset is a stored one"
    if out is not None:
        check_free(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)
        dataset = load_dataset(name)
    vocabulary = dataset.relations if relations else dataset.entities
    renamed = rename(dataset, read_aliases(aliases, vocabulary), relations, merge)
    origin = read_manifest(own)["origin"] if own is not None and is_stored(own) else f"made from {name}"
    one = renamed.names == 1
    amount = f"{renamed.names:,} {vocabulary.what} name{'' if one else 's'} {'merged' if merge else 'renamed'}"
    result = replace(renamed.dataset, name=stored_as)
    story = f"{origin}; {amount} by {aliases.name}"
    store_dataset(result, folder, story, replace=out is None, keep_previous=out is None)
    click.echo(f"{stored_as}: {amount}, in {renamed.facts:,} facts")
    if renamed.dropped:
        click.echo(f"{renamed.dropped:,} facts became equal to another: kept once, in the earliest split")
    print_examples(result)
    if out is None:
        click.echo(f"Take it back with: {command('data', 'undo', name)}")
