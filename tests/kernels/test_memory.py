"""Freed memory that is kept: the system is asked once for what steps use again and again."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest

from tests.processes import Started
from tgap.kernels.memory import keep_freed_memory


def faults_of_steps() -> int:
    """Page faults while ten arrays of 40 MB are made, filled and freed one after the other."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        np.empty(10_000_000, np.float32).fill(1.0)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def keep_and_count() -> None:
    if not keep_freed_memory({}):
        return  # another C library: nothing was promised
    faults_of_steps()
    pages = 40_000_000 // resource.getpagesize()
    assert faults_of_steps() < pages / 2, "the same pages serve again"


def test_pages_serve_again(tmp_path: Path) -> None:
    assert Started(tmp_path / "log", keep_and_count).finish() == ""


@pytest.mark.parametrize("name", ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"])
def test_what_the_user_has_said_stands(name: str) -> None:
    assert not keep_freed_memory({name: "1"})
