"""What the data commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tgap.data import CATALOG, Dataset, data_folders
from tgap.data.catalog import find_files, find_folder, stored_folders
from tgap.data.entries import source_of
from tgap.data.facts import Facts
from tgap.data.statistics import Statistics, dataset_statistics, facts_over_time
from tgap.data.stored import is_stored, read_manifest

if TYPE_CHECKING:
    from tgap.data.importing import Imported

_UNIX_SECONDS = 10**9  # numbers from here on may count seconds since 1970 (from 2001 on)
_BAR = 40  # width of the longest bar of the histogram


def print_catalog() -> None:
    """All datasets that can be named."""
    console = _console()
    table = _table("name", "what it is", "state")
    missing = ""
    for name, entry in CATALOG.items():
        source = source_of(name)
        ready = "built in" if source.make else "ready" if find_files(source.name) else "not here"
        missing = missing or (name if ready == "not here" and source.home else "")
        table.add_row(name, entry.summary, ready)
    for name, folder in stored_folders().items():
        if name not in CATALOG:
            table.add_row(escape(name), escape(read_manifest(folder)["origin"]), "ready")
    console.print(table)
    _say(console, f"Looked in {escape(' and '.join(map(str, data_folders())))}")
    if missing:
        _say(console, f"Fetch what is not here with: tgap data download {missing}")


def print_dataset(dataset: Dataset) -> None:
    """Everything that is worth knowing about a dataset."""
    console = _console()
    statistics = dataset_statistics(dataset)
    line = dataset.timeline
    _say(console, f"[bold]{escape(dataset.name)}[/bold]  {escape(_about(dataset))}")
    table = _table("entities", "relations", "timestamps", "facts", "span", "unit", right=4)
    facts = sum(split.facts for split in statistics.splits.values())
    span = f"{line.format(0)} .. {line.format(line.span)}"
    table.add_row(*_numbers(dataset.num_entities, dataset.num_relations, statistics.times, facts), span, line.unit)
    console.print(table)
    if dataset.name in CATALOG and CATALOG[dataset.name].note:
        _say(console, CATALOG[dataset.name].note)
    console.print(_split_table(statistics))
    _say(console, _leak_words(statistics))
    _say(console, _degree_words(dataset, statistics))
    _print_histogram(console, dataset)
    _say(console, f"{_verdict(dataset)}SHA-256 {dataset.checksum}")


def print_json(dataset: Dataset) -> None:
    """The same figures as one JSON object."""
    statistics = dataset_statistics(dataset)
    line = dataset.timeline
    degrees = statistics.degrees._asdict() | {"busiest": dataset.entities.name(statistics.degrees.busiest)}
    content = {
        "name": dataset.name,
        "checksum": dataset.checksum,
        "entities": dataset.num_entities,
        "relations": dataset.num_relations,
        "timestamps": statistics.times,
        "unit": line.unit,
        "first": line.format(0),
        "last": line.format(line.span),
        "splits": {name: split._asdict() for name, split in statistics.splits.items()},
        "leaks": statistics.leaks._asdict(),
        "degrees": degrees,
        "over_time": [
            {"first": line.format(part.first), "last": line.format(part.last), "facts": part.facts}
            for part in facts_over_time(dataset)
        ],
    }
    print(json.dumps(content, indent=2, ensure_ascii=False))  # noqa: T201


def print_imported(imported: Imported, folder: Path, place: str, skip_bad: Path | None) -> None:
    """How own data were understood, so that a mistake shows at once."""
    console = _console()
    dataset, events = imported.dataset, imported.events
    line = dataset.timeline
    statistics = dataset_statistics(dataset)
    leaks = statistics.leaks
    _say(console, f"[bold]{escape(dataset.name)}[/bold]  stored in {escape(str(folder))}")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column()
    columns = ", ".join(f"{role} = {name!r}" for role, name in events.columns.items())
    table.add_row("read as", escape(f"{', '.join(dict.fromkeys(events.forms))}; columns {columns}"))
    table.add_row(
        "time", f"unit {line.unit}, {line.format(0)} .. {line.format(line.span)}, {statistics.times:,} different times"
    )
    for count, one, many, words in (
        (events.cut, "time", "different times", f"said more than the {line.unit}, which is kept"),
        (events.vague, "time", "different times", f"said less than the {line.unit}: its first instant is meant"),
        (events.zoned, "time", "different times", "had a time zone: converted to UTC"),
        (events.open_intervals, "interval", "intervals", "had only a start or only an end: one fact each"),
    ):
        if count:
            table.add_row("", f"{count:,} {one if count == 1 else many} {words}")
    if line.unit == "integer" and line.first >= _UNIX_SECONDS:
        table.add_row(
            "", "if these are seconds since 1970, write them as dates: here every second is a step of its own"
        )
    relations = f"{dataset.num_relations:,} relation{'s' if dataset.num_relations != 1 else ''}"
    table.add_row("names", f"{dataset.num_entities:,} entities, {relations}")
    counts = ", ".join(f"{name} {len(facts):,}" for name, facts in dataset.splits.items())
    table.add_row("facts", f"{counts}  ({escape(imported.origin)})")
    repeats = leaks.repeated_train + leaks.repeated_valid + leaks.repeated_test
    table.add_row("repeats", f"{repeats:,} (a fact more than once in its split; kept)" if repeats else "none")
    if skip_bad is not None:
        skipped = f"{len(events.rejects):,} skipped, with reasons in {escape(str(skip_bad))}"
        table.add_row("bad rows", skipped if events.rejects else "none")
    console.print(table)
    if leaks.across_splits:
        _say(console, _leak_words(statistics))
    if _near_words(statistics):
        _say(console, _near_words(statistics))
    print_examples(dataset)
    _say(console, f"Train on it with: tgap train --dataset {escape(shlex.quote(place))}")


def print_examples(dataset: Dataset, count: int = 5) -> None:
    """A few facts spread over train, as they will be understood."""
    console = _console()
    table = _table("subject", "relation", "object", "time")
    facts: Facts = dataset.train
    for step in range(min(count, len(facts))):
        fact = facts[step * len(facts) // min(count, len(facts))]
        names = (dataset.entities.name(fact.subject), dataset.relations.name(fact.relation))
        table.add_row(*map(_shown, (*names, dataset.entities.name(fact.object), dataset.timeline.format(fact.time))))
    console.print(table)


def _about(dataset: Dataset) -> str:
    if dataset.name in CATALOG:
        return CATALOG[dataset.name].summary
    folder = find_folder(dataset.name) if dataset.name in stored_folders() else None
    return str(read_manifest(folder)["origin"]) if folder is not None and is_stored(folder) else ""


def _verdict(dataset: Dataset) -> str:
    """Whether a dataset of the catalog has the content that it should have."""
    known = CATALOG[dataset.name].checksum if dataset.name in CATALOG else ""
    if not known:
        return ""
    published = known == dataset.checksum
    return "The content is as published.\n" if published else "[yellow]This is not the published content.[/yellow]\n"


def _split_table(statistics: Statistics) -> Table:
    """What each split has, one split a column."""
    table = _table("", *statistics.splits, right=3, first_left=True)
    leaks, splits = statistics.leaks, list(statistics.splits.values())
    rows = (
        ("facts", [split.facts for split in splits]),
        ("  of these repeats", [leaks.repeated_train, leaks.repeated_valid, leaks.repeated_test]),
        ("  of these also in train", [None, leaks.valid_in_train, leaks.test_in_train]),
        ("entities", [split.entities for split in splits]),
        ("  unseen in train", [None, *(split.unseen_entities for split in splits[1:])]),
        ("relations", [split.relations for split in splits]),
        ("  unseen in train", [None, *(split.unseen_relations for split in splits[1:])]),
        ("times", [split.times for split in splits]),
        ("  unseen in train", [None, *(split.unseen_times for split in splits[1:])]),
        ("facts with an unseen entity or relation", [None, *(split.facts_unseen for split in splits[1:])]),
        ("facts with a near copy in train:", [None, None, None]),
        ("  the other end of the interval", [None, *(split.twins for split in splits[1:])]),
        ("  the mirror (o, r, s, t)", [None, *(split.mirrors for split in splits[1:])]),
        ("  another event of the pair then", [None, *(split.pairs for split in splits[1:])]),
    )
    for title, counts in rows:
        table.add_row(title, *("" if count is None else f"{count:,}" for count in counts))
    return table


def _leak_words(statistics: Statistics) -> str:
    leaks = statistics.leaks
    if not leaks.across_splits:
        return "No fact is in two splits."
    parts = f"{leaks.valid_in_train:,} of valid and {leaks.test_in_train:,} of test stand in train"
    return f"[yellow]Leaks:[/yellow] {parts}; {leaks.valid_and_test:,} facts are in both valid and test."


def _near_words(statistics: Statistics) -> str:
    """How many test facts have a near copy in train."""
    test = statistics.splits["test"]
    counts = (
        (test.twins, "the other end of their interval"),
        (test.mirrors, "their mirror (o, r, s, t)"),
        (test.pairs, "another event of the pair at that time"),
    )
    parts = [f"{count:,} have {what}" for count, what in counts if count]
    return f"Near copies: of {test.facts:,} test facts, {', '.join(parts)} in train." if parts else ""


def _degree_words(dataset: Dataset, statistics: Statistics) -> str:
    degrees = statistics.degrees
    busiest = _shown(dataset.entities.name(degrees.busiest))
    return (
        f"Facts of an entity in train: median {degrees.median:g}, mean {degrees.mean:.1f}, "
        f"most {degrees.most:,} ({busiest}); {degrees.single:,} entities have one only."
    )


def _print_histogram(console: Console, dataset: Dataset) -> None:
    bins = facts_over_time(dataset)
    highest = max(part.facts for part in bins)
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    for part in bins:
        first, last = dataset.timeline.format(part.first), dataset.timeline.format(part.last)
        length = round(_BAR * part.facts / highest)
        bar = "█" * length if length or not part.facts else "▏"
        table.add_row(first if first == last else f"{first} .. {last}", f"{part.facts:,}", bar)
    console.print("\nFacts over time, all splits:")
    console.print(table)
    console.print()


def _table(*titles: str, right: int = 0, first_left: bool = False) -> Table:
    """A plain table; the first ``right`` columns (after one on the left, if so) hold numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    start = int(first_left)
    for index, title in enumerate(titles):
        table.add_column(title, justify="right" if start <= index < start + right else "left")
    return table


def _shown(name: str) -> str:
    """A name as it can safely stand in a terminal: control characters and odd spaces are spelt out."""
    return escape("".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in name))


def _say(console: Console, text: str) -> None:
    """A sentence: broken between words in a terminal, whole where a program reads it."""
    console.print(text, soft_wrap=not console.is_terminal)


def _numbers(*values: int) -> list[str]:
    return [f"{value:,}" for value in values]


def _console() -> Console:
    """Console that takes whole lines when it is not a terminal, so that piped output is never cut at 80 columns."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=200)
