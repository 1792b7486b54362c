"""Renaming and merging: facts follow their names, nothing leaks, and everything can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.test_event_tables import write
from tgap.data import Dataset, Facts, Timeline, Vocabulary, load_dataset, make_world
from tgap.data.aliases import read_aliases, rename
from tgap.data.facts import Fact
from tgap.data.stored import load_stored, store_dataset, undo
from tgap.errors import DataError

ENTITIES = Vocabulary(["Ann", "Bob", "Burma", "Myanmar"], "entity")
RELATIONS = Vocabulary(["meets", "visits"], "relation")


@pytest.fixture
def dataset() -> Dataset:
    train = Facts.of([Fact(0, 0, 2, 0), Fact(0, 0, 2, 0), Fact(1, 1, 0, 0), Fact(1, 1, 0, 0)])
    valid = Facts.of([Fact(0, 0, 3, 0), Fact(1, 0, 3, 1)])
    test = Facts.of([Fact(2, 1, 1, 2), Fact(3, 1, 1, 2)])
    return Dataset("mine", ENTITIES, RELATIONS, Timeline("year", 2000, 2002, "%d"), train, valid, test)


def rows(dataset: Dataset, split: str) -> list[tuple[str, ...]]:
    return dataset.to_frame(split).drop("split").rows()


def test_renamed_facts_keep_their_place(dataset: Dataset) -> None:
    renamed = rename(dataset, [("Ann", "Zoe"), ("Bob", "Ann")])
    assert renamed.dataset.entities.names == ("Ann", "Burma", "Myanmar", "Zoe")
    assert rows(renamed.dataset, "valid") == [("Zoe", "meets", "Myanmar", "2000"), ("Ann", "meets", "Myanmar", "2001")]
    assert (renamed.names, renamed.facts, renamed.dropped) == (2, 8, 0)
    back = rename(renamed.dataset, [("Zoe", "Ann"), ("Ann", "Bob")]).dataset
    assert back.entities == dataset.entities


def test_relations_too(dataset: Dataset) -> None:
    renamed = rename(dataset, [("meets", "sees")], relations=True)
    assert renamed.dataset.relations.names == ("sees", "visits")
    assert renamed.dataset.entities is dataset.entities
    assert rows(renamed.dataset, "valid")[0][1] == "sees"


def test_merged_names_leak_nothing(dataset: Dataset) -> None:
    merged = rename(dataset, [("Burma", "Myanmar")], merge=True)
    assert merged.dataset.entities.names == ("Ann", "Bob", "Myanmar")
    assert rows(merged.dataset, "train") == [
        ("Ann", "meets", "Myanmar", "2000"),
        ("Bob", "visits", "Ann", "2000"),
        ("Bob", "visits", "Ann", "2000"),  # no business of the merge
    ]
    assert rows(merged.dataset, "valid") == [("Bob", "meets", "Myanmar", "2001")]
    assert rows(merged.dataset, "test") == [("Myanmar", "visits", "Bob", "2002")]
    assert merged.dropped == 3
    assert not merged.dataset.leaks().across_splits


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ([("Burma", "Myanmar")], "'Burma' and 'Myanmar' would both be called 'Myanmar'; if they mean the same, use"),
        ([("Ann", "X"), ("Bob", "X")], "'Ann' and 'Bob' would both be called 'X'"),
        ([("Anne", "X")], "unknown entity 'Anne'; did you mean 'Ann'"),
        ([("Ann", "X"), ("Ann", "Y")], "'Ann' is given two names, 'X' and 'Y'"),
        ([("Ann", "Ann")], "nothing would change"),
        ([], "nothing would change"),
    ],
)
def test_bad_aliases_are_told(dataset: Dataset, aliases: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        rename(dataset, aliases)


def test_causes_follow(dataset: Dataset) -> None:
    world = make_world()
    renamed = rename(world, [("Galtria", "Aaa"), ("Karsova", "Zzz")]).dataset
    assert len(renamed.causes) == len(world.causes)
    for place, cause in list(renamed.causes.items())[:50]:
        assert {name for fact in (renamed.test[place], *cause.facts) for name in (fact.subject, fact.object)}
        assert all(fact in set(renamed.train) for fact in cause.facts)


@pytest.mark.parametrize(
    "content", ["Ann,Zoe\nBob,Rob\n", "Zoe,Ann\nRob,Bob\n", "old,new\nAnn,Zoe\nBob,Rob\n", "Ann\tZoe\nBob\tRob\n"]
)
def test_files_of_aliases(tmp_path: Path, content: str) -> None:
    assert read_aliases(write(tmp_path / "a.csv", content), ENTITIES) == [("Ann", "Zoe"), ("Bob", "Rob")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Ann,Zoe,x\n", "has 3 columns; expected two, present name and other name"),
        ("Ann,Zoe\nBob\n", "line 2: 1 field, expected 2; expected two columns"),
        ("Ann,Zoe\nBob,\n", "1 lines have an empty name; mend or remove them"),
    ],
)
def test_files_that_are_no_aliases(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_aliases(write(tmp_path / "a.csv", content), ENTITIES)


def test_undo_brings_back_version_after_version(tmp_path: Path, dataset: Dataset) -> None:
    folder = tmp_path / "mine"
    store_dataset(dataset, folder, "first")
    second = rename(dataset, [("Ann", "Zoe")]).dataset
    store_dataset(second, folder, "second", replace=True, keep_previous=True)
    third = rename(second, [("Bob", "Rob")]).dataset
    store_dataset(third, folder, "third", replace=True, keep_previous=True)
    assert load_dataset(folder).checksum == third.checksum
    assert undo(folder) == "third"
    assert load_stored(folder).checksum == second.checksum
    assert undo(folder) == "second"
    assert load_stored(folder).checksum == dataset.checksum
    with pytest.raises(DataError, match="keeps no earlier version; there is nothing to undo"):
        undo(folder)
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine"]
