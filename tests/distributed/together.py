"""Trainings by several processes, one check after the other: a program of its own, because it forks.

python -m tests.distributed.together FOLDER    prints a JSON object: name of the check -> what went wrong, or nothing
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import sys
import time
import traceback
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
import torch

from tests.training import standin
from tests.training.standin import StandIn, assert_same_run, config_of, new_run, newest_tensors, small_dataset
from tgap.data.atomic import write_folder
from tgap.distributed import training
from tgap.distributed.group import local_group
from tgap.distributed.training import train_in_processes
from tgap.errors import RunError, TrainingError, WorkerError
from tgap.learner import Loss
from tgap.methods import config_for, make_learner
from tgap.model.batch import HiddenBatch
from tgap.runs.folder import RunFolder, create_run
from tgap.training import checkpoint, curve
from tgap.training.events import Listener, Started, Stepped, StopReason
from tgap.training.interruption import Interruption

CHILDREN = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")


def train(folder: RunFolder, workers: int, listener: Listener | None = None) -> StopReason:
    interruption = getattr(listener, "interruption", None)
    with folder.locked():
        return train_in_processes(
            folder.config(),
            small_dataset(),
            workers=workers,
            threads=1,
            folder=folder,
            listeners=[listener] if listener else [],
            interruption=interruption,
        ).reason


class Recorder(Listener):
    """Steps; asks for an end after ``stop`` of them, or kills a child of this process."""

    def __init__(self, stop: int = 0, kill: int = 0) -> None:
        self.interruption = Interruption()
        self.queries: list[int] = []
        self.began_at = -1
        self._stop, self._kill = stop, kill

    def on_start(self, event: Started) -> None:
        self.began_at = event.at.step

    def on_step(self, event: Stepped) -> None:
        self.queries.append(event.queries)
        if len(self.queries) == self._stop:
            self.interruption.request()
        if len(self.queries) == self._kill:
            os.kill(int(CHILDREN.read_text().split()[0]), signal.SIGKILL)


def reference(place: Path) -> RunFolder:
    """A run of two workers that nothing happened to, made once."""
    folder = RunFolder(place.parent / "reference")
    if not folder.path.exists():
        assert train(new_run(folder.path), 2) == "finished"
    return folder


def same_bits(place: Path) -> None:
    again = new_run(place / "again")
    recorder = Recorder()
    assert train(again, 2, recorder) == "finished"
    assert_same_run(reference(place), again)
    plans = [make_learner(config_of(), small_dataset()).plan(epoch) for epoch in range(2)]
    assert len(recorder.queries) == sum(-(-len(plan) // 2) for plan in plans), "every process takes every step"
    assert sum(recorder.queries) == sum(len(plan[index]) for plan in plans for index in range(len(plan)))


def mean_of_all_queries(place: Path) -> None:
    """One step of two workers is a step by the gradient of the mean loss over both batches."""
    folder = new_run(place / "run", clip_norm=0.01, warmup_steps=0, average_decay=0.0, schedule="constant")
    with patch.object(torch.nn.Dropout, "forward", lambda _self, values: values):
        assert train(folder, 2, Recorder(stop=1)) == "interrupted"
    found = newest_tensors(folder)
    learner = make_learner(folder.config(), small_dataset())
    module = learner.module
    assert isinstance(module, StandIn)
    plan = learner.plan(0)
    optimiser = learner.optimiser()
    sizes = [len(plan[0]), len(plan[1])]
    loss = torch.zeros(())
    with patch.object(torch.nn.Dropout, "forward", lambda _self, values: values):
        for index, size in enumerate(sizes):
            loss = loss + module(plan[index]).value * (size / sum(sizes))
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(module.parameters(), 0.01)
    optimiser.step()
    for name, tensor in module.state_dict().items():
        torch.testing.assert_close(found[f"weights/{name}"], tensor, rtol=1e-4, atol=1e-6)
    assert "optimiser/exp_avg/unused" not in found, "a parameter that nobody uses has no gradient"


def sparse_rows_travel(place: Path) -> None:
    """Two workers with sparse gradients take the step that two with dense ones take."""
    small = {"model.dimension": 8, "model.heads": 2, "model.lazy": True, "training.epochs": 1.0}
    found = {}
    for sparse in (False, True):
        config = config_for("tgap", "small").with_values({**small, "model.sparse": sparse, "training.batch_size": 8})
        folder = create_run(place / f"sparse-{sparse}", config, small_dataset(), threads=1)
        assert train(folder, 2, Recorder(stop=1)) == "interrupted"
        found[sparse] = newest_tensors(folder)
    assert found[True].keys() == found[False].keys()
    for name, tensor in found[False].items():
        if name.startswith(("weights/", "optimiser/exp_avg/")):
            torch.testing.assert_close(found[True][name], tensor, rtol=1e-4, atol=1e-6)


def started_afresh_on_one_memory(place: Path) -> None:
    """Where processes do not fork, one reads and builds; the other could not: nobody finds this dataset by its name."""
    folder = new_run(place / "run")
    with patch.object(training, "FORKS", new=False):
        assert train(folder, 2) == "finished"
    assert_same_run(reference(place), folder)


def stopped_and_resumed(place: Path) -> None:
    parts = new_run(place / "parts")
    assert train(parts, 2, Recorder(stop=7)) == "interrupted"
    going_on = Recorder()
    assert train(parts, 2, going_on) == "finished"
    assert going_on.began_at == 7
    assert_same_run(reference(place), parts)


def resumed_with_fewer(place: Path) -> None:
    folder = new_run(place / "run")
    assert train(folder, 3, Recorder(stop=4)) == "interrupted"
    going_on = Recorder()
    assert train(folder, 2, going_on) == "finished"
    assert going_on.began_at == 4
    batches = [len(make_learner(folder.config(), small_dataset()).plan(epoch)) for epoch in range(2)]
    left = -(-(batches[0] - 12) // 2) + -(-batches[1] // 2)
    assert len(going_on.queries) == left
    assert folder.report()["epochs"] == 2.0


def bad_loss_is_named(place: Path) -> None:
    """The batch of another rank than 0 spoils the step."""
    folder = new_run(place / "run")
    bad = make_learner(folder.config(), small_dataset()).plan(0)[1]
    forward = StandIn.forward

    def spoiled(self: StandIn, batch: HiddenBatch) -> Loss:
        loss = forward(self, batch)
        return Loss(loss.value * float("nan"), loss.metrics) if batch.describe() == bad.describe() else loss

    with patch.object(StandIn, "forward", spoiled), pytest.raises(TrainingError, match=re.escape(bad.describe())):
        train(folder, 2)


def worker_killed_in_a_step(place: Path) -> None:
    folder = new_run(place / "run", checkpoint_minutes=0.00001)
    begun = time.monotonic()
    with pytest.raises(WorkerError, match="a worker of this training was lost"):
        train(folder, 2, Recorder(kill=5))
    assert time.monotonic() - begun < 30
    going_on = Recorder()
    assert train(folder, 2, going_on) == "finished"
    assert going_on.began_at > 0
    assert folder.weights_file.read_bytes() == reference(place).weights_file.read_bytes()


def disk_full(place: Path) -> None:
    """A checkpoint does not fit: one line, the other processes end, the one before it is intact."""
    folder = new_run(place / "run", checkpoint_minutes=0.00001)
    written: list[Path] = []

    def full(target: Path, files: dict[str, bytes]) -> None:
        written.append(target)
        if len(written) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        write_folder(target, files)

    with patch.object(checkpoint, "write_folder", full), pytest.raises(RunError, match="the disk is full"):
        train(folder, 2)
    assert not CHILDREN.read_text().split(), "no helper is left"
    going_on = Recorder()
    assert train(folder, 2, going_on) == "finished"
    assert going_on.began_at > 0


def worker_that_never_comes(place: Path) -> None:
    begun = time.monotonic()
    alone = local_group(place / "meeting", 0, 2, timedelta(seconds=1))
    with pytest.raises(WorkerError, match="worker 1 of 2 did not come within 1 s"), alone:
        raise AssertionError("somebody came")
    assert time.monotonic() - begun < 10


CHECKS = (
    same_bits,
    mean_of_all_queries,
    sparse_rows_travel,
    stopped_and_resumed,
    resumed_with_fewer,
    bad_loss_is_named,
    worker_killed_in_a_step,
    disk_full,
    worker_that_never_comes,
    started_afresh_on_one_memory,  # at the end: it leaves a process of multiprocessing behind
)


def main(place: Path) -> dict[str, str]:
    curve.draw_curve = standin.blank_curve
    outcome = {}
    for check in CHECKS:
        folder = place / check.__name__
        folder.mkdir()
        try:
            check(folder)
            outcome[check.__name__] = ""
        except Exception:  # noqa: BLE001  the test shows it
            outcome[check.__name__] = traceback.format_exc()
    return outcome


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))  # noqa: T201
