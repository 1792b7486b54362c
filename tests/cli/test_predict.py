"""tgap predict on a real run folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tgap.cli.main import cli


def call(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "110"}).invoke(cli, ["predict", *map(str, arguments)])


def test_three_parts_ask_for_the_object(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    subject, relation, _, time = fact
    result = call(run_folder, subject, relation, time, "--top", "3")
    assert result.exit_code == 0, result.output
    assert f"({subject}, {relation}, ?, {time})" in result.output
    assert "probability" in result.output
    assert len([line for line in result.output.splitlines() if line.strip()[:1] in "123" and line.strip()]) == 3


def test_a_question_mark_asks_for_the_subject_in_two_ways(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    _, relation, obj, time = fact
    four = call(run_folder, "?", relation, obj, time)
    three = call(run_folder, "?", relation, time, "--object", obj)
    assert four.exit_code == 0, four.output
    assert f"(?, {relation}, {obj}, {time})" in four.output
    assert four.output == three.output


def test_a_whole_fact_tells_where_its_object_stands(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    result = call(run_folder, *fact)
    assert f"{fact[2]} has rank" in result.output


def test_known_answers_and_notes(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    subject, relation, obj, time = fact
    result = call(run_folder, subject, relation, time, "--top", "200")
    line = next(line for line in result.output.splitlines() if obj in line)
    assert "known on this day (test)" in line
    outside = call(run_folder, subject, relation, "2020-01-01")
    assert outside.exit_code == 0
    assert "note: 2020-01-01 lies outside the data" in outside.output


def test_json_alone_on_standard_output_or_in_a_file(
    run_folder: Path, fact: tuple[str, str, str, str], tmp_path: Path
) -> None:
    subject, relation, _, time = fact
    printed = call(run_folder, subject, relation, time, "--json", "-")
    document = json.loads(printed.output)
    assert document["schema"] == "tgap.prediction/1"
    assert len(document["answers"]) == 10
    target = tmp_path / "answers.json"
    written = call(run_folder, subject, relation, time, "--json", target)
    assert f"wrote {target}" in written.output
    assert json.loads(target.read_text(encoding="utf-8")) == document


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (["Nobody at all", "Visit", "2012-03-04"], "unknown"),
        (["one", "two"], "three or four parts"),
        (["a", "b", "c", "d", "--object", "e"], "given twice"),
    ],
)
def test_mistakes_end_with_code_two_and_one_line(run_folder: Path, parts: list[str], words: str) -> None:
    result = call(run_folder, *parts)
    assert result.exit_code == 2
    assert words in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_as_a_real_process(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    wrong = fact[0][:-2] + "xx"
    command = [sys.executable, "-m", "tgap.cli.main", "predict", str(run_folder), wrong, fact[1], fact[3]]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
    assert "did you mean" in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_a_missing_run_is_said_so() -> None:
    result = call("no/such/run", "a", "b", "2012-01-01")
    assert result.exit_code == 2
    assert "no run 'no/such/run'" in result.output
