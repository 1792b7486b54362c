"""The first compilation is announced, kernels from the cache are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np

from tests.processes import Started
from tgap.graph.hashing import query_keys
from tgap.kernels import backend


def print_keys(cache: Path) -> None:
    settings: Any = numba.config
    settings.CACHE_DIR = str(cache)  # as NUMBA_CACHE_DIR does; no kernel has been called yet
    backend("compiled")
    print(query_keys(0, *[np.zeros(1, np.int64)] * 3))  # noqa: T201


def test_compilation_is_announced_once(tmp_path: Path) -> None:
    cold, warm = (
        Started(tmp_path / name, print_keys, tmp_path / "cache").finish().splitlines() for name in ("cold", "warm")
    )
    assert cold[0] == "Compiling kernels for this processor: once, up to a minute ..."
    assert cold[1:] == warm
    assert len(warm) == 1
