"""Facts that join a dataset: checked, once, in versions that can be taken back, and whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tgap.cli.main import run as tgap
from tgap.data import Dataset, load_dataset
from tgap.data.catalog import journal_of
from tgap.data.journal import Appended, read_appendable
from tgap.data.reading import of_files
from tgap.errors import DataError

NEW = "subject,relation,object,time\nMeridona,Visit,Newland,2014-01-05\nNewland,Salute,Meridona,2014-01-06\n"


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TGAP_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def append(text: str, folder: Path, name: str = "world") -> Appended:
    file = folder / "events.csv"
    file.write_text(text)
    base = load_dataset(name).base
    return journal_of(name).append(base, read_appendable(of_files([file]), base), file.name)


def world() -> Dataset:
    return load_dataset("world")


def test_appended_facts_are_context_and_change_neither_splits_nor_checksum(tmp_path: Path) -> None:
    before = world()
    found = append(NEW, tmp_path)
    after = world()
    assert (found.version, found.added, found.repeated) == (1, 2, 0)
    assert (found.entities, found.relations, found.alike) == (("Newland",), ("Salute",), ())
    assert after.entities.names == (*before.entities.names, "Newland")
    assert after.relations.names == (*before.relations.names, "Salute")
    assert [len(after.splits[split]) for split in before.splits] == [len(facts) for facts in before.splits.values()]
    assert after.checksum == before.checksum
    assert after.base.num_entities == before.num_entities
    assert [after.timeline.format(int(time)) for time in after.context.time] == ["2014-01-05", "2014-01-06"]
    assert after.timeline.format(after.timeline.span) == "2014-01-06"
    assert "context 2" in repr(after)


def test_what_is_known_joins_no_second_time(tmp_path: Path) -> None:
    names, fact = world(), world().test[3]
    ends = names.entities.name(fact.subject), names.entities.name(fact.object)
    known = f"{ends[0]},{names.relations.name(fact.relation)},{ends[1]},{names.timeline.format(fact.time)}\n"
    first = append(NEW + NEW.splitlines()[1] + "\n" + known, tmp_path)
    assert (first.added, first.repeated) == (2, 2)
    again = append(NEW, tmp_path)
    assert (again.version, again.added, again.repeated) == (1, 0, 2)
    assert append(NEW.replace("05", "07"), tmp_path).version == 2


def test_versions_are_taken_back_newest_first(tmp_path: Path) -> None:
    append(NEW, tmp_path)
    append(NEW.replace("Newland", "Otherland"), tmp_path)
    assert world().entities.names[-2:] == ("Newland", "Otherland")
    assert journal_of("world").undo()["version"] == 2
    assert world().entities.names[-1] == "Newland"
    assert [one["facts"] for one in journal_of("world").manifests()] == [2]
    journal_of("world").undo()
    assert not len(world().context)
    assert world().before is None
    with pytest.raises(DataError, match="there is nothing to undo"):
        journal_of("world").undo()


def test_a_damaged_version_is_told_and_not_half_read(tmp_path: Path) -> None:
    append(NEW, tmp_path)
    version = journal_of("world").folder / "000001"
    (version / "facts.parquet").write_bytes(b"nonsense")
    with pytest.raises(DataError, match="does not match the checksum"):
        world()
    manifest = version / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "dataset": "another"}))
    with pytest.raises(DataError, match="was appended to another version of world"):
        world()
    manifest.write_text("{}")
    with pytest.raises(DataError, match="is damaged"):
        world()


def test_bad_rows_and_times_before_the_dataset_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="lies before the dataset, which begins 2012-01-01"):
        append(NEW.replace("2014-01-05", "1999-01-05"), tmp_path)
    with pytest.raises(DataError, match="soon"):
        append(NEW.replace("2014-01-05", "soon"), tmp_path)
    assert journal_of("world").version == 0


def test_names_that_are_nearly_known_are_pointed_out(tmp_path: Path) -> None:
    found = append(NEW.replace("Newland", "jalendra"), tmp_path)
    assert found.alike == (("jalendra", "Jalendra"),)


def test_a_folder_has_its_journal_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for split, day in (("train", 1), ("valid", 2), ("test", 3)):
        (folder / f"{split}.txt").write_text(f"a\tr\tb\t2014-01-0{day}\n")
    found = append(
        "s,r,o,t\na,r,c,2014-01-04\n".replace("s,r,o,t", "subject,relation,object,time"), tmp_path, str(folder)
    )
    assert found.entities == ("c",)
    assert (tmp_path / ".appended" / "mine" / "000001").is_dir()
    np.testing.assert_array_equal(load_dataset(str(folder)).context.time, [3])


def test_the_command_appends_lists_and_takes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tomorrow.csv"
    file.write_text(NEW)
    assert tgap(["data", "append", "world", str(file)]) == 0
    said = capsys.readouterr().out
    assert "version 1: 2 facts of 2014-01-05 to 2014-01-06 joined as context; none known already" in said
    assert "new entities, which no model was trained on: 'Newland'" in said
    assert "new relations, which no model was trained on: 'Salute'" in said
    assert tgap(["data", "append", "world", "--list"]) == 0
    assert "2 facts  tomorrow.csv" in capsys.readouterr().out
    assert tgap(["data", "append", "world", str(file)]) == 0
    assert "nothing is new: 2 known already" in capsys.readouterr().out
    assert tgap(["data", "append", "world", "--undo"]) == 0
    assert "version 1 taken back: 2 facts, tomorrow.csv" in capsys.readouterr().out
    assert tgap(["data", "append", "world"]) == 2
    assert "no file was given" in capsys.readouterr().err
    assert tgap(["data", "append", "world", str(file), "--undo"]) == 2
