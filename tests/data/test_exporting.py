"""What is exported is read back as the same dataset; N-Quads are what the W3C says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tgap.data import Dataset, Facts, Timeline, Vocabulary, load_dataset
from tgap.data.exporting import FORMATS, export, export_folder, format_of
from tgap.data.facts import Fact
from tgap.data.importing import import_events
from tgap.data.reading import find_sources
from tgap.errors import DataError

TERM = r'(<[^\x00-\x20<>"{}|^`\\]+>|_:t[0-9]+|"(?:[^"\\\n\r]|\\[nrt"\\])*"(?:\^\^<[^<> ]+>)?)'
QUAD = re.compile(rf"{TERM} {TERM} {TERM}(?: {TERM})? \.")


def tiny(unit: str = "day", style: str = "%Y-%m-%d", entities: tuple[str, ...] = ("A", "B")) -> Dataset:
    first = {"day": 16071, "year": -2, "month": 24_000, "hour": 385_704, "integer": 7, "week": 2297}[unit]
    line = Timeline(unit, first, first + 9, style)  # type: ignore[arg-type]
    facts = Facts.of([Fact(0, 0, 1, 0), Fact(1, 0, 0, 9)])
    return Dataset(
        "tiny", Vocabulary(entities, "entity"), Vocabulary(["r"], "relation"), line, facts, facts[:1], facts[1:]
    )


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_there_and_back(tmp_path: Path, form: str) -> None:
    world = load_dataset("world")
    path = tmp_path / f"world.{form}"
    path.write_bytes(export(world, form))
    assert import_events("world", find_sources([path])).dataset.checksum == world.checksum
    path.write_bytes(export(world, form, ("test",)))
    again = import_events("test", find_sources([path]))  # one split only: divided by rule
    assert again.origin.endswith("random split 80/10/10, seed 0")


def test_a_folder_in_the_public_form(tmp_path: Path) -> None:
    world = load_dataset("world")
    for split, content in zip(world.splits, export_folder(world), strict=True):
        (tmp_path / f"{split}.txt").write_bytes(content)
    assert (tmp_path / "train.txt").read_text().splitlines()[0] == "Drastova\tCriticize\tKarsova\t2012-01-01"
    assert load_dataset(tmp_path).checksum == world.checksum


def test_odd_names_survive_where_they_can(tmp_path: Path) -> None:
    odd = tiny(entities=('"A", b\n', "\u00a0é\t"))
    for form in ("csv", "jsonl", "parquet"):
        path = tmp_path / f"odd.{form}"
        path.write_bytes(export(odd, form))
        assert set(import_events("odd", find_sources([path])).dataset.entities) == set(odd.entities)
    with pytest.raises(DataError, match=r"4 facts have a tab or line end in a name .* export CSV, JSON lines or Parq"):
        export(odd, "tsv")
    assert all(QUAD.fullmatch(line) for line in export(odd, "nquads").decode().splitlines())


@pytest.mark.parametrize(
    ("unit", "style", "expected"),
    [
        ("day", "%Y-%m-%d", '<http://www.w3.org/2006/time#inXSDDate> "2014-01-01"^^<{}date>'),
        ("year", "%d", '<http://www.w3.org/2006/time#inXSDgYear> "-0002"^^<{}gYear>'),
        ("month", "%Y-%m", '<http://www.w3.org/2006/time#inXSDgYearMonth> "2000-01"^^<{}gYearMonth>'),
        ("hour", "%Y-%m-%d %H", '<http://www.w3.org/2006/time#inXSDDateTimeStamp> "2014-01-01T00:00:00Z"^^<{}dateTime'),
        ("integer", "%d", '_:t0 <http://www.w3.org/2006/time#numericPosition> "7"^^<{}decimal>'),
    ],
)
def test_instants_are_named_graphs_with_a_time(unit: str, style: str, expected: str) -> None:
    content = export(tiny(unit, style), "nquads").decode()
    assert expected.format("http://www.w3.org/2001/XMLSchema#") in content
    assert "<urn:tgap:entity:A> <urn:tgap:relation:r> <urn:tgap:entity:B> <urn:tgap:time:" in content
    assert '<urn:tgap:entity:A> <http://www.w3.org/2000/01/rdf-schema#label> "A" .' in content
    assert all(QUAD.fullmatch(line) for line in content.splitlines())
    assert len(content.splitlines()) == len(set(content.splitlines()))  # a graph holds a triple once


def test_names_that_are_iris_stay_so() -> None:
    content = export(tiny(entities=("http://example.org/a", "<http://example.org/b>")), "nquads").decode()
    assert "<http://example.org/a> <urn:tgap:relation:r> <http://example.org/b> <urn:tgap:time:2014-01-01> ." in content
    assert '<http://example.org/b> <http://www.w3.org/2000/01/rdf-schema#label> "<http://example.org/b>" .' in content


def test_forms_by_name() -> None:
    assert {format_of(Path(f"x.{suffix}")) for suffix in ("csv", "TSV", "jsonl", "parquet", "nq")} == set(FORMATS)
    with pytest.raises(DataError, match=r"'x\.xlsx' ends in none of \.csv, .*; name the form with `format`"):
        format_of(Path("x.xlsx"))
