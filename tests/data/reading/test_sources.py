"""Several files, folders, standard input, JSON lines and frames."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import polars as pl
import pytest

from tests.data.test_event_tables import read, texts, write
from tgap.data import load_dataset
from tgap.data.dataset import DataWarning
from tgap.data.event_tables import read_events
from tgap.data.reading import BadRowsError, Layout, Sources, TableSource, find_sources
from tgap.errors import DataError

ONE, TWO = "A\tr\tB\t2014-01-05\n", "C\tr\tA\t2014-01-01\n"


def test_several_files_are_read_as_one(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.txt", ONE), write(tmp_path / "b.csv", "C,r,A,2014-01-01\n")]
    events = read_events(find_sources(paths))
    assert texts(events) == [("C", "r", "A", "2014-01-01"), ("A", "r", "B", "2014-01-05")]
    assert len(events.parts) == 1
    assert events.forms == ["tab separated", "comma separated"]
    header = write(tmp_path / "c.csv", "time,object,relation,subject\n2014-01-03,B,r,C\n")  # in an order of its own
    assert texts(read_events(find_sources([*paths, header])))[1] == ("C", "r", "B", "2014-01-03")


def test_a_folder_of_tables(tmp_path: Path) -> None:
    write(tmp_path / "2.txt.gz", gzip.compress(TWO.encode()))
    write(tmp_path / "1.txt", ONE)
    write(tmp_path / "README.md", "no table")
    write(tmp_path / ".hidden.txt", "nor this")
    found = find_sources([tmp_path])
    assert found.names == ["1.txt", "2.txt.gz"]
    assert not found.divided
    assert len(texts(read_events(found))) == 2
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"is a directory without tables in it; expected files that end in \.txt"):
        find_sources([tmp_path / "empty"])


@pytest.mark.parametrize("suffix", [".txt", ".csv.gz", ".parquet", ".jsonl"])
def test_a_folder_that_is_divided(tmp_path: Path, suffix: str) -> None:
    for split in ("train", "valid", "test"):
        (tmp_path / f"{split}{suffix}").touch()
    (tmp_path / "entity2id.txt").touch()
    found = find_sources([tmp_path])
    assert found.names == [f"{split}{suffix}" for split in ("train", "valid", "test")]
    assert found.part == (0, 1, 2)


def test_a_divided_folder_is_a_dataset(tmp_path: Path) -> None:
    for split in ("train", "valid", "test"):
        write(tmp_path / f"{split}.csv", f"A,r,B_{split},01/02/2018\n")
    with pytest.warns(DataWarning, match="day and month could be meant either way in every row; .* `day_first` turns"):
        dataset = load_dataset(tmp_path)
    assert (len(dataset.train), dataset.name, dataset.timeline.format(0)) == (1, tmp_path.name, "2018-01-02")


def test_what_cannot_be_a_source(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file to read"):
        find_sources([])
    with pytest.raises(DataError, match=r"standard input \(-\) can be read only once"):
        find_sources([Path("-"), Path("-")])
    with pytest.raises(DataError, match="`valid` is missing"):
        find_sources([tmp_path], test=[tmp_path])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Piped:
        buffer = io.BytesIO(gzip.compress((ONE + "A\tr\n").encode()))

    monkeypatch.setattr("sys.stdin", Piped())
    with pytest.raises(BadRowsError, match="standard input, line 2: 2 fields, expected 4"):
        read_events(find_sources([Path("-")]))


def test_json_lines(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "when": 2014, "head": "A", "relation": "r", "tail": 'B "b"\u00a0', "tags": ["x"]},
        {"when": 2015.0, "head": "C", "relation": "r", "tail": True, "extra": {"a": 1}},
    ]
    path = write(tmp_path / "e.jsonl", "\n".join(json.dumps(row) for row in rows) + "\n\n")
    events = read([path])
    assert texts(events) == [("A", "r", 'B "b"\u00a0', "2014"), ("C", "r", "true", "2015")]
    assert events.forms == ["JSON lines"]
    with pytest.raises(DataError, match="the column for object holds lists, expected text"):
        read([path], Layout(object="tags"))
    unnamed = write(tmp_path / "e.txt", path.read_bytes())  # known by its first letter
    assert texts(read([unnamed])) == texts(events)


def test_bad_json_lines_are_told(tmp_path: Path) -> None:
    good = '{"s": "A", "r": "r", "o": "B", "t": 2014}\n'
    bad = ['{"s": "A", "r"', "[1, 2]", '{"s": "\\ud800", "r": "r", "o": "B", "t": 2014}', '{"s": "A"}']
    layout = Layout(subject="s", relation="r", object="o", time="t")
    with pytest.raises(BadRowsError) as caught:
        read([write(tmp_path / "e.jsonl", good + "\n".join(bad) + "\n")], layout)
    reasons = [(reject.number, reject.reason.partition(" (")[0]) for reject in caught.value.rejects]
    assert reasons == [
        (2, "not JSON"),
        (3, "not a JSON object; expected {...}"),
        (4, "half a character"),
        (5, "the relation is empty"),
    ]
    assert caught.value.rejects[1].raw == b"[1, 2]"
    broken = write(tmp_path / "b.jsonl", good.encode() + b'{"s": "\xff"}\n')
    with pytest.raises(BadRowsError, match="line 2: not UTF-8"):
        read([broken], layout)
    with pytest.raises(DataError, match="no line of the file is a JSON object"):
        read([write(tmp_path / "c.jsonl", "[]\n")])


def test_a_frame_in_memory() -> None:
    frame = pl.DataFrame({"subject": ["A"], "relation": ["r"], "object": ["B"], "time": [2014]})
    events = read_events(Sources((TableSource("my frame", frame=frame),), (0,)))
    assert texts(events) == [("A", "r", "B", "2014")]
    with pytest.raises(DataError, match="my frame: the frame is empty"):
        read_events(Sources((TableSource("my frame", frame=frame.clear()),), (0,)))


def test_tables_must_agree(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.txt", ONE), write(tmp_path / "b.txt", "A\tr\tB\t2001\t2005\n")]
    with pytest.raises(DataError, match=r"a\.txt and .*b\.txt have different columns; name them with `subject`"):
        read_events(find_sources(paths))
