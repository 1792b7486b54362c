"""``tgap data``: what there is, what it is like, where to get it, and how to bring your own."""

from __future__ import annotations

import warnings

import click

from tgap.cli.data_append import append_command
from tgap.cli.data_export import export_command
from tgap.cli.data_import import import_command
from tgap.cli.data_names import merge_command, rename_command, undo_command
from tgap.cli.data_sources import download_command, make_world_command


class _InOrder(click.Group):
    """A group that lists its commands in the order a newcomer needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names as they were added."""
        return list(self.commands)


@click.group(cls=_InOrder)
def data() -> None:
    """List, show, fetch, import, export and mend datasets.

    Datasets are looked for in the folder TGAP_DATA if that variable is set; else in ../shared/datasets beside the
    checkout, if there is one, and in your cache directory.
    """


@data.command("list")
def list_command() -> None:
    """List the datasets that can be named, and whether they are here."""
    from tgap.cli.data_output import print_catalog

    print_catalog()


@data.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON, for other programs.")
def show_command(name: str, as_json: bool) -> None:
    """Show what dataset NAME (or folder) is like.

    Prints the paper's statistics, repeated and shared facts, what valid and test have that train lacks, how busy the
    entities are, and how the facts spread over time.
    """
    from tgap.cli.data_show import print_dataset, print_json
    from tgap.data import LeakWarning, load_dataset

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)  # the numbers below say it in full
        dataset = load_dataset(name)
    if as_json:
        print_json(dataset)
    else:
        print_dataset(dataset)


for command in (
    download_command,
    import_command,
    append_command,
    export_command,
    rename_command,
    merge_command,
    undo_command,
    make_world_command,
):
    data.add_command(command)
