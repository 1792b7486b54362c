"""Real processes, really killed: what is left resumes to the same bits."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.training.test_loop import assert_same_run
from tgap.runs.folder import RunFolder

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "tests.training.standin_process"]


def start(run: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, str(run)], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def wait_for_step(process: subprocess.Popen[str], step: int) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == str(step):
            return
    pytest.fail(f"the process ended before step {step}")


def finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return output.split()[-1]


def test_a_run_that_was_stopped_and_killed_equals_one_that_was_not(tmp_path: Path) -> None:
    whole, stopped = start(tmp_path / "whole"), start(tmp_path / "parts")
    wait_for_step(stopped, 41)
    stopped.send_signal(signal.SIGTERM)
    assert finish(stopped) == "interrupted"
    killed = start(tmp_path / "parts")
    wait_for_step(killed, 100)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait(timeout=60) == -signal.SIGKILL
    assert finish(start(tmp_path / "parts")) == "finished"
    assert finish(whole) == "finished"
    assert_same_run(RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "parts"))
