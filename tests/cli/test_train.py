"""tgap train with the real model on the synthetic world: what is printed, refused, stopped, killed and resumed."""

from __future__ import annotations

import io
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from tests import processes
from tests.locks import locked_elsewhere
from tests.processes import start
from tests.training.standin import assert_same_run
from tgap.cli.main import run as tgap
from tgap.cli.train_display import Display, duration
from tgap.data import load_dataset
from tgap.kernels import num_threads, set_threads
from tgap.methods import config_for, parse_config
from tgap.runs import RunFolder, create_run, load_scorer
from tgap.training.events import Progress, Started, Stepped, Stopped, Validated
from tgap.training.state import ProtocolMetrics

TINY = {
    "dimension": 8,
    "heads": 2,
    "core_nodes": 3,
    "sampled_edges": 10,
    "added_edges": 10,
    "epochs": 0.12,
    "validate_every": 0.06,
    "validation_queries": 20,
    "log_steps": 1,
    "average_decay": 0.9,
    "checkpoint_minutes": 0.002,
}
SETTINGS = [part for key, value in TINY.items() for part in ("--set", f"{key}={value}")]


def wait_for_step(process: processes.Started, run: Path, step: int) -> None:
    process.wait_until(lambda: [line for line in RunFolder(run).metrics() if line["step"] >= step])


@pytest.fixture
def _threads() -> Iterator[None]:
    before = num_threads()
    yield
    set_threads(before)


@pytest.mark.usefixtures("_threads")
def test_a_run_that_was_stopped_and_killed_equals_one_that_was_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts, whole = tmp_path / "parts", tmp_path / "whole"
    new = ["--dataset", "world", *SETTINGS, "--threads", "1", "--out"]
    stopped = start(tmp_path / "stopped.log", "train", *new, parts)
    wait_for_step(stopped, parts, 8)
    stopped.send(signal.SIGINT)
    output = stopped.finish(130)
    assert output.splitlines().count("stopping after this batch; press Ctrl-C again to quit at once") == 1
    assert "interrupted; everything is saved" in output
    assert f"Go on with: tgap train --resume {parts}" in output

    killed = start(tmp_path / "killed.log", "train", "--resume", parts)
    wait_for_step(killed, parts, 25)
    killed.send(signal.SIGKILL)
    killed.finish(-signal.SIGKILL)
    assert RunFolder(parts).metrics()[-1]["step"] < 40
    (entry,) = RunFolder(parts).environment()["resumed"]
    assert entry["date"]
    assert "machine" not in entry

    assert tgap(["train", "--resume", str(parts)]) == 0
    assert "Going on at step" in capsys.readouterr().out
    assert tgap(["train", *new, str(whole)]) == 0
    output = capsys.readouterr().out
    assert "all epochs done" in output
    assert f"tgap evaluate {whole}" in output
    lines = [line for line in output.splitlines() if " | " in line and line.startswith("epoch")]
    assert len(lines) == 2
    assert all("time-filtered MRR" in line and "raw MRR" in line and "Hits@1" in line for line in lines)
    assert_same_run(RunFolder(whole), RunFolder(parts))


def test_show_config_prints_toml_that_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "--dataset", "icews14", "--preset", "paper", "--set", "training.epochs=3", "--show-config"]
    assert tgap(arguments) == 0
    config = parse_config(capsys.readouterr().out)
    assert config == config_for("tgap", "icews14", "paper").with_values({"training.epochs": 3})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "sped=3"], "unknown setting 'sped'"),
        (["--set", "epochs"], "--set 'epochs' is not KEY=VALUE"),
        (["--set", "epochs=many"], "epochs is 'many'; expected a number"),
        (["--dataset", "nowhere"], "nowhere"),
        (["--resume", "nowhere"], "no run 'nowhere'"),
        (["--resume", "x", "--dataset", "world"], "--resume does not go with --dataset world"),
        (["--resume", "x", "--preset", "paper"], "--resume does not go with --preset paper"),
        (["--resume", "x", "--out", "y"], "--resume does not go with --out y"),
        (["--method", "oracle"], "unknown method 'oracle'; expected one of tgap, "),
        (["--preset", "fancy"], "unknown preset 'fancy' of tgap; expected one of recommended, paper"),
        (["--out", "/sys/run"], "cannot write /sys/run"),
    ],
)
def test_mistakes_give_one_line_and_exit_code_2(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tgap(["train", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert words in error
    assert len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_baseline_becomes_a_run_without_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    arguments = ["train", "--dataset", "world", "--method", "recency", "--out", str(run)]
    assert tgap([*arguments, "--set", "validation_queries=50"]) == 0
    assert "recency needs no training" in capsys.readouterr().out
    loaded = load_scorer(run)
    assert loaded.scorer.name == "recency"
    assert loaded.report["validation"]["time"]["mrr"] > 0
    assert tgap(arguments) == 2
    assert "exists already" in capsys.readouterr().err
    assert tgap(["train", "--resume", str(run)]) == 2
    error = capsys.readouterr().err
    assert "recency needs no training; evaluate it with: tgap evaluate" in error
    assert "resumed" not in RunFolder(run).environment()


def test_a_run_that_another_process_trains_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = create_run(tmp_path / "run", config_for("tgap", "world"), load_dataset("world"), threads=1)
    before = {path: path.read_bytes() for path in folder.path.iterdir()}
    with locked_elsewhere(folder):
        assert tgap(["train", "--resume", str(folder.path), "--set", "epochs=9", "--threads", "2"]) == 2
    assert "another process is training" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in folder.path.iterdir() if path.name != ".lock"} == before


def test_settings_that_a_resume_refuses_are_not_shown_either(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = create_run(tmp_path / "run", config_for("tgap", "world"), load_dataset("world"), threads=1)
    resume = ["train", "--resume", str(folder.path), "--show-config", "--set"]
    assert tgap([*resume, "epochs=9"]) == 0
    assert parse_config(capsys.readouterr().out).training.epochs == 9
    assert tgap([*resume, "evaluation.sampling_seed=7"]) == 2
    assert "evaluation.sampling_seed is 0" in capsys.readouterr().err


def moment(step: int, seconds: float) -> Progress:
    return Progress(step=step, epochs=step / 10, share=step / 20, seconds=seconds)


def metrics() -> ProtocolMetrics:
    return {name: {"mrr": 0.5, "hits1": 0.4, "hits3": 0.6, "hits10": 0.75} for name in ("time", "raw")}


def test_lines_name_problems_metrics_and_the_best() -> None:
    stream = io.StringIO()
    display = Display(Console(file=stream, width=80))
    display.on_start(Started(moment(3, 1.0), 2.0, 10, 320, False, ("checkpoint-000002 is damaged and passed over",)))
    display.on_step(Stepped(moment(4, 60.0), 3.0, 1e-3, 32))
    display.on_validating(5, 10)
    display.on_validation(Validated(moment(10, 605.0), metrics(), 3.0, {"unreachable": 0.25}, 1e-3, True))
    display.on_stop(Stopped(moment(20, 1200.0), "finished", metrics(), 1.0))
    display.close()
    output = stream.getvalue()
    assert "Warning: checkpoint-000002 is damaged and passed over" in output
    assert "Going on at step 3, epoch 0.300." in output
    line = next(line for line in output.splitlines() if line.startswith("epoch 1.00"))
    assert "10:05" in line
    assert "unreachable 0.250" in line
    assert "time-filtered MRR 0.5000 Hits@1 40.0 @3 60.0 @10 75.0  |  raw MRR 0.5000" in line
    assert line.endswith("(best)")
    assert "Best, after 1.00 epochs" in output


def drawn_by(display: Display, stream: io.StringIO, words: str) -> str:
    """What the bar has drawn once these words are there; it draws itself four times a second."""
    deadline = time.monotonic() + 20
    while words not in stream.getvalue() and time.monotonic() < deadline:
        time.sleep(0.02)
    display.close()
    return stream.getvalue()


def test_the_bar_shows_loss_speed_and_time_left() -> None:
    stream = io.StringIO()
    display = Display(Console(file=stream, force_terminal=True, width=120))
    display.on_start(Started(moment(0, 0.0), 2.0, 10, 320, False, ()))
    for step in range(1, 6):
        display.on_step(Stepped(moment(step, 60.0 * step), 3.0, 1e-3, 120))
    drawn = drawn_by(display, stream, "15:00 left")
    assert "epoch 0.50/2" in drawn
    assert "loss 3.000  2 queries/s  15:00 left" in drawn


@pytest.mark.parametrize(("limit", "words"), [(0.0, "15:00 left"), (480.0, "3:00 left"), (9000.0, "15:00 left")])
def test_the_time_left_knows_the_limit(limit: float, words: str) -> None:
    stream = io.StringIO()
    display = Display(Console(file=stream, force_terminal=True, width=120))
    display.on_start(Started(moment(0, 0.0), 2.0, 10, 320, False, (), limit))
    display.on_step(Stepped(moment(5, 300.0), 3.0, 1e-3, 120))
    assert words in drawn_by(display, stream, words)


def test_durations() -> None:
    assert duration(309.4) == "5:09"
    assert duration(3909) == "1:05:09"


def test_a_dataset_given_by_path_is_found_again_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tgap(["data", "make-world", "--out", "./mine"]) == 0
    assert tgap(["train", "--dataset", "./mine", "--method", "recency", "--out", "run"]) == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert RunFolder(tmp_path / "run").config().dataset == str(tmp_path / "mine")
    loaded = load_scorer(tmp_path / "run")
    assert loaded.dataset.num_entities == 150
    arguments = ["evaluate", str(tmp_path / "run"), "--dataset", "../mine", "--limit", "20", "--no-baselines"]
    capsys.readouterr()
    assert tgap(arguments) == 0
    assert "20 queries" in capsys.readouterr().out
