"""Bulk answers by several processes: the same files, and nothing lost when somebody is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tgap.asking import bulk
from tgap.cli.main import run as tgap
from tgap.data import load_dataset

QUESTIONS = 2500


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = load_dataset("world")
    facts = world.train[:QUESTIONS]
    rows = {
        "subject": [world.entities.name(entity) for entity in facts.subject.tolist()],
        "relation": [world.relations.name(relation) for relation in facts.relation.tolist()],
        "time": world.timeline.texts(facts.time),
    }
    path = tmp_path_factory.mktemp("questions") / "questions.parquet"
    pl.DataFrame(rows).write_parquet(path)
    return path


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("part-*.parquet"))


def same_files(first: Path, second: Path) -> bool:
    names = parts(first)
    return names == parts(second) and all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


def command(asked: Path, out: Path, workers: int) -> list[str]:
    line = ["complete", "recency", "--dataset", "world", "--ask", str(asked), "--out", str(out), "--top", "3"]
    return [*line, "--threads", "1", "--workers", str(workers)]


@pytest.mark.slow
def test_processes_write_what_one_writes(asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "PART", 100)
    few = tmp_path / "few.parquet"
    pl.read_parquet(asked).head(450).write_parquet(few)
    alone, together = tmp_path / "alone", tmp_path / "together"
    assert tgap(command(few, alone, 1)) == 0
    assert tgap(command(few, together, 2)) == 0
    assert len(parts(alone)) == 5
    assert same_files(alone, together)


@pytest.mark.slow
def test_a_killed_command_ends_its_helpers_and_goes_on(asked: Path, tmp_path: Path) -> None:
    alone, out = tmp_path / "alone", tmp_path / "answers"
    assert tgap(command(asked, alone, 1)) == 0
    line = [sys.executable, "-m", "tgap", *command(asked, out, 2)]
    started = subprocess.Popen(line, start_new_session=True)
    deadline = time.monotonic() + 120
    while not parts(out) and started.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    helpers = _children(started.pid)
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert parts(out)
    assert helpers
    while any(_alive(pid) for pid in helpers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(_alive(pid) for pid in helpers), "helpers outlive the command"
    assert subprocess.run(line, timeout=120, check=False).returncode == 0
    assert same_files(alone, out)


@pytest.mark.slow
def test_a_killed_helper_ends_the_command_with_one_line(asked: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers"
    line = [sys.executable, "-m", "tgap", *command(asked, out, 2)]
    started = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not parts(out) and time.monotonic() < deadline:
        time.sleep(0.02)
    answering = [pid for pid in _children(started.pid) if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()]
    os.kill(answering[0], signal.SIGKILL)
    _, error = started.communicate(timeout=60)
    assert started.returncode in (0, 2)  # 0: it had nothing left to do
    assert not error or "the same command goes on with those that are missing" in error


def _children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(entry.parent.name))
    return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
