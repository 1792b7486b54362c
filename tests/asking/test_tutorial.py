"""The tutorial's code runs as it stands: with the pretrained world, or with an untrained one where none is shipped."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from tests.asking.run_folder import make_run
from tgap.runs import folder, shipped_runs

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


def blocks(language: str) -> list[tuple[int, str]]:
    """(line, content) of every block in a language."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start()) + 2, match.group(1)) for match in found]


def rounded(line: str) -> str:
    """A printed line with two decimals and single spaces and rules: last digits differ between processors."""
    line = re.sub(r"\d+\.\d+", lambda number: f"{float(number.group()):.2f}", line)
    return re.sub(r"([\s─═])\1*", r"\1", line.strip())


def test_every_block_runs_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = "world" in shipped_runs()
    if not shipped:
        make_run(tmp_path / "pretrained" / "world")
        monkeypatch.setattr(folder, "pretrained_places", lambda: [tmp_path / "pretrained"])
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    with pl.Config(tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True, tbl_width_chars=120, tbl_cols=12):
        for line, code in blocks("python"):
            compiled = compile("\n" * (line - 1) + code, str(PAGE), "exec")  # errors name the page's own line
            exec(compiled, space)  # noqa: S102
    printed = capsys.readouterr().out
    if shipped:
        lines = {rounded(line) for line in printed.splitlines()}
        shown = [line for _, text in blocks("text") for line in text.splitlines()]
        assert [line for line in shown if rounded(line) not in lines] == []
    assert "did you mean 'Meridona'" in printed
    assert "lies outside the data" in printed
    assert {path.name for path in tmp_path.glob("why.*")} == {"why.html", "why.png", "why.json"}
    assert (tmp_path / "profile.svg").stat().st_size > 1000
