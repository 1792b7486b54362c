"""The three commands on a Ray cluster of two nodes, and what happens when parts of it die."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

from tests.distributed.ray_nodes import Nodes, ray_nodes, run, start
from tests.distributed.test_answering import parts, same_files
from tgap.data import load_dataset
from tgap.runs import RunFolder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'tgap[ray]'"),
]

TRAIN = ("train", "--dataset", "world", "--threads", "1", "--set", "dimension=16", "--set", "heads=2")
WAIT = 120.0


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with ray_nodes() as found:
        yield found


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + WAIT
    while not condition():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.05)


def steps(run_folder: Path) -> int:
    return max((line["step"] for line in RunFolder(run_folder).metrics()), default=0)


def test_answers_are_those_of_one_machine_though_a_worker_is_killed(nodes: Nodes, tmp_path: Path) -> None:
    world = load_dataset("world")
    facts = world.train[:4500]
    asked = tmp_path / "questions.parquet"
    pl.DataFrame(
        {
            "subject": [world.entities.name(entity) for entity in facts.subject.tolist()],
            "relation": [world.relations.name(relation) for relation in facts.relation.tolist()],
            "time": world.timeline.texts(facts.time),
        }
    ).write_parquet(asked)
    line = ("complete", "recency", "--dataset", "world", "--ask", asked, "--threads", "1", "--top", "2", "--out")
    run(*line, tmp_path / "alone")
    process = start(*line, tmp_path / "together", "--workers", "2", "--ray", nodes.address)
    wait_for(lambda: parts(tmp_path / "together"), process)
    nodes.processes("ray::RemoteAnswerer")[0].kill()
    shown, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 0, shown
    assert same_files(tmp_path / "alone", tmp_path / "together")


def test_a_killed_worker_is_replaced_and_the_run_ends_as_if_nothing_had_been(nodes: Nodes, tmp_path: Path) -> None:
    line = (*TRAIN, "--set", "epochs=0.3", "--set", "log_steps=1", "--set", "checkpoint_minutes=0.01")
    run(*line, "--workers", "2", "--out", tmp_path / "own")
    out = tmp_path / "ray"
    process = start(*line, "--workers", "2", "--ray", nodes.address, "--out", out)
    wait_for(lambda: steps(out) >= 5 and list(RunFolder(out).checkpoints.glob("checkpoint-*")), process)
    second = start("train", "--resume", out, "--ray", nodes.address)  # as by another cluster
    refused, _ = second.communicate(timeout=WAIT)
    assert second.returncode == 2
    assert f"another process is training {out}" in refused
    workers = nodes.processes("ray::RayTrainWorker")
    assert len(workers) == 2
    workers[1].kill()
    shown, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 0, shown
    assert "Going on at step" in shown
    assert (out / "weights.safetensors").read_bytes() == (tmp_path / "own" / "weights.safetensors").read_bytes()
    assert not (out / ".ray").exists()


def test_ctrl_c_reaches_the_workers(nodes: Nodes, tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = start(*TRAIN, "--set", "epochs=90", "--set", "log_steps=1", "--ray", nodes.address, "--out", out)
    wait_for(lambda: steps(out) >= 2, process)
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 128 + signal.SIGINT, shown
    assert "Go on with" in shown


def test_a_search_goes_on_where_it_stopped(nodes: Nodes, tmp_path: Path) -> None:
    out = tmp_path / "search"
    line = ("tune", "--dataset", "world", "--method", "distmult", "--set", "epochs=0.2", "--out", out)
    run(*line, "--trials", "2", "--workers", "2", "--ray", nodes.address)
    before = pl.read_csv(out / "trials.csv").height
    assert before >= 2
    run(*line, "--trials", str(before + 1), "--ray", nodes.address)
    trials = pl.read_csv(out / "trials.csv")
    assert trials.height == before + 1
    assert set(trials["state"]) <= {"done", "cut short"}
    assert trials["training.learning_rate"].n_unique() == trials.height


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_full_disk_is_told_in_one_line(nodes: Nodes, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", disk], check=False).returncode:
        pytest.skip("this system does not let us mount a small disk")
    try:
        saving = ("--set", "checkpoint_minutes=0.01", "--workers", "2")
        process = start(*TRAIN, *saving, "--ray", nodes.address, "--out", disk / "run")
        shown, _ = process.communicate(timeout=WAIT)
        assert process.returncode == 2, shown
        assert "the disk is full" in shown
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_a_lost_head_ends_the_command_and_the_run_goes_on_with_another(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with ray_nodes() as first:
        line = (*TRAIN, "--set", "epochs=0.3", "--set", "log_steps=1", "--set", "checkpoint_minutes=0.01")
        process = start(*line, "--workers", "2", "--ray", first.address, "--out", out)
        wait_for(lambda: steps(out) >= 5 and list(RunFolder(out).checkpoints.glob("checkpoint-*")), process)
        first.lose_head()
        shown, _ = process.communicate(timeout=WAIT)
        assert process.returncode == 2, shown
        assert "the same command, or --resume, goes on" in shown
    with ray_nodes() as second:
        assert "Going on at step" in run("train", "--resume", out, "--ray", second.address)
    assert RunFolder(out).report()["status"] == "finished"
