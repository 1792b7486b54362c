"""The load script on an untrained run of the world; slow, so it runs with `make test-slow`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "load.py"


@pytest.mark.slow
def test_two_hundred_clients_without_a_failure_and_memory_that_stays(world_run: Path) -> None:
    sizes = ["--clients", "200", "--requests", "1000", "--memory", "10000", "--quick"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(world_run), *sizes], capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("0 failures") == 2
