"""tgap train with several workers: what is said, what is refused, and the same bits under torchrun."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tgap.cli.main import run as tgap
from tgap.cli.team import TeamChoice
from tgap.runs import RunFolder

QUICK = ("--dataset", "world", "--threads", "1", "--set", "dimension=16", "--set", "heads=2", "--set", "epochs=0.05")


@pytest.fixture
def _torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"TORCHELASTIC_RUN_ID": "x", "RANK": "0", "WORLD_SIZE": "3", "LOCAL_WORLD_SIZE": "3"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("_torchrun")
def test_torchrun_says_how_many_workers_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert tgap(["train", "--workers", "2"]) == 2
    assert "--workers does not go with torchrun" in capsys.readouterr().err
    assert tgap(["train", "--dataset", "world"]) == 2
    assert "give --out RUN" in capsys.readouterr().err
    assert TeamChoice(None, 1).team().workers == 3


def test_a_resumed_run_has_the_workers_that_it_had() -> None:
    before = {"workers": 4, "threads": 3}
    team = TeamChoice(None, None).team(before)
    assert (team.workers, team.threads, list(team.notes(before))) == (4, 3, [])
    fewer = TeamChoice(2, 3).team(before)
    assert (fewer.workers, fewer.threads) == (2, 3)
    assert list(fewer.notes(before)) == ["2 workers instead of 4; steps take other batches from here on."]


@pytest.mark.slow
def test_workers_of_one_command_and_of_torchrun_train_the_same_bits(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "torchrun"
    line = [sys.executable, "-m", "tgap", "train", *QUICK, "--workers", "2", "--out", str(own)]
    shown = subprocess.run(line, capture_output=True, text=True, timeout=300, check=True).stdout
    assert "2 workers, threads each: 1. A step takes 2 batches of up to 32 queries, 64 in all" in shown
    line = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "tgap", "train", *QUICK]
    subprocess.run([*line, "--out", str(other)], capture_output=True, timeout=300, check=True)
    assert (own / "weights.safetensors").read_bytes() == (other / "weights.safetensors").read_bytes()
    line = [sys.executable, "-m", "tgap", "train", "--resume", str(own), "--workers", "1", "--set", "epochs=0.06"]
    shown = subprocess.run(line, capture_output=True, text=True, timeout=300, check=True).stdout
    assert "Note: 1 worker instead of 2; steps take other batches from here on." in shown
    assert RunFolder(own).environment()["resumed"][0]["machine"]["workers"] == 1


@pytest.mark.slow
def test_ctrl_c_stops_all_workers_and_saves(tmp_path: Path) -> None:
    out = tmp_path / "run"
    line = [sys.executable, "-m", "tgap", "train", *QUICK, "--set", "epochs=50", "--set", "log_steps=1"]
    started = subprocess.Popen(
        [*line, "--workers", "2", "--out", str(out)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while not RunFolder(out).metrics() and time.monotonic() < deadline:
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    shown, _ = started.communicate(timeout=60)
    assert started.returncode == 128 + signal.SIGINT, shown
    assert "Go on with" in shown
    assert list(RunFolder(out).checkpoints.iterdir())
