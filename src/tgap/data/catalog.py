"""The datasets that have a name: three public ones as published, two variants of them, and the synthetic world."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tgap.data.calendar import date_from_days
from tgap.data.dataset import SPLITS, Dataset, warn_of_leaks
from tgap.data.events import read_events
from tgap.data.facts import Facts, fact_keys, in_order
from tgap.data.folder import data_folders
from tgap.data.layout import Layout
from tgap.data.splits import hold_out
from tgap.data.world import make_world
from tgap.errors import DataError

UNSEEN_SEED = 0


@dataclass(frozen=True)
class Entry:
    """A dataset of the catalog."""

    name: str
    summary: str
    parent: str = ""  # a variant is made from its parent's files


CATALOG: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("icews14", "political events of 2014, by day"),
        Entry("icews05-15", "political events of 2005 to 2015, by day"),
        Entry("wikidata11k", "Wikidata statements with start or end year, as published (its splits leak)"),
        Entry("wikidata11k-clean", "the same without repeats and leaks (train over valid over test)", "wikidata11k"),
        Entry("icews14-unseen", "icews14 with the 5th, 15th and 25th of each month kept out of train", "icews14"),
        Entry("world", "a small invented world with planted rules; needs no files", "world"),
    )
}
_PUBLIC_LAYOUT = Layout(header=False, separator="\t")


def load_dataset(name: str | Path) -> Dataset:
    """A dataset by its name in the catalog, the name it was imported under, or its folder.

    Warns with ``LeakWarning`` when facts of valid or test stand in an earlier split.

    >>> load_dataset("world").num_entities > 100
    True
    """
    if name == "world":
        return make_world()
    entry = CATALOG.get(str(name))
    if entry is None:
        raise DataError(f"unknown dataset {str(name)!r}; expected one of {', '.join(CATALOG)}")
    dataset = _read_public(entry.parent or entry.name, find_files(entry.parent or entry.name))
    if entry.name == "wikidata11k-clean":
        dataset = _cleaned(dataset)
    elif entry.name == "icews14-unseen":
        dataset = _unseen(dataset)
    warn_of_leaks(dataset)
    return dataset


def find_files(name: str) -> list[Path]:
    """The three files of a public dataset; raises ``DataError`` with the remedy if they are nowhere."""
    for folder in data_folders():
        files = [folder / name / f"{split}.txt" for split in SPLITS]
        if all(file.is_file() for file in files):
            return files
    places = " or ".join(str(folder / name) for folder in data_folders())
    raise DataError(f"dataset {name!r} is not in {places}; fetch it with `tgap data download {name}`")


def _read_public(name: str, files: list[Path]) -> Dataset:
    events = read_events(files, _PUBLIC_LAYOUT)
    train, valid, test = events.parts
    return Dataset(name, events.entities, events.relations, events.timeline, train, valid, test)


def _cleaned(dataset: Dataset) -> Dataset:
    """Each fact once; a fact that an earlier split has is removed from the later one."""
    keys = fact_keys(list(dataset.splits.values()))
    seen = np.empty(0, dtype=np.int64)
    parts: list[Facts] = []
    for facts, key in zip(dataset.splits.values(), keys, strict=True):
        fresh = np.unique(key, return_index=True)[1]
        fresh = fresh[~np.isin(key[fresh], seen)]
        parts.append(facts.take(np.sort(fresh)))
        seen = np.union1d(seen, key)
    train, valid, test = parts
    return replace(dataset, name="wikidata11k-clean", train=train, valid=valid, test=test)


def _unseen(dataset: Dataset) -> Dataset:
    """All splits pooled; facts of the 5th, 15th and 25th of each month divided at random into valid and test."""
    pooled = in_order(Facts.concatenate(list(dataset.splits.values())))
    day = date_from_days(pooled.time + dataset.timeline.first)[2]
    train, valid, test = hold_out(pooled, np.isin(day, (5, 15, 25)), UNSEEN_SEED)
    return replace(dataset, name="icews14-unseen", train=train, valid=valid, test=test)
