"""tgap complete on the command line: what is asked, and what is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Fact
from tgap.cli.main import run as tgap


def test_all_about_a_relation(run_folder: Path, fact: Fact, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, relation, _, time = fact
    out = tmp_path / "answers"
    line = ["complete", str(run_folder), "--relation", relation, "--from", time, "--to", time, "--out", str(out)]
    assert tgap([*line, "--top", "2"]) == 0
    assert f"wrote {out}" in capsys.readouterr().err
    answers = pl.read_parquet(out / "part-*.parquet")
    assert set(answers["relation"]) == {relation}
    assert set(answers["time"]) == {time}
    assert answers["object"].null_count() == answers.height
    assert answers.group_by("question").len()["len"].max() == 2
    assert tgap([*line, "--top", "3"]) == 2
    assert "holds answers to other questions or of another model" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_questions_of_a_file_to_a_file(run_folder: Path, fact: Fact, tmp_path: Path, ending: str) -> None:
    subject, relation, obj, time = fact
    asked, out = tmp_path / "questions.csv", tmp_path / f"answers.{ending}"
    rows = [(subject, relation, "?", time), ("Nobody", relation, "", time), ("", relation, obj, time)]
    pl.DataFrame(rows, schema=["subject", "relation", "object", "time"], orient="row").write_csv(asked)
    assert tgap(["complete", str(run_folder), "--ask", str(asked), "--out", str(out), "--top", "2"]) == 0
    answers = (
        pl.read_csv(out) if ending == "csv" else pl.read_parquet(out) if ending == "parquet" else pl.read_ndjson(out)
    )
    assert answers["question"].to_list() == [0, 0, 1, 2, 2]
    assert "Nobody" in answers.filter(pl.col("question") == 1)["error"].item()
    assert answers.filter(pl.col("question") == 1)["answer"].null_count() == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--relation", "x", "--from", "2014-01-01"], "--to is missing; give --ask FILE, or --relation"),
        (["--ask", "q.csv", "--to", "2014-01-01"], "--ask does not go with --to"),
        (["--ask", "absent.csv"], "cannot read absent.csv"),
    ],
)
def test_mistakes_are_named(
    run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    out = tmp_path / "answers"
    assert tgap(["complete", str(run_folder), *words, "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_reasons_need_a_walk(fact: Fact, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, relation, _, time = fact
    out = tmp_path / "answers"
    span = ["--relation", relation, "--from", time, "--to", time, "--out", str(out)]
    assert tgap(["complete", "recency", "--dataset", "world", *span, "--evidence", "1"]) == 2
    assert "recency gives answers without reasons" in capsys.readouterr().err
    assert not out.exists()
