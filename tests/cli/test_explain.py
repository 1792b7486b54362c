"""tgap explain on a real run folder: tables, files, pictures."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from tests.asking.run_folder import make_run
from tgap.cli.main import cli
from tgap.data import load_dataset


def call(*arguments: str | Path, columns: int = 160) -> Result:
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(cli, ["explain", *map(str, arguments)])


def test_the_sentence_leads_and_the_measurements_follow(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    result = call(run_folder, *fact)
    assert result.exit_code == 0, result.output
    document = json.loads(call(run_folder, *fact, "--json", "-").output)
    flat = " ".join(result.output.split())
    parts = (
        " ".join(document["sentence"].split()),
        "What each event does",
        "What events do together",
        "Are few enough?",
    )
    places = [flat.index(part) for part in (*parts, "How attention came", "When:")]
    assert places == sorted(places)
    assert "Step 1" not in result.output


def test_the_walk_is_told_where_it_is_wanted(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    result = call(run_folder, *fact, "--walk", "--edges", "2", "--paths", "3")
    assert result.exit_code == 0, result.output
    for words in ("Step 1", "Step 2", "Step 3", "Paths to the answer", "edges within reach", "self-loops", fact[2]):
        assert words in result.output


def test_a_narrow_screen_shows_an_edge_as_one_clause(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    wide, narrow = (call(run_folder, *fact, "--walk", columns=columns).output for columns in (96, 80))
    assert " subject " in wide
    assert " subject " not in narrow
    assert max(len(line) for line in narrow.splitlines()) <= 80
    for heading in ("displacement", "attention", "of answer", "without it"):
        assert heading in narrow


def test_the_asked_fact_is_hidden_unless_it_is_to_be_shown(run_folder: Path) -> None:
    world = load_dataset("world")
    first, names = world.train[0], world.entities
    fact = (names.name(first.subject), world.relations.name(first.relation), names.name(first.object))
    asked = (*fact, world.timeline.format(first.time))
    hidden, shown = (
        json.loads(call(run_folder, *asked, *more, "--json", "-").output) for more in ((), ("--show-asked",))
    )
    assert hidden["asked_fact_hidden"]
    assert not shown["asked_fact_hidden"]
    named = [tuple(row[part] for part in ("subject", "relation", "object", "time")) for row in hidden["evidence"]]
    assert asked not in named
    assert asked in [
        tuple(row[part] for part in ("subject", "relation", "object", "time")) for row in shown["evidence"]
    ]


def test_as_many_facts_are_tried_as_wanted(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    document = json.loads(call(run_folder, *fact, "--effects", "3", "--chains", "2", "--json", "-").output)
    assert len(document["evidence"]) == 3
    assert len(document["chains"]["chains"]) == 2


def test_every_file_is_written(run_folder: Path, fact: tuple[str, str, str, str], tmp_path: Path) -> None:
    targets = {
        "--json": tmp_path / "why.json",
        "--html": tmp_path / "deep" / "why.html",
        "--figure": tmp_path / "why.png",
        "--profile": tmp_path / "profile.svg",
        "--trace": tmp_path / "trace.parquet",
    }
    result = call(run_folder, *fact, *(part for pair in targets.items() for part in pair))
    assert result.exit_code == 0, result.output
    assert json.loads(targets["--json"].read_text(encoding="utf-8"))["schema"] == "tgap.explanation/3"
    assert targets["--html"].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert targets["--figure"].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in targets["--profile"].read_bytes()
    trace = pl.read_parquet(targets["--trace"])
    assert trace.filter(pl.col("step") == 1)["attention"].sum() == pytest.approx(1, abs=1e-4)
    svg = tmp_path / "why.svg"
    csv = tmp_path / "trace.csv"
    assert call(run_folder, *fact, "--figure", svg, "--trace", csv).exit_code == 0
    assert svg.read_text(encoding="utf-8").startswith("<svg xmlns")
    assert csv.read_text(encoding="utf-8").startswith("step,subject,relation")


def test_json_alone_on_standard_output(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    subject, relation, obj, time = fact
    result = call(run_folder, "?", relation, obj, time, "--answer", subject, "--json", "-")
    document = json.loads(result.output)
    assert document["answer"]["name"] == subject
    assert document["question"]["asks"] == "subject"


def test_an_unknown_ending_is_refused_before_any_work() -> None:
    result = call("no/such/run", "a", "b", "2012-01-01", "--figure", "why.bmp")
    assert result.exit_code == 2
    assert "why.bmp has no known ending; use .png, .svg, .pdf" in result.output


def test_a_method_without_a_walk_says_so_and_shows_the_nearest_facts(
    fact: tuple[str, str, str, str], tmp_path: Path
) -> None:
    run = make_run(tmp_path / "recency", method="recency")
    result = call(run, *fact)
    assert result.exit_code == 0, result.output
    assert "recency has no walk to show" in " ".join(result.output.split())
    document = json.loads(call(run, *fact, "--json", "-").output)
    assert document["scorer"] == "recency"
    for wanted in (("--figure", tmp_path / "why.png"), ("--walk",)):
        refused = call(run, *fact, *wanted)
        assert refused.exit_code == 2
        assert "recency gives answers without reasons" in refused.output
