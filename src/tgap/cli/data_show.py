"""What ``tgap data show`` prints: tables for people, JSON for programs."""

from __future__ import annotations

import json

from rich.console import Console
from rich.table import Table

from tgap.cli.output import write_output
from tgap.cli.terminal import cell, make_console, plain_table, say
from tgap.data import CATALOG, Dataset
from tgap.data.catalog import find_folder, stored_folders
from tgap.data.near_copies import TwinsInTrain
from tgap.data.statistics import Statistics, TimeBin, dataset_statistics, facts_over_time
from tgap.data.stored import is_stored, read_manifest

_BAR = 40  # width of the longest bar of the histogram
_SPLITS = ("train", "valid", "test")


def print_dataset(dataset: Dataset) -> None:
    """Everything that is worth knowing about a dataset."""
    console = make_console()
    statistics = dataset_statistics(dataset)
    line = dataset.timeline
    say(console, f"[bold]{cell(dataset.name)}[/bold]  {cell(_about(dataset))}")
    counted = ("entities", "relations", "times", "facts")
    table = plain_table(*counted, "span", "unit", numbers=counted, flowing=("span",))
    facts = sum(split.facts for split in statistics.splits.values())
    span = f"{line.format(0)} .. {line.format(line.span)}"
    counts = (dataset.num_entities, dataset.num_relations, statistics.times, facts)
    table.add_row(*(f"{count:,}" for count in counts), span, line.unit)
    console.print(table)
    if dataset.name in CATALOG and CATALOG[dataset.name].note:
        say(console, CATALOG[dataset.name].note)
    if dataset.name in CATALOG and CATALOG[dataset.name].terms:
        say(console, CATALOG[dataset.name].terms)
    console.print(_split_table(statistics))
    say(console, leak_words(statistics))
    if statistics.own_twins.train:
        say(console, _twin_words(statistics.own_twins))
    say(console, _degree_words(dataset, statistics))
    _print_histogram(console, dataset)
    console.print(f"{_verdict(dataset)}SHA-256 {dataset.checksum}", soft_wrap=True)  # whole, to be copied


def print_json(dataset: Dataset) -> None:
    """The same numbers as one JSON object."""
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
        "own_twins": statistics.own_twins._asdict() | {"hidden": statistics.own_twins.differ},
        "over_time": [
            {"first": line.format(part.first), "last": line.format(part.last), "facts": part.facts}
            for part in facts_over_time(dataset)
        ],
    }
    write_output("-", json.dumps(content, indent=2, ensure_ascii=False) + "\n")


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
    table = plain_table("", *statistics.splits, numbers=_SPLITS, flowing=("",))
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
        ("  the other end of the interval", [splits[0].twins or None, *(split.twins for split in splits[1:])]),
        ("  the mirror (o, r, s, t)", [None, *(split.mirrors for split in splits[1:])]),
        ("  another event of the pair then", [None, *(split.pairs for split in splits[1:])]),
    )
    for title, counts in rows:
        table.add_row(title, *("" if count is None else f"{count:,}" for count in counts))
    return table


def leak_words(statistics: Statistics) -> str:
    """What splits share."""
    leaks = statistics.leaks
    if not leaks.across_splits:
        return "No fact is in two splits."
    parts = f"{leaks.valid_in_train:,} of valid and {leaks.test_in_train:,} of test stand in train"
    return f"[yellow]Leaks:[/yellow] {parts}; {leaks.valid_and_test:,} facts are in both valid and test."


def _twin_words(twins: TwinsInTrain) -> str:
    """Where the other ends of intervals are, and what training makes of that."""
    counts = (
        f"{twins.train:,} of {twins.train_facts:,} facts of train, {twins.valid:,} of {twins.valid_facts:,} of valid"
    )
    hides = "hides it from the questions of train" if twins.differ else "leaves it in sight"
    return f"Facts whose own interval has its other end in train: {counts}; training {hides} (model.twins)."


def near_words(statistics: Statistics) -> str:
    """How many test facts have a near copy in train."""
    test = statistics.splits["test"]
    counts = (
        (test.twins, "the other end of {} interval"),
        (test.mirrors, "{} mirror (o, r, s, t)"),
        (test.pairs, "another event of the pair at that time"),
    )
    parts = [
        f"{count:,} {'has' if count == 1 else 'have'} {what.format('its' if count == 1 else 'their')}"
        for count, what in counts
        if count
    ]
    return f"Near copies: of {test.facts:,} test facts, {', '.join(parts)} in train." if parts else ""


def _degree_words(dataset: Dataset, statistics: Statistics) -> str:
    degrees = statistics.degrees
    busiest = cell(dataset.entities.name(degrees.busiest))
    return (
        f"Facts of an entity in train: median {degrees.median:g}, mean {degrees.mean:.1f}, "
        f"most {degrees.most:,} ({busiest}); {degrees.single:,} entities have one only."
    )


def _print_histogram(console: Console, dataset: Dataset) -> None:
    bins = facts_over_time(dataset)
    highest = max(part.facts for part in bins)
    labels = [_stretch(dataset, part) for part in bins]
    room = console.width - max(map(len, labels)) - len(f"{highest:,}") - 3
    longest = max(min(_BAR, room), 1)
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    full, thin = ("#", "|") if console.options.ascii_only else ("█", "▏")
    for label, part in zip(labels, bins, strict=True):
        length = round(longest * part.facts / highest)
        table.add_row(label, f"{part.facts:,}", full * length if length or not part.facts else thin)
    console.print("\nFacts over time, all splits:")
    console.print(table)
    console.print()


def _stretch(dataset: Dataset, part: TimeBin) -> str:
    first, last = dataset.timeline.format(part.first), dataset.timeline.format(part.last)
    return first if first == last else f"{first} .. {last}"
