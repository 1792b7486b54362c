"""What commands say to OpenMP before torch is loaded."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tgap.waiting import wait_briefly


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "2000"}),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, {"OMP_WAIT_POLICY": "ACTIVE"}),
        ({"GOMP_SPINCOUNT": "7"}, {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "7"}),
    ],
)
def test_threads_wait_briefly_unless_the_user_says_otherwise(given: dict[str, str], expected: dict[str, str]) -> None:
    wait_briefly(given)
    assert given == expected


def test_a_command_says_it_before_torch_is_loaded() -> None:
    program = (
        "import os, sys; from tgap.cli.main import run\n"
        "assert 'torch' not in sys.modules; run(['--version']); print(os.environ['GOMP_SPINCOUNT'])"
    )
    clean = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    done = subprocess.run([sys.executable, "-c", program], env=clean, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "2000"
