"""What ``tgap data import`` prints: how own data were understood, so that a mistake shows at once."""

from __future__ import annotations

from pathlib import Path

from tgap.cli.data_output import print_examples
from tgap.cli.data_show import leak_words, near_words
from tgap.cli.option_names import as_written
from tgap.cli.output import command
from tgap.cli.terminal import cell, labelled_lines, make_console, say
from tgap.data.importing import Imported
from tgap.data.statistics import dataset_statistics


def print_imported(imported: Imported, folder: Path, place: str, skip_bad: Path | None) -> None:
    """The summary of an import."""
    console = make_console()
    dataset, events = imported.dataset, imported.events
    line = dataset.timeline
    statistics = dataset_statistics(dataset)
    leaks = statistics.leaks
    say(console, f"[bold]{cell(dataset.name)}[/bold]  stored in {cell(str(folder))}")
    table = labelled_lines()
    columns = ", ".join(f"{role} = {name!r}" for role, name in events.column_names.items())
    table.add_row("read as", cell(f"{'; '.join(events.forms)}; columns {columns}"))
    table.add_row(
        "time", f"unit {line.unit}, {line.format(0)} .. {line.format(line.span)}, {statistics.times:,} different times"
    )
    relations = f"{dataset.num_relations:,} relation{'s' if dataset.num_relations != 1 else ''}"
    table.add_row("names", f"{dataset.num_entities:,} entities, {relations}")
    counts = ", ".join(f"{name} {len(facts):,}" for name, facts in dataset.splits.items())
    table.add_row("facts", f"{counts}  ({cell(imported.origin)})")
    repeats = leaks.repeated_train + leaks.repeated_valid + leaks.repeated_test
    table.add_row("repeats", f"{repeats:,} (a fact more than once in its split; kept)" if repeats else "none")
    if skip_bad is not None:
        skipped = f"{len(events.rejects):,} skipped, with reasons in {cell(str(skip_bad))}"
        table.add_row("bad rows", skipped if events.rejects else "none")
    for remark in events.remarks:
        text = cell(as_written(remark.text))
        table.add_row("[yellow]warning[/yellow]" if remark.serious else "note", text)
    console.print(table)
    if leaks.across_splits:
        say(console, leak_words(statistics))
    near = near_words(statistics)
    if near:
        say(console, near)
    print_examples(dataset)
    say(console, f"Train on it with: {cell(command('train', '--dataset', place))}")
