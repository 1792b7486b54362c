"""The stored form of a dataset: a folder of Parquet files and a manifest that proves them.

``manifest.json`` has the version of the format, the timeline, how the dataset came about, the checksum of its content
and a SHA-256 of every file. The folder is written beside its place and renamed, so it is there whole or not at all.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tgap.data.atomic import PREVIOUS, take_back_folder, write_folder
from tgap.data.dataset import SPLITS, Cause, Dataset
from tgap.data.facts import COLUMNS, Fact, Facts
from tgap.data.time import Timeline
from tgap.data.vocabulary import Vocabulary
from tgap.errors import DataError, Message, Option

if TYPE_CHECKING:
    import polars as pl

FORMAT = 1
MANIFEST = "manifest.json"


def is_stored(folder: Path) -> bool:
    """Whether a folder holds a stored dataset."""
    return (folder / MANIFEST).is_file()


def check_free(folder: Path, replace: bool = False) -> None:
    """Refuse a folder that exists, unless it is a stored dataset that may be replaced."""
    if folder.exists() and not (replace and is_stored(folder)):
        overwrite = Message(", or overwrite it with ", Option("replace"))
        raise DataError(f"{folder} exists already; choose another name", overwrite if is_stored(folder) else "")


def store_dataset(
    dataset: Dataset, folder: Path, origin: str, replace: bool = False, keep_previous: bool = False
) -> None:
    """Write a dataset into ``folder``; ``origin`` tells people where it came from.

    One that it replaces is lost, unless ``keep_previous``: then ``undo`` brings it back.
    """
    check_free(folder, replace)
    files = _files(dataset)
    manifest = {
        "format": FORMAT,
        "name": dataset.name,
        "origin": origin,
        "checksum": dataset.checksum,
        "timeline": asdict(dataset.timeline),
        "counts": {"entities": dataset.num_entities, "relations": dataset.num_relations}
        | {split: len(facts) for split, facts in dataset.splits.items()},
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    files[MANIFEST] = (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        write_folder(folder, files, keep_previous=keep_previous)
    except OSError as error:
        raise DataError(f"cannot write {folder}: {error.strerror}") from error


def undo(folder: Path) -> str:
    """Bring back the dataset that the stored one replaced; gives the origin of the one that is gone."""
    gone = str(read_manifest(folder)["origin"])
    if not is_stored(folder / PREVIOUS):
        raise DataError(f"{folder} keeps no earlier version; there is nothing to undo")
    try:
        take_back_folder(folder)
    except OSError as error:
        raise DataError(f"cannot write {folder}: {error.strerror}") from error
    return gone


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a stored dataset, its version checked."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
        version = manifest["format"]
    except FileNotFoundError:
        raise DataError(f"{folder} is not a stored dataset: it has no {MANIFEST}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path, "is not a manifest") from error
    if version != FORMAT:
        raise DataError(f"{path}: format {version!r} is not the one this tgap reads ({FORMAT}); update tgap")
    return dict(manifest)


def load_stored(folder: Path) -> Dataset:
    """Read a stored dataset back; any damage is a ``DataError``."""
    import polars as pl  # noqa: PLC0415

    manifest = read_manifest(folder)
    try:
        contents = {name: _checked(folder / name, digest) for name, digest in manifest["files"].items()}
        timeline = Timeline(**manifest["timeline"])
        entities = Vocabulary(_names(contents["entities.parquet"]), "entity")
        relations = Vocabulary(_names(contents["relations.parquet"]), "relation")
        table = pl.read_parquet(io.BytesIO(contents["facts.parquet"]))
        causes = _causes(contents.get("causes.json"))
        train, valid, test = (_facts(table.filter(pl.col("split") == split)) for split in range(len(SPLITS)))
        name, checksum = manifest["name"], manifest["checksum"]
    except (AttributeError, KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise _damaged(folder, f"cannot be understood ({error})") from error
    dataset = Dataset(name, entities, relations, timeline, train, valid, test, causes)
    if dataset.checksum != checksum:
        raise _damaged(folder, "does not have the content that its manifest tells")
    return dataset


def _files(dataset: Dataset) -> dict[str, bytes]:
    """Content of every file but the manifest."""
    import polars as pl  # noqa: PLC0415

    pooled = Facts.concatenate(list(dataset.splits.values()))
    columns = dict(zip(COLUMNS, pooled.columns, strict=True))
    sizes = [len(facts) for facts in dataset.splits.values()]
    split = np.repeat(np.arange(len(SPLITS), dtype=np.uint8), sizes)
    files = {
        "entities.parquet": _parquet(pl.DataFrame({"name": dataset.entities.names}, schema={"name": pl.String})),
        "relations.parquet": _parquet(pl.DataFrame({"name": dataset.relations.names}, schema={"name": pl.String})),
        "facts.parquet": _parquet(pl.DataFrame({"split": split, **columns})),
    }
    if dataset.causes:
        causes = {str(place): [cause.rule, cause.facts] for place, cause in dataset.causes.items()}
        files["causes.json"] = json.dumps(causes).encode()
    return files


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _checked(path: Path, digest: str) -> bytes:
    """Content of a file if it has this SHA-256."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _damaged(path, f"cannot be read ({error.strerror})") from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise _damaged(path, "does not match the checksum in its manifest")
    return content


def _names(content: bytes) -> list[str]:
    import polars as pl  # noqa: PLC0415

    names: list[str] = pl.read_parquet(io.BytesIO(content))["name"].to_list()
    return names


def _facts(table: pl.DataFrame) -> Facts:
    subject, relation, obj, time = (table[name].to_numpy().astype(np.int64) for name in COLUMNS)
    return Facts(subject, relation, obj, time)


def _causes(content: bytes | None) -> MappingProxyType[int, Cause]:
    table = json.loads(content) if content is not None else {}
    return MappingProxyType(
        {int(place): Cause(rule, tuple(Fact(*fact) for fact in facts)) for place, (rule, facts) in table.items()}
    )


def _damaged(path: Path, what: str) -> DataError:
    return DataError(f"{path} {what}; the dataset is damaged, remove it and import it again")
