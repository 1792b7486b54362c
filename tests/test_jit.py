"""Compiled code on disk: kept between processes, and never used after a change of any file that it was made of."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tgap

HASH = (
    "import numpy as np; from tgap.graph.hashing import query_keys; "
    "one = np.array([1]); print(query_keys(0, one, one, one)[0])"
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that may be changed."""
    shutil.copytree(Path(tgap.__file__).parent, tmp_path / "tgap", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "tgap"


def run(package: Path, code: str, **environment: str) -> str:
    given = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env={**given, "PYTHONPATH": str(package.parent), **environment}, capture_output=True, text=True,
        cwd=package.parent, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def stored(place: Path) -> list[Path]:
    return sorted(path for path in place.rglob("*.nbc") if "query_keys" in path.name)


def test_machine_code_is_kept_and_found_again(package: Path) -> None:
    first = run(package, HASH)
    files = stored(package / "__pycache__")
    assert len(files) == 1
    written = files[0].stat().st_mtime_ns
    assert run(package, HASH) == first
    assert [path.stat().st_mtime_ns for path in stored(package / "__pycache__")] == [written]


def test_a_change_in_another_file_is_noticed(package: Path) -> None:
    """The kernels of sampling.py contain the hash of hashing.py; numba itself looks at sampling.py only."""
    code = (
        "from tgap.jit import cache_folder; from tgap.graph import sampling; "
        "print(cache_folder()); print(sampling._sample._cache._cache_path)"
    )
    before = run(package, code).splitlines()
    assert before[1].startswith(before[0])
    source = package / "graph" / "hashing.py"
    source.write_text(source.read_text() + "# another hash\n")
    after = run(package, code).splitlines()
    assert after[0] != before[0]
    assert after[1].startswith(after[0])


def test_the_place_can_be_chosen(package: Path, tmp_path: Path) -> None:
    run(package, HASH, NUMBA_CACHE_DIR=str(tmp_path / "elsewhere"))
    assert len(stored(tmp_path / "elsewhere")) == 1
    assert not stored(package)


def test_without_a_place_kernels_work_all_the_same(package: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    expected = run(package, HASH)
    assert run(package, HASH, NUMBA_CACHE_DIR=str(blocked)) == expected


def test_folders_of_other_versions_go_after_a_month(package: Path) -> None:
    old, recent = package / "__pycache__" / "kernels-old", package / "__pycache__" / "kernels-recent"
    for folder in (old, recent):
        folder.mkdir(parents=True)
    long_ago = time.time() - 31 * 86400
    os.utime(old, (long_ago, long_ago))
    run(package, "from tgap.jit import cache_folder; cache_folder()")
    assert not old.exists()
    assert recent.exists()
