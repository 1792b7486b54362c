"""Facts that join a dataset after it was made: appended in versions that are checked, and can be taken back.

A dataset itself never changes: its splits are what methods were trained and measured on. What is appended lies beside
it in a journal, a folder for each version,

    .appended/NAME/000001/facts.parquet     names, and the instant in units since the dataset's first
    .appended/NAME/000001/manifest.json     where they came from, how many, and digests of facts and dataset

written whole or not at all. Loading the dataset joins the facts of all versions as its context: known, but neither
trained on nor asked for. Names that the dataset lacks get ids behind its own, in the order in which they came.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from tgap.data.atomic import sync_folder, write_folder
from tgap.data.dataset import Dataset
from tgap.data.event_tables import EventTables, read_events
from tgap.data.facts import Facts, contained, distinct, fact_keys
from tgap.data.reading import Layout, Sources
from tgap.data.time import Timeline
from tgap.data.vocabulary import Vocabulary, folded
from tgap.errors import DataError
from tgap.locks import one_process

FORMAT = 1
FOLDER = ".appended"
_SCHEMA = {"subject": "String", "relation": "String", "object": "String", "instant": "Int64"}


@dataclass(frozen=True)
class Appended:
    """What a call of ``Journal.append`` did."""

    version: int
    dataset: Dataset  # with everything that was appended so far
    added: int
    repeated: int  # rows that the dataset or its journal had already, or that the file repeats
    entities: tuple[str, ...]  # new names
    relations: tuple[str, ...]
    alike: tuple[tuple[str, str], ...]  # new names that differ from a known one only in case, spaces or underscores


class Journal:
    """The versions appended to one dataset, oldest first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def version(self) -> int:
        """Number of the newest version; 0 where nothing has been appended."""
        return int(self._versions()[-1].name) if self._versions() else 0

    def append(self, base: Dataset, events: EventTables, origin: str) -> Appended:
        """Add the facts of some tables that are new; a version is made only if there are any."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with one_process(self.folder / ".lock"):
            before = self.joined(base)
            texts = _texts_of(events, base.timeline)
            dataset, added = _join(before, texts)
            if not added:
                return Appended(self.version, before, 0, len(texts[0]), (), (), ())
            version = self.version + 1
            fresh = dataset.context[len(before.context) :]
            self._write(version, base, dataset, fresh, origin)
        entities = dataset.entities.names[before.num_entities :]
        relations = dataset.relations.names[before.num_relations :]
        alike = [*_alike(before.entities, entities), *_alike(before.relations, relations)]
        return Appended(version, dataset, added, len(texts[0]) - added, entities, relations, tuple(alike))

    def undo(self) -> dict[str, Any]:
        """Take the newest version back; gives what its manifest says."""
        with one_process(self._existing() / ".lock"):
            newest = self._versions()[-1]
            manifest = _manifest(newest)
            gone = newest.with_name(f".{newest.name}.tmp")
            newest.rename(gone)  # at once; what is left of it may go slowly
            sync_folder(self.folder)
            shutil.rmtree(gone, ignore_errors=True)
        return manifest

    def manifests(self) -> list[dict[str, Any]]:
        """What is known of each version, oldest first."""
        return [_manifest(version) for version in self._versions()]

    def joined(self, base: Dataset) -> Dataset:
        """A dataset with all versions as its context; the dataset itself where there are none."""
        dataset = base
        for version in self._versions():
            manifest = _manifest(version)
            if manifest["dataset"] != base.checksum:
                raise DataError(
                    f"{version} was appended to another version of {base.name}; take it back with "
                    f"`tgap data append {base.name} --undo`, or bring back the dataset that it belongs to"
                )
            dataset, _ = _join(dataset, _read(version, manifest))
        return dataset

    def _existing(self) -> Path:
        if not self._versions():
            raise DataError(f"nothing has been appended ({self.folder} has no version); there is nothing to undo")
        return self.folder

    def _versions(self) -> list[Path]:
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        return sorted(place for place in found if place.name.isdigit())

    def _write(self, version: int, base: Dataset, dataset: Dataset, facts: Facts, origin: str) -> None:
        content = _parquet(dataset, facts)
        manifest = {
            "format": FORMAT,
            "version": version,
            "origin": origin,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "dataset": base.checksum,
            "facts": len(facts),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        text = (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
        try:
            write_folder(self.folder / f"{version:06d}", {"facts.parquet": content, "manifest.json": text})
        except OSError as error:
            raise DataError(f"cannot write {self.folder}: {error.strerror}") from error


def read_appendable(
    sources: Sources, base: Dataset, layout: Layout | None = None, skip_bad: bool = False
) -> EventTables:
    """Tables of events that are to join a dataset, read in its unit of time; bad rows are an error, as in import."""
    return read_events(sources, layout, base.timeline.unit, skip_bad, split_column=False)


Texts = tuple[Sequence[str], Sequence[str], Sequence[str], np.ndarray[Any, np.dtype[np.int64]]]  # names, and instants


def _texts_of(events: EventTables, line: Timeline) -> Texts:
    """Names and instants (on the dataset's timeline) of what was read, in the order of time."""
    facts = Facts.concatenate(events.parts)
    time = facts.time + (events.timeline.first - line.first)
    if len(time) and time.min() < 0:
        early = line.format(int(time.min()))
        raise DataError(f"a fact of {early} lies before the dataset, which begins {line.format(0)}; leave it out")
    entities, relations = events.entities.names, events.relations.names
    return (
        [entities[index] for index in facts.subject],
        [relations[index] for index in facts.relation],
        [entities[index] for index in facts.object],
        time,
    )


def _join(dataset: Dataset, texts: Texts) -> tuple[Dataset, int]:
    """A dataset with more context, and how many facts were new."""
    subject, relation, obj, time = texts
    entities = _extended(dataset.entities, [name for pair in zip(subject, obj, strict=True) for name in pair])
    relations = _extended(dataset.relations, relation)
    facts = Facts(
        np.array([entities.id(name) for name in subject], dtype=np.int64),
        np.array([relations.id(name) for name in relation], dtype=np.int64),
        np.array([entities.id(name) for name in obj], dtype=np.int64),
        np.asarray(time, dtype=np.int64),
    )
    known, keys = fact_keys([Facts.concatenate(list(dataset.parts.values())), facts])
    first = np.sort(np.unique(keys, return_index=True)[1])
    fresh = facts[first[~contained(keys[first], distinct(known))]]
    if not len(fresh):
        return dataset, 0
    line = dataset.timeline
    last = max(line.last, line.first + int(fresh.time.max()))
    joined = replace(
        dataset,
        entities=entities,
        relations=relations,
        timeline=replace(line, last=last),
        context=Facts.concatenate([dataset.context, fresh]),
        before=dataset.base,
    )
    return joined, len(fresh)


def _extended(names: Vocabulary, used: Sequence[str]) -> Vocabulary:
    """The names, then those that are used and not among them, in their order."""
    fresh = [name for name in dict.fromkeys(used) if name not in names]
    return Vocabulary((*names.names, *fresh), names.what) if fresh else names


def _alike(names: Vocabulary, fresh: Sequence[str]) -> list[tuple[str, str]]:
    known = {folded(name): name for name in names} if fresh else {}
    return [(name, known[folded(name)]) for name in fresh if folded(name) in known]


def _parquet(dataset: Dataset, facts: Facts) -> bytes:
    import polars as pl  # noqa: PLC0415

    entities, relations = dataset.entities.names, dataset.relations.names
    frame = pl.DataFrame(
        {
            "subject": [entities[index] for index in facts.subject],
            "relation": [relations[index] for index in facts.relation],
            "object": [entities[index] for index in facts.object],
            "instant": facts.time,
        },
        schema={name: getattr(pl, kind) for name, kind in _SCHEMA.items()},
    )
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _read(version: Path, manifest: dict[str, Any]) -> Texts:
    import polars as pl  # noqa: PLC0415

    try:
        content = (version / "facts.parquet").read_bytes()
    except OSError as error:
        raise _damaged(version, str(error)) from error
    if hashlib.sha256(content).hexdigest() != manifest["sha256"]:
        raise _damaged(version, "facts.parquet does not match the checksum in its manifest")
    frame = pl.read_parquet(io.BytesIO(content))
    subject, relation, obj = (frame[name].to_list() for name in ("subject", "relation", "object"))
    return subject, relation, obj, frame["instant"].to_numpy()


def _damaged(version: Path, what: str) -> DataError:
    return DataError(f"{version} is damaged: {what}; remove it and append its facts again")


def _manifest(version: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((version / "manifest.json").read_bytes())
        found = manifest["format"]
    except (OSError, ValueError, KeyError) as error:
        raise _damaged(version, str(error)) from error
    if found != FORMAT:
        raise DataError(f"{version}: format {found!r} is not the one this tgap reads ({FORMAT}); update tgap")
    return manifest
