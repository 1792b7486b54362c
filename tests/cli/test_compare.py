"""tgap compare as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from tgap.cli.main import cli


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["compare", *arguments])


def test_a_comparison_is_written_in_four_forms(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("world", "--methods", "recency,frequency", "--limit", "60", "--out", str(out), "--threads", "1")
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    assert "recency: ranking" in result.output
    assert sorted(path.name for path in out.iterdir()) == [
        *(f"comparison.{ending}" for ending in ("csv", "html", "json", "md")),
        "ranks",
    ]
    again = call(*arguments)
    assert "ranking" not in again.output
    assert len(json.loads((out / "comparison.json").read_text())["methods"]) == 2


def test_mistakes_get_one_line(tmp_path: Path) -> None:
    for arguments, message in (
        (("world", "--methods", "oracle"), "error: unknown method 'oracle'"),
        (("world", "--run", "tgap"), "error: --run 'tgap' is not METHOD=RUN"),
        (("no-such-data", "--methods", "recency"), "no-such-data"),
    ):
        result = call(*arguments, "--out", str(tmp_path / "out"))
        assert result.exit_code == 2
        assert message in result.output
