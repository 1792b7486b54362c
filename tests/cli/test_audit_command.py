"""tgap audit as a user runs it: on a folder of facts and a file of scores."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.evaluation.audit.planted import honest, town
from tgap.cli.main import cli
from tgap.runs.folder import shipped_runs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The town as a folder of three files."""
    place = tmp_path / "town"
    place.mkdir()
    data = town()
    for split, facts in data.splits.items():
        lines = [
            "\t".join((data.entities.name(s), data.relations.name(r), data.entities.name(o), data.timeline.format(t)))
            for s, r, o, t in facts
        ]
        (place / f"{split}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["audit", *map(str, arguments), "--bootstrap", "50"])


def test_an_honest_file_beside_a_baseline(folder: Path, tmp_path: Path) -> None:
    program = honest()
    path = program.npz(tmp_path / "theirs.npz", answer_score=program.own)
    result = run(folder, path, "--against", "recency", "--json", tmp_path / "a.json", "--markdown", tmp_path / "a.md")
    assert result.exit_code == 0, result.output
    assert "fault" not in result.output
    assert "ok    Is the answer scored as the candidates are?" in result.output
    assert "intervals of theirs minus another method" in result.output
    document = json.loads((tmp_path / "a.json").read_text())
    assert document["faults"] == 0
    assert document["report"]["differences"]["recency"]["time"]["mrr"]["high"] < 1
    assert "theirs" in (tmp_path / "a.md").read_text()


def test_a_fault_is_said_and_is_the_exit_code(folder: Path, tmp_path: Path) -> None:
    program = honest()
    path = program.npz(tmp_path / "lifted.npz", answer_score=program.own + 1)
    result = run(folder, path, "--name", "lifted", "--protocol", "time")
    assert result.exit_code == 1
    assert "fault Is the answer scored as the candidates are?" in result.output
    assert "Filter raw:" not in result.output


def test_what_to_compare_with_is_named(folder: Path, tmp_path: Path) -> None:
    result = run(folder, honest().npz(tmp_path / "theirs.npz"), "--against", "WRONG")
    assert result.exit_code == 2
    shipped = f"a shipped run ({', '.join(shipped_runs())})"
    assert f"--against 'WRONG' is nothing of ours; expected a run folder, {shipped}" in result.output
    assert re.search(r"\(recency, frequency.*\) or package.module:Class$", result.output.strip())


def test_json_alone_on_standard_output(folder: Path, tmp_path: Path) -> None:
    result = run(folder, honest().parquet(tmp_path / "top.parquet", 8), "--rest", "-9", "--json", "-")
    assert result.exit_code == 0, result.output
    document = json.loads(result.output)
    assert document["scores"] == {"file": "top.parquet", "shape": "the best 8 entities of each query", "rest": -9.0}


def test_names_of_columns_from_a_file(folder: Path, tmp_path: Path) -> None:
    import polars as pl

    program = honest()
    path, names = tmp_path / "full.parquet", tmp_path / "entities.txt"
    pl.DataFrame({**program.columns(), "scores": program.scores.tolist()}).write_parquet(path)
    names.write_text("\n".join(town().entities.names) + "\n", encoding="utf-8")
    assert run(folder, path, "--entities", names).exit_code == 0
    missing = run(folder, path)
    assert missing.exit_code == 2
    assert "--entities" in missing.output
    assert run(folder, path, "--entities", tmp_path / "none.txt").exit_code == 2


def test_mistakes_are_one_line(folder: Path, tmp_path: Path) -> None:
    for arguments, message in (
        ((folder, tmp_path / "none.npz"), "cannot read"),
        ((folder, honest("valid").npz(tmp_path / "valid.npz")), "they are the valid split of town"),
        ((folder, honest().npz(tmp_path / "recency.npz"), "--against", "recency"), "have the same name"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert message in result.output
        assert result.output.startswith("error: ")
        assert result.output.count("\n") == 1


def test_a_run_of_another_dataset_is_no_comparison(folder: Path, tmp_path: Path, run_folder: Path) -> None:
    result = run(folder, honest().npz(tmp_path / "theirs.npz"), "--against", run_folder)
    assert result.exit_code == 2
    assert "which is not the town that is audited" in result.output
