"""Compiled code on disk: kept between processes, and never used after a change of any file that it was made of."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tgap
from tgap import jit

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
    keys = "from tgap.graph import hashing; hashing.mix(1); from tgap import jit; print(jit.cache_folder())"
    before = run(package, keys)
    source = package / "graph" / "hashing.py"
    source.write_text(source.read_text() + "# another hash\n")
    after = run(package, keys)
    assert after != before
    assert [len(list(Path(folder).rglob("*.nbc"))) for folder in (before, after)] == [1, 1]


def test_only_sources_of_machine_code_matter(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "PACKAGE", package)
    digest = jit._digest.__wrapped__
    before = digest()
    others = [path for path in package.rglob("*.py") if str(path.relative_to(package)) not in jit.SOURCES]
    assert len(others) > 100
    for path in others:
        path.write_text(path.read_text() + "# something else\n")
    assert digest() == before
    for name in jit.SOURCES:
        path = package / name
        path.write_text(path.read_text() + "# something else\n")
        after = digest()
        assert after != before, name
        before = after


def kernels(tree: ast.Module) -> list[ast.FunctionDef]:
    """Functions that are compiled, those that numba is taught (overloads, intrinsics) included."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any("kernel" in ast.unparse(mark) or "intrinsic" in ast.unparse(mark) for mark in node.decorator_list)
    ]


def test_kernels_are_made_of_their_own_file_and_the_listed_ones() -> None:
    """Whatever a kernel takes from another file of the package must be in a file that the digest covers."""
    found = set()
    for path in jit.PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        origin = {
            alias.asname or alias.name: node.module.replace(".", "/").removeprefix("tgap/") + ".py"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("tgap.")
            for alias in node.names
        }
        for function in kernels(tree):
            names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            for name in names & set(origin):
                annotated = name in {"Int32Array", "Int64Array", "IntArray", "FloatArray"}
                assert annotated or origin[name] in jit.SOURCES, f"{path.name}: {function.name} uses {name}"
                found.add(origin[name])
    assert {"graph/hashing.py", "kernels/simd.py", "kernels/compiled_transition.py"} <= found, "the search finds them"


IMPORT_ALL = (
    "import pkgutil, importlib, tgap; "
    "found = pkgutil.walk_packages(tgap.__path__, 'tgap.'); "
    "[importlib.import_module(module.name) for module in found if '__main__' not in module.name]"
)


def test_importing_the_package_touches_no_file(package: Path, tmp_path: Path) -> None:
    old = package / "__pycache__" / "kernels-old"
    old.mkdir(parents=True)
    os.utime(old, (0, 0))
    home = tmp_path / "home"
    home.mkdir()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "MPLCONFIGDIR": str(tmp_path.parent)}
    run(package, IMPORT_ALL, PYTHONDONTWRITEBYTECODE="1", **places)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


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
