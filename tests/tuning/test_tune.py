"""The command as people use it: real training of a small method, real processes, kill -9."""

from __future__ import annotations

import csv
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.processes import start
from tgap.cli.main import run as tgap
from tgap.methods import config_for, parse_config
from tgap.runs.folder import RunFolder
from tgap.tuning.space import read_space
from tgap.tuning.study import StudyFolder, ask

QUICK = ["--method", "distmult", "--threads", "1", "--set", "validation_queries=50", "--set", "validate_every=0.5"]
SPACE = """
search = "in turn"
metric = "hits1"
[settings]
"model.rank" = [4, 8]
"training.learning_rate" = [0.01, 0.03]
"""


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "trials.csv").open() as file:
        return list(csv.DictReader(file))


def steps(run: RunFolder) -> int:
    """Steps at the newest line of the run's metrics."""
    lines = run.metrics()
    return int(lines[-1]["step"]) if lines else 0


@pytest.fixture
def space(tmp_path: Path) -> Path:
    file = tmp_path / "space.toml"
    file.write_text(SPACE)
    return file


def test_one_after_the_other_to_settings_that_can_be_trained(
    tmp_path: Path, space: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "search"
    line = ["tune", *QUICK, "--space", str(space), "--set", "epochs=0.5", "--set", "model.rank=4", "--out", str(out)]
    assert tgap(line) == 0
    printed = capsys.readouterr().out
    assert f"tgap train --config {out}/best.toml" in printed
    found = rows(out)
    # Two ranks at the rate of the preset, then two other rates at the better rank.
    assert [row["state"] for row in found] == ["done"] * 4
    assert [row["model.rank"] for row in found[:2]] == ["4", "8"]
    better = max(found[:2], key=lambda row: float(row["hits1"]))["model.rank"]
    assert {row["model.rank"] for row in found[2:]} == {better}
    best = max(found, key=lambda row: float(row["hits1"]))
    config = parse_config((out / "best.toml").read_text())
    assert str(dict(config.model)["rank"]) == best["model.rank"]
    assert config.training.learning_rate == float(best["training.learning_rate"])
    assert config.training.select_by == "hits1"
    assert (out / "tuning.png").read_bytes().startswith(b"\x89PNG")
    assert tgap(line) == 0, "nothing is left to do"
    assert rows(out) == found
    capsys.readouterr()
    assert tgap(["train", "--config", str(out / "best.toml"), "--show-config"]) == 0
    assert parse_config(capsys.readouterr().out) == config


def test_a_search_that_was_killed_goes_on_with_the_trial_at_hand(tmp_path: Path) -> None:
    out = tmp_path / "search"
    line = [*QUICK, "--set", "epochs=200", "--set", "patience=0", "--set", "checkpoint_minutes=0.001"]
    line += ["--trials", "1", "--out", str(out)]
    run = RunFolder(out / "trials" / "0000")
    killed = start(tmp_path / "killed.log", "tune", *line)
    killed.wait_until(lambda: steps(run))
    killed.send(signal.SIGKILL)
    killed.finish(-signal.SIGKILL)
    before = steps(run)
    assert before > 0
    going_on = start(tmp_path / "going_on.log", "tune", *line)
    going_on.wait_until(lambda: steps(run) > before)
    going_on.send(signal.SIGINT)
    assert "the same command goes on from here" in going_on.finish(128 + signal.SIGINT)
    assert steps(run) > before
    assert [entry.name for entry in sorted((out / "trials").iterdir()) if entry.is_dir()] == ["0000"]


def test_two_processes_share_a_search(tmp_path: Path, space: Path) -> None:
    out = tmp_path / "search"
    line = [*QUICK, "--space", str(space), "--set", "epochs=0.2", "--set", "model.rank=4", "--out", str(out)]
    both = [start(tmp_path / f"{number}.log", "tune", *line) for number in range(2)]
    for process in both:
        process.finish()
    assert len(rows(out)) == 4
    assert {row["state"] for row in rows(out)} == {"done"}


def test_hopeless_settings_fail_and_the_others_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "space.toml"
    file.write_text('search = "in turn"\n[settings]\n"training.learning_rate" = [0.1, 1e30]\n')
    out = tmp_path / "search"
    line = ["tune", *QUICK, "--space", str(file), "--set", "epochs=0.2", "--set", "rank=4", "--out", str(out)]
    assert tgap(line) == 0
    assert "failed" in capsys.readouterr().out
    assert parse_config((out / "best.toml").read_text()).training.learning_rate < 1e30


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--space", "nothing"], "--space 'nothing' is no file and no space of distmult; distmult has default"),
        ([], "give --minutes or --trials"),
        (["--trials", "1", "--set", "rank=0"], "model.rank is 0; expected at least 1"),
    ],
)
def test_mistakes_get_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert tgap(["tune", *QUICK, "--out", str(tmp_path / "search"), *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not (tmp_path / "search").exists()


def test_a_space_that_is_no_toml_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "space.toml").write_text("[settings")
    assert tgap(["tune", *QUICK, "--trials", "1", "--space", str(tmp_path / "space.toml")]) == 2
    error = capsys.readouterr().err
    assert f"cannot read the space {tmp_path / 'space.toml'}" in error
    assert error.count("\n") == 1


def test_a_folder_with_another_search_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["tune", *QUICK, "--set", "epochs=0.1", "--trials", "1", "--out", str(tmp_path / "search")]
    assert tgap([*line, "--set", "rank=4"]) == 0
    assert tgap([*line, "--set", "rank=5"]) == 2
    assert "holds a search with other settings" in capsys.readouterr().err


def test_without_optuna_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(("optuna", "tgap.tuning"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert tgap(["tune", *QUICK, "--trials", "1", "--out", str(tmp_path / "search")]) == 2
    assert "pip install 'tgap[tune]'" in capsys.readouterr().err


def test_the_space_can_be_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert tgap(["tune", "--space", "paper", "--show-space"]) == 0
    printed = capsys.readouterr().out
    assert 'search = "in turn"' in printed
    assert "learning_rate" in printed


def test_config_and_what_it_says_do_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(config_for("distmult", "world").to_toml())
    assert tgap(["train", "--config", str(file), "--method", "tgap"]) == 2
    assert "--config does not go with --method tgap" in capsys.readouterr().err
    assert tgap(["train", "--config", str(tmp_path / "none.toml")]) == 2
    assert "No such file" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["settings.toml"]


def test_workers_need_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert tgap(["tune", "--dataset", "world", "--trials", "1", "--workers", "2"]) == 2
    assert "--workers 2 needs --ray; without it, run the same command several times at once" in capsys.readouterr().err


def test_processes_that_share_a_search_draw_different_settings(tmp_path: Path) -> None:
    space = read_space({"settings": {"training.learning_rate": {"low": 1e-4, "high": 1e-1, "log": True}}})
    folder = StudyFolder(tmp_path)
    drawn = []
    for _ in range(3):  # each opens the search for itself, as another process or a later call does
        trial = ask(folder.open(space, seed=0), space, {}, seed=0)
        assert trial is not None
        drawn.append(trial.params["training.learning_rate"])
    assert len(set(drawn)) == 3
