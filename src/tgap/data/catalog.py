"""The datasets that have a name: three public ones as published, two variants of them, and the synthetic world."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tgap.data.calendar import date_from_days
from tgap.data.dataset import SPLITS, Dataset, warn_of_leaks
from tgap.data.events import read_events
from tgap.data.facts import Facts, contained, distinct, fact_keys, in_order
from tgap.data.folder import data_folders
from tgap.data.layout import Layout
from tgap.data.rejects import BadRowsError
from tgap.data.splits import hold_out
from tgap.data.stored import is_stored, load_stored
from tgap.data.world import make_world
from tgap.errors import DataError

UNSEEN_SEED = 0


@dataclass(frozen=True)
class Entry:
    """A dataset of the catalog."""

    name: str
    summary: str
    parent: str = ""  # a variant is made from its parent's files
    checksum: str = ""  # of the content, as ``Dataset.checksum`` counts it
    note: str = ""  # what a reader of the paper's table should know


_ENTRIES = (
    Entry(
        "icews14",
        "political events of 2014, by day",
        checksum="3b6ebed6f9348959b69e3cf7b7e9fe6d80fdd4e337af87fbb37b8cce0f004dc4",
    ),
    Entry(
        "icews05-15",
        "political events of 2005 to 2015, by day",
        checksum="0b52c79f0ea8d9087eb82ec12e1df8162d23a32dcbaa2b5af3368b7d07b0cb4f",
        note="The paper's table says 479,329 facts: a misprint of 461,329.",
    ),
    Entry(
        "wikidata11k",
        "Wikidata statements with start or end year, as published (its splits leak)",
        checksum="7c5544bb6d93cb878025491bf1cf215229e162f71bbf31a3bfe2437273cdd5c6",
        note="96 properties; each with its modifier (occurSince, occurUntil) is a relation here, 181 in all. "
        "The paper's table counts train alone: 11,134 entities, 95 properties.",
    ),
    Entry(
        "wikidata11k-clean",
        "the same without repeats and leaks (train over valid over test)",
        parent="wikidata11k",
        checksum="075eb0b6f1b831daeedab4f2d9424a08b6503946f7a5cbd4483b3c1cc7b8456d",
    ),
    Entry(
        "icews14-unseen",
        "icews14 with the 5th, 15th and 25th of each month kept out of train",
        parent="icews14",
        checksum="b2fd27cbd01486f2e766a4e117f130eaa2060846fbffe6cc2016661dc081776a",
    ),
    Entry("world", "a small invented world with planted rules; needs no files"),
)
CATALOG: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
_PUBLIC_LAYOUT = Layout(header=False, separator="\t")


def load_dataset(name: str | Path) -> Dataset:
    """A dataset by its name in the catalog, the name it was imported under, or its folder.

    A folder is one written by ``tgap data import``, or holds train.txt, valid.txt and test.txt. Warns with
    ``LeakWarning`` when facts of valid or test stand in an earlier split.

    >>> load_dataset("world").num_entities
    150
    """
    if name == "world":
        return make_world()
    entry = CATALOG.get(str(name))
    if entry is not None:
        dataset = _load_entry(entry)
    else:
        folder = find_folder(name)
        dataset = load_stored(folder) if is_stored(folder) else _read_files(folder.name, _split_files(folder), Layout())
    warn_of_leaks(dataset)
    return dataset


def find_files(name: str) -> list[Path] | None:
    """The three files of a public dataset, if they are in one of the data folders."""
    for folder in data_folders():
        files = _split_files(folder / name)
        if all(file.is_file() for file in files):
            return files
    return None


def stored_folders() -> dict[str, Path]:
    """Imported datasets in the data folders, by name."""
    found: dict[str, Path] = {}
    for folder in data_folders():
        for place in sorted(folder.iterdir()) if folder.is_dir() else ():
            if is_stored(place) and not place.name.startswith("."):
                found.setdefault(place.name, place)
    return found


def find_folder(name: str | Path) -> Path:
    """The folder of an imported dataset, by name or path; raises ``DataError`` with what there is."""
    stored = stored_folders()
    if str(name) in stored:
        return stored[str(name)]
    folder = Path(name)
    if is_stored(folder) or all(file.is_file() for file in _split_files(folder)):
        return folder
    if folder.exists():
        wanted = "manifest.json (written by `tgap data import`), nor train.txt, valid.txt and test.txt"
        raise DataError(f"{folder} is not a dataset: it has neither {wanted}")
    known = [*CATALOG, *stored]
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}, or a folder"
    raise DataError(f"unknown dataset {str(name)!r}; {hint}")


def _load_entry(entry: Entry) -> Dataset:
    source = entry.parent or entry.name
    files = find_files(source)
    if files is None:
        places = " or ".join(str(folder / source) for folder in data_folders())
        raise DataError(f"dataset {entry.name!r} is not in {places}; fetch it with `tgap data download {entry.name}`")
    dataset = _read_files(source, files, _PUBLIC_LAYOUT)
    if entry.name == "wikidata11k-clean":
        return _cleaned(dataset)
    return _unseen(dataset) if entry.name == "icews14-unseen" else dataset


def _split_files(folder: Path) -> list[Path]:
    return [folder / f"{split}.txt" for split in SPLITS]


def _read_files(name: str, files: list[Path], layout: Layout) -> Dataset:
    try:
        events = read_events(files, layout)
    except BadRowsError as error:
        raise BadRowsError(error.rejects, "mend the files or fetch them again") from None
    train, valid, test = events.parts
    return Dataset(name, events.entities, events.relations, events.timeline, train, valid, test)


def _cleaned(dataset: Dataset) -> Dataset:
    """Each fact once; a fact that an earlier split has is removed from the later one."""
    keys = fact_keys(list(dataset.splits.values()))
    seen = np.empty(0, dtype=np.int64)
    parts: list[Facts] = []
    for facts, key in zip(dataset.splits.values(), keys, strict=True):
        fresh = np.unique(key, return_index=True)[1]
        fresh = fresh[~contained(key[fresh], seen)]
        parts.append(facts.take(np.sort(fresh)))
        seen = distinct(np.concatenate([seen, key]))
    train, valid, test = parts
    return replace(dataset, name="wikidata11k-clean", train=train, valid=valid, test=test)


def _unseen(dataset: Dataset) -> Dataset:
    """All splits pooled; facts of the 5th, 15th and 25th of each month divided at random into valid and test."""
    pooled = in_order(Facts.concatenate(list(dataset.splits.values())))
    day = date_from_days(pooled.time + dataset.timeline.first)[2]
    train, valid, test = hold_out(pooled, np.isin(day, (5, 15, 25)), UNSEEN_SEED)
    return replace(dataset, name="icews14-unseen", train=train, valid=valid, test=test)
