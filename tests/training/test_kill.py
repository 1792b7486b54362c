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


def test_killed_and_resumed_runs_equal_one_that_was_never_stopped(tmp_path: Path) -> None:
    whole, killed, asked = start(tmp_path / "whole"), start(tmp_path / "killed"), start(tmp_path / "asked")
    wait_for_step(killed, 41)
    killed.send_signal(signal.SIGKILL)
    wait_for_step(asked, 70)
    asked.send_signal(signal.SIGTERM)
    assert killed.wait(timeout=60) == -signal.SIGKILL
    assert finish(asked) == "interrupted"
    again, more = start(tmp_path / "killed"), start(tmp_path / "asked")
    wait_for_step(again, 100)
    again.send_signal(signal.SIGKILL)  # and once more
    again.wait(timeout=60)
    assert finish(start(tmp_path / "killed")) == "finished"
    assert finish(more) == "finished"
    assert finish(whole) == "finished"
    assert_same_run(RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "killed"))
    assert_same_run(RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "asked"))
