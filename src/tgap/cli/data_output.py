"""What several data commands print: the list of datasets, and a few facts of one."""

from __future__ import annotations

from tgap.cli.output import command
from tgap.cli.terminal import cell, make_console, plain_table, say
from tgap.data import CATALOG, Dataset, data_folders
from tgap.data.catalog import find_files, stored_folders
from tgap.data.entries import source_of
from tgap.data.stored import read_manifest


def print_catalog() -> None:
    """All datasets that can be named."""
    console = make_console()
    table = plain_table("name", "what it is", "state", flowing=("what it is",))
    missing = ""
    for name, entry in CATALOG.items():
        source = source_of(name)
        ready = "built in" if source.make else "ready" if find_files(source.name) else "not here"
        missing = missing or (name if ready == "not here" and source.home else "")
        table.add_row(name, entry.summary, ready)
    for name, folder in stored_folders().items():
        if name not in CATALOG:
            table.add_row(cell(name), cell(read_manifest(folder)["origin"]), "ready")
    console.print(table)
    say(console, f"Looked in {cell(' and '.join(map(str, data_folders())))}")
    if missing:
        say(console, f"Fetch what is not here with: {cell(command('data', 'download', missing))}")


def print_examples(dataset: Dataset, count: int = 5) -> None:
    """A few facts spread over train, as they will be understood."""
    table = plain_table("subject", "relation", "object", "time", flowing=("subject", "relation", "object"))
    shown = min(count, len(dataset.train))
    for step in range(shown):
        fact = dataset.train[step * len(dataset.train) // shown]
        names = (dataset.entities.name(fact.subject), dataset.relations.name(fact.relation))
        texts = (*names, dataset.entities.name(fact.object), dataset.timeline.format(fact.time))
        table.add_row(*(cell(text, spaces=True) for text in texts))
    make_console().print(table)
