"""tgap study on a real run folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tgap.cli.main import cli


@pytest.fixture
def question(fact: tuple[str, str, str, str]) -> tuple[str, str, str]:
    subject, relation, _, time = fact
    return subject, relation, time


def call(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(cli, ["study", *map(str, arguments)])


def test_case_prints_tables_and_markdown(run_folder: Path, question: tuple[str, str, str], tmp_path: Path) -> None:
    picture = tmp_path / "case.png"
    result = call("case", run_folder, *question, "--edges", "3", "--figure", picture)
    assert result.exit_code == 0, result.output
    assert "Step 3" in result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    markdown = call("case", run_folder, *question, "--edges", "3", "--markdown", "-").output
    rows = [line for line in markdown.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert len(rows) == 9
    assert {row.split("|")[1].strip() for row in rows} == {"1", "2", "3"}


def test_case_of_the_paper_needs_its_dataset(run_folder: Path) -> None:
    result = call("case", run_folder)
    assert result.exit_code == 2
    assert "about ICEWS14" in result.output


def test_displacement_of_relations(run_folder: Path, question: tuple[str, str, str], tmp_path: Path) -> None:
    figure, document = tmp_path / "profile.png", tmp_path / "profile.json"
    result = call(
        "displacement", run_folder, "--relation", question[1], "--limit", "4", "--figure", figure, "--json", document
    )
    assert result.exit_code == 0, result.output
    assert f"{question[1]} (test, tail): 4 questions of" in result.output
    assert "edges within reach" in result.output
    found = json.loads(document.read_text(encoding="utf-8"))
    assert found["schema"] == "tgap.displacement/2"
    (profile,) = found["profiles"]
    assert profile["queries"] == 4
    assert sum(row["attention"] for row in profile["displacements"]) + profile["self_loops"] == pytest.approx(
        1, abs=1e-3
    )
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_displacement_over_a_whole_split_takes_a_sample(run_folder: Path) -> None:
    result = call("displacement", run_folder, "--side", "both", "--limit", "3", "--json", "-")
    document = json.loads(result.output)
    assert document["profiles"][0]["relation"] == "all relations"
    assert document["profiles"][0]["queries"] == 3


def test_displacement_of_an_unknown_relation(run_folder: Path) -> None:
    result = call("displacement", run_folder, "--relation", "no such thing")
    assert result.exit_code == 2
    assert "unknown relation" in result.output


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_sampling_draws_the_growing_subgraph(
    run_folder: Path, question: tuple[str, str, str], tmp_path: Path, ending: str
) -> None:
    figure = tmp_path / f"growth.{ending}"
    result = call("sampling", run_folder, *question, "--figure", figure)
    assert result.exit_code == 0, result.output
    assert "Step 1: 1 core node, 3 candidate edges, 2 added" in result.output
    assert "Step 2: 2 core nodes, 6 candidate edges, 2 added" in result.output
    assert "Step 3" not in result.output
    assert figure.stat().st_size > 1000


def test_sampling_as_trained(run_folder: Path, question: tuple[str, str, str], tmp_path: Path) -> None:
    result = call("sampling", run_folder, *question, "--as-trained", "--figure", tmp_path / "growth.png")
    assert " candidate edges, 20 added" in result.output
    assert "are shown" in result.output


def test_faithfulness_over_a_sample(run_folder: Path, tmp_path: Path) -> None:
    target, rows, figure = tmp_path / "found.json", tmp_path / "rows.jsonl", tmp_path / "curves.png"
    arguments = ("faithfulness", run_folder, "--rows", rows, "--json", target)
    result = call(*arguments, "--limit", "2")
    assert result.exit_code == 0, result.output
    assert "2 questions, the model's first answer" in result.output
    document = json.loads(target.read_text(encoding="utf-8"))
    assert document["schema"] == "tgap.faithfulness/3"
    assert document["questions"] == 2
    assert set(document["orders"]) == {"effect", "share", "attention", "pair", "recent", "random"}
    assert len(document["orders"]["effect"]["deletion"]) == 6
    before = rows.read_text(encoding="utf-8")
    again = call(*arguments, "--limit", "2", "--figure", figure)  # read from the rows
    assert again.exit_code == 0, again.output
    assert rows.read_text(encoding="utf-8") == before
    assert json.loads(target.read_text(encoding="utf-8")) == document
    assert figure.read_bytes().startswith(b"\x89PNG")
    other = call(*arguments, "--limit", "2", "--seed", "5")
    assert other.exit_code == 2
    assert "were made with another model" in other.output
    whole = rows.read_text(encoding="utf-8")
    rows.write_text(whole[:-40], encoding="utf-8")  # stopped in the middle of a line
    assert call(*arguments, "--limit", "2").exit_code == 0
    assert rows.read_text(encoding="utf-8") == whole
    rows.write_text("{}\n[]\n", encoding="utf-8")
    assert call(*arguments, "--limit", "2").exit_code == 2


def test_causes_over_a_sample(run_folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "causes.json"
    result = call("causes", run_folder, "--limit", "8", "--json", target)
    assert result.exit_code == 0, result.output
    assert "of 8 test facts with a recorded cause are answered right" in result.output
    document = json.loads(target.read_text(encoding="utf-8"))
    assert document["schema"] == "tgap.causes/2"
    assert document["facts"] == 8
    assert 0 <= document["first"]["effect"] <= document["some"]["effect"] <= 1


def test_patterns_of_a_relation_in_words(run_folder: Path, question: tuple[str, str, str], tmp_path: Path) -> None:
    target = tmp_path / "patterns.json"
    arguments = ("patterns", run_folder, "--limit", "6", "--top", "3", "--json", target)
    result = call(*arguments, "--relation", question[1])
    assert result.exit_code == 0, result.output
    assert f"{question[1]}: 6 questions" in result.output
    document = json.loads(target.read_text(encoding="utf-8"))
    assert document["schema"] == "tgap.patterns/2"
    (found,) = document["relations"]
    assert (found["relation"], found["questions"], len(found["patterns"])) == (question[1], 6, 3)
    total = sum(pattern["share"] for pattern in found["patterns"]) + found["rest"] + found["self_loops"]
    assert total == pytest.approx(1, abs=1e-4)
    assert found["patterns"][0]["words"] in " ".join(result.output.split())
    every = call(*arguments)
    assert "All relations: 6 questions" in every.output
    assert json.loads(target.read_text(encoding="utf-8"))["relations"][0]["relation"] is None
