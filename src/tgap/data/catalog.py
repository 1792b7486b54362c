"""Datasets by name or folder: those of the catalog (``entries``), imported ones, and folders of three files."""

from __future__ import annotations

import difflib
import warnings
from dataclasses import replace
from pathlib import Path

from tgap.data.dataset import SPLITS, Dataset, DataWarning, warn_of_leaks
from tgap.data.entries import CATALOG, CatalogEntry, source_of
from tgap.data.event_tables import EventTables, read_events
from tgap.data.journal import FOLDER as APPENDED
from tgap.data.journal import Journal
from tgap.data.locations import data_folders, storage_folder
from tgap.data.reading import BadRowsError, Layout, divided_files, of_files
from tgap.data.stored import is_stored, load_stored
from tgap.data.time import Unit
from tgap.errors import DataError, Message

_PUBLIC_LAYOUT = Layout(header=False, separator="\t")


def load_dataset(name: str | Path) -> Dataset:
    """A dataset by its name in the catalog, the name it was imported under, or its folder.

    A folder is one written by ``tgap data import``, or holds tables called train, valid and test (train.txt ...). Facts
    that were appended to it (``journal``) are its context. Warns with ``LeakWarning`` when facts of valid or test stand
    in an earlier split.

    >>> load_dataset("world").num_entities
    150
    """
    entry = CATALOG.get(str(name))
    if entry is not None:
        dataset = _load_entry(entry)
    else:
        folder = find_folder(name)
        dataset = load_stored(folder) if is_stored(folder) else _read_folder(folder)
    warn_of_leaks(dataset)
    return journal_of(name).joined(dataset)


def journal_of(name: str | Path) -> Journal:
    """What was appended to a dataset: beside its folder if that is named by a path, else in the data folder."""
    if str(name) in CATALOG or str(name) in stored_folders():
        return Journal(storage_folder() / APPENDED / str(name))
    folder = find_folder(name).resolve()
    return Journal(folder.parent / APPENDED / folder.name)


def find_files(name: str) -> list[Path] | None:
    """The three files of a public dataset, if they are in one of the data folders."""
    for folder in data_folders():
        files = _split_files(folder / name)
        if all(file.is_file() for file in files):
            return files
    return None


def is_here(name: str) -> bool:
    """Whether a dataset of the catalog can be loaded without fetching anything."""
    source = source_of(name)
    return source.make is not None or find_files(source.name) is not None


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
    folder = Path(name).expanduser()
    if is_stored(folder) or (folder.is_dir() and divided_files(folder)):
        return folder
    if folder.exists():
        wanted = "manifest.json (written by `tgap data import`), nor tables called train, valid and test"
        raise DataError(f"{folder} is not a dataset: it has neither {wanted}")
    known = [*CATALOG, *stored]
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}, or a folder."
    own = folder.name or "mine"
    raise DataError(
        f"unknown dataset {str(name)!r}; {hint} `tgap data list` shows all, your own come in with "
        f"`tgap data import FILE --out {own}`"
    )


def dataset_reference(name: str | Path) -> str:
    """What to write down so that the dataset is found again from any folder: its name, or its absolute path."""
    if str(name) in CATALOG or str(name) in stored_folders():
        return str(name)
    return str(find_folder(name).resolve())


def _load_entry(entry: CatalogEntry) -> Dataset:
    source = source_of(entry.name)
    if source.make is not None:
        dataset = source.make()
    else:
        files = find_files(source.name)
        if files is None:
            raise DataError(f"dataset {entry.name!r} is not in {_places(source.name)}; {how_to_get(entry)}")
        dataset = _as_given(source.name, _read(files, _PUBLIC_LAYOUT, source.unit))
    if entry.derive is None:
        return dataset
    train, valid, test = entry.derive(dataset)
    return replace(dataset, name=entry.name, train=train, valid=valid, test=test)


def how_to_get(entry: CatalogEntry) -> str:
    """What to do when the files of a dataset are not here."""
    source = source_of(entry.name)
    if source.home:
        return f"fetch it with `tgap data download {entry.name}`"
    return f"it has no public home: put train.txt, valid.txt and test.txt into {storage_folder() / source.name}"


def _places(name: str) -> str:
    return " or ".join(str(folder / name) for folder in data_folders())


def _split_files(folder: Path) -> list[Path]:
    return [folder / f"{split}.txt" for split in SPLITS]


def _read_folder(folder: Path) -> Dataset:
    """Three tables that nobody has imported; what import would warn of is warned of here."""
    events = _read(divided_files(folder), Layout())
    for remark in events.remarks:
        if remark.serious:
            warnings.warn(Message(f"{folder}: ", remark.text), DataWarning, stacklevel=4)
    return _as_given(folder.resolve().name, events)


def _read(files: list[Path], layout: Layout, unit: Unit | None = None) -> EventTables:
    try:
        return read_events(of_files(files), layout, unit)
    except BadRowsError as error:
        raise BadRowsError(error.rejects, "mend the files or fetch them again") from None


def _as_given(name: str, events: EventTables) -> Dataset:
    train, valid, test = events.parts
    return Dataset(name, events.entities, events.relations, events.timeline, train, valid, test)
