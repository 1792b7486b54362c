"""The demo on a run that is already trained: evaluation, an explained answer, the planted cause beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

from click.testing import CliRunner

from tgap.cli.main import cli
from tgap.runs import find_run


def test_a_trained_demo_goes_straight_to_an_explained_answer(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    shutil.copytree(find_run("world").path, out / "run")
    result = CliRunner().invoke(cli, ["demo", "--out", str(out)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "$ tgap train" not in result.output
    assert "rank 1" in result.output, "the demo shows an answer that the model gets right"
    assert "(among the strongest edges above)" in result.output, "and for the planted reason"
    assert (out / "report.html").read_text().startswith("<!DOCTYPE html>")
