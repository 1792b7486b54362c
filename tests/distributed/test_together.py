"""Data-parallel training on this machine: the checks of ``together``, made in one program and told one by one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributed.together import CHECKS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    line = [sys.executable, "-m", "tests.distributed.together", str(tmp_path_factory.mktemp("runs"))]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", [check.__name__ for check in CHECKS])
def test_processes_train_together(outcome: dict[str, str], name: str) -> None:
    assert not outcome[name], outcome[name]
