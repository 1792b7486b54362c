"""The first compilation is announced, kernels from the cache are not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
from tgap.graph.hashing import query_keys
from tgap.kernels import backend
backend("compiled")
print(query_keys(0, *[np.zeros(1, np.int64)] * 3))
"""


def run(cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
    )


def test_compilation_is_announced_once(tmp_path: Path) -> None:
    cold, warm = run(tmp_path), run(tmp_path)
    assert cold.stderr == "Compiling kernels for this processor: once, up to a minute ...\n"
    assert warm.stderr == ""
    assert cold.stdout == warm.stdout
