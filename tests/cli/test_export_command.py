from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from tests.predict.run_folder import make_run
from tgap.cli.main import cli
from tgap.runs import find_run, load_scorer


def test_the_copy_answers_with_the_settings_it_was_given(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    (tmp_path / "test.json").write_text('{"time": {"mrr": 0.5}}')
    arguments = ["export", str(tmp_path / "run"), str(tmp_path / "copy"), "--set", "core_nodes=7"]
    result = CliRunner().invoke(cli, [*arguments, "--report", f"test={tmp_path / 'test.json'}"])
    assert result.exit_code == 0, result.output
    assert "MB of weights" in result.output
    copy = load_scorer(tmp_path / "copy")
    assert copy.config.model.core_nodes == 7
    assert find_run(tmp_path / "copy").report()["test"] == {"time": {"mrr": 0.5}}
    assert not (tmp_path / "copy" / "checkpoints").exists()


def test_an_unknown_setting_is_one_line(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    result = CliRunner().invoke(cli, ["export", str(tmp_path / "run"), str(tmp_path / "copy"), "--set", "colour=7"])
    assert result.exit_code == 2
    assert "colour" in result.output
    assert not (tmp_path / "copy").exists()


def test_a_report_that_is_none_is_one_line(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    (tmp_path / "broken.json").write_text("{")
    for given in ("test", f"test={tmp_path / 'absent.json'}", f"test={tmp_path / 'broken.json'}"):
        result = CliRunner().invoke(cli, ["export", str(tmp_path / "run"), str(tmp_path / "copy"), "--report", given])
        assert result.exit_code == 2
        assert len(result.output.splitlines()) == 1
    assert not (tmp_path / "copy").exists()
