"""The stored form: back byte for byte, damage told, nothing half written."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tgap.data import Dataset, load_dataset, make_world
from tgap.data.importing import check_name, import_events
from tgap.data.reading import find_sources, of_files
from tgap.data.stored import load_stored, store_dataset
from tgap.errors import DataError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store_dataset(replace(make_world(), name="mine"), tmp_path / "mine", "a test")
    return tmp_path / "mine"


def same(one: Dataset, two: Dataset) -> bool:
    facts = all(list(split) == list(two.splits[name]) for name, split in one.splits.items())
    return facts and (one.entities, one.relations, one.timeline) == (two.entities, two.relations, two.timeline)


def test_round_trip(folder: Path) -> None:
    world, back = make_world(), load_stored(folder)
    assert same(world, back)
    assert back.checksum == world.checksum
    assert dict(back.causes) == dict(world.causes)
    assert back.name == "mine"
    assert sorted(file.name for file in folder.iterdir()) == [
        "causes.json",
        "entities.parquet",
        "facts.parquet",
        "manifest.json",
        "relations.parquet",
    ]


def test_found_by_name_and_by_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGAP_DATA", str(folder.parent))
    assert load_dataset("mine").name == "mine"
    assert load_dataset(folder).checksum == load_dataset(str(folder)).checksum
    with pytest.raises(DataError, match="unknown dataset 'mini'; did you mean mine"):
        load_dataset("mini")
    with pytest.raises(
        DataError, match=r"is not a dataset: it has neither manifest\.json .*, nor tables called train, valid and test"
    ):
        load_dataset(folder.parent)


@pytest.mark.parametrize("name", ["entities.parquet", "relations.parquet", "facts.parquet", "causes.json"])
def test_damage_is_told(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(DataError, match=f"{name} does not match the checksum in its manifest; the dataset is damaged"):
        load_stored(folder)
    (folder / name).unlink()
    with pytest.raises(DataError, match=f"{name} cannot be read"):
        load_stored(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2 is not the one this tgap reads"),
        ({"checksum": "0"}, "does not have the content that its manifest tells"),
        ({"timeline": {"unit": "day"}}, "cannot be understood"),
        ({"files": {}}, "cannot be understood"),
        ({"files": 5}, "cannot be understood|damaged"),
        ({"name": None, "timeline": None}, "cannot be understood"),
    ],
)
def test_wrong_manifest_is_told(folder: Path, change: dict[str, object], message: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_text(json.dumps(manifest | change))
    with pytest.raises(DataError, match=message):
        load_stored(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"7"])
def test_manifest_of_rubbish_is_told(folder: Path, content: bytes) -> None:
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(DataError, match="manifest"):
        load_stored(folder)


def test_existing_folders_are_safe(folder: Path) -> None:
    world = make_world(3)
    with pytest.raises(DataError, match="exists already; choose another name, or overwrite it with `replace`"):
        store_dataset(world, folder, "again")
    store_dataset(world, folder, "again", replace=True)
    assert load_stored(folder).checksum == world.checksum
    assert [path.name for path in folder.parent.iterdir()] == ["mine"]
    other = folder.parent / "papers"
    other.mkdir()
    with pytest.raises(DataError, match=r"papers exists already; choose another name$"):
        store_dataset(world, other, "no", replace=True)


def test_a_failure_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = load_stored(folder).checksum

    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(DataError, match=r"cannot write .*mine: No space left on device"):
        store_dataset(make_world(3), folder, "again", replace=True)
    with pytest.raises(DataError, match="No space left on device"):
        store_dataset(make_world(3), folder.parent / "fresh", "first")
    assert os.listdir(folder.parent) == ["mine"]
    assert load_stored(folder).checksum == before


def test_imported_datasets(tmp_path: Path) -> None:
    rows = [f"A{i % 7}\tr{i % 3}\tB{i % 5}\t2014-01-{1 + i % 28:02d}\n" for i in range(100)]
    (tmp_path / "e.txt").write_text("".join(rows))
    imported = import_events("mine", find_sources([tmp_path / "e.txt"]))
    assert [len(facts) for facts in imported.dataset.splits.values()] == [80, 10, 10]
    assert imported.origin == "imported from e.txt; random split 80/10/10, seed 0"
    for name, part in (("train", rows[:80]), ("valid", rows[80:90]), ("test", rows[90:])):
        (tmp_path / f"{name}.txt").write_text("".join(part))
    given = import_events("mine", of_files([tmp_path / f"{name}.txt" for name in ("train", "valid", "test")]))
    assert [len(facts) for facts in given.dataset.splits.values()] == [80, 10, 10]
    assert load_dataset(tmp_path).checksum == given.dataset.checksum
    with pytest.raises(DataError, match="`test` is missing"):
        find_sources([tmp_path / "train.txt"], [tmp_path / "valid.txt"])
    (tmp_path / "one.txt").write_text(rows[0])
    with pytest.raises(DataError, match="the valid split would be empty: 1 fact is too few"):
        import_events("mine", find_sources([tmp_path / "one.txt"]))


def test_names_are_checked() -> None:
    check_name("My-data_1.0", ["world"])
    for bad in ("", ".hidden", "a b", "ä", "-x"):
        with pytest.raises(DataError, match="is not a good name"):
            check_name(bad, ["world"])
    with pytest.raises(DataError, match="'world' is a name of the catalog"):
        check_name("world", ["world"])
