"""The tutorial's code runs as it stands: with the pretrained world, or with an untrained one where none is shipped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.predict.run_folder import make_run
from tgap.runs import folder, shipped_runs

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


def blocks() -> list[tuple[int, str]]:
    """(line, code) of every Python block."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start()) + 2, match.group(1)) for match in found]


def test_every_block_runs_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "world" not in shipped_runs():
        make_run(tmp_path / "pretrained" / "world")
        monkeypatch.setattr(folder, "pretrained_places", lambda: [tmp_path / "pretrained"])
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    for line, code in blocks():
        compiled = compile("\n" * (line - 1) + code, str(PAGE), "exec")  # errors name the page's own line
        exec(compiled, space)  # noqa: S102
    printed = capsys.readouterr().out
    assert "did you mean 'Meridona'" in printed
    assert "lies outside the data" in printed
    assert {path.name for path in tmp_path.glob("why.*")} == {"why.html", "why.png", "why.json"}
    assert (tmp_path / "profile.svg").stat().st_size > 1000
