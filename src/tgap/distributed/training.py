"""Data-parallel training: every process has the whole model and takes its own part of every step.

``train_in_processes`` is for one machine. On Linux the other processes are forked from this one after it has loaded the
data and built graph and model, and before it has computed anything: all of that exists once, and a page is copied only
where somebody writes to it (the weights, mostly). Elsewhere, under torchrun and on a cluster (``lead`` and ``follow``)
one process of each machine loads and builds, and the others of that machine map its memory (``once_per_machine``). Rank
0 sends settings and weights, so other machines need the dataset, but not the run's folder.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

from tgap.config import RunConfig
from tgap.data import Dataset, load_dataset
from tgap.distributed.group import local_group, torchrun_group
from tgap.distributed.processes import begin_helper
from tgap.distributed.sharing import once_per_machine
from tgap.errors import DataError, TgapError
from tgap.kernels import set_threads
from tgap.learner import Learner
from tgap.methods import make_learner, parse_config
from tgap.runs import RunFolder
from tgap.training.events import Listener
from tgap.training.interruption import Interruption
from tgap.training.session import Trained, help_training, train_learner
from tgap.training.workers import Group

FORKS = sys.platform == "linux"


def train_in_processes(
    config: RunConfig,
    dataset: Dataset,
    *,
    workers: int,
    threads: int,
    folder: RunFolder,
    listeners: Sequence[Listener] = (),
    interruption: Interruption | None = None,
) -> Trained:
    """Train with ``workers`` processes of ``threads`` threads each; this one is rank 0. The folder must be locked.

    Call it before anything was computed in this process.
    """
    set_threads(1, whole_process=True)  # threads of a library do not survive a fork: none must run yet
    learner = make_learner(config, dataset.base) if FORKS else None
    with tempfile.TemporaryDirectory(prefix="tgap-") as place:
        meeting = Path(place) / "meeting"
        with _helpers(learner, config, meeting, workers, threads):
            set_threads(threads, whole_process=True)
            with local_group(meeting, 0, workers) as group:
                if learner is None:
                    return lead(group, config, dataset, folder, listeners, interruption)
                return train_learner(
                    learner,
                    config,
                    dataset,
                    folder=folder,
                    listeners=listeners,
                    interruption=interruption,
                    workers=group,
                )


def train_under_torchrun(
    config: RunConfig,
    dataset: Dataset,
    *,
    threads: int,
    folder: RunFolder,
    listeners: Sequence[Listener] = (),
    interruption: Interruption | None = None,
) -> Trained:
    """Train as rank 0 of the processes that torchrun has started; the others call ``help_under_torchrun``."""
    set_threads(threads, whole_process=True)
    with torchrun_group() as group:
        return lead(group, config, dataset, folder, listeners, interruption)


def help_under_torchrun(threads: int) -> None:
    """Take part as another rank; it stops when rank 0 says so."""
    set_threads(threads, whole_process=True)
    with Interruption().on_signals(), torchrun_group() as group:
        follow(group)


@contextmanager
def _helpers(learner: Learner | None, config: RunConfig, meeting: Path, size: int, threads: int) -> Iterator[None]:
    """The processes of the other ranks; none outlives the block."""
    context = multiprocessing.get_context("fork") if FORKS else multiprocessing.get_context("spawn")
    started: list[BaseProcess] = []
    try:
        for rank in range(1, size):
            helper = context.Process(target=_help, args=(learner, config, meeting, rank, size, threads), daemon=True)
            helper.start()
            started.append(helper)
        yield
        for process in started:
            process.join(10)
    finally:
        for process in started:
            process.kill()
            process.join()


def _help(learner: Learner | None, config: RunConfig, meeting: Path, rank: int, size: int, threads: int) -> None:
    begin_helper(threads)
    try:
        with local_group(meeting, rank, size) as group:
            if learner is None:
                follow(group)
            else:
                help_training(learner, config, group)
    except TgapError:
        sys.exit(1)  # rank 0 tells why


def lead(
    group: Group,
    config: RunConfig,
    dataset: Dataset,
    folder: RunFolder,
    listeners: Sequence[Listener],
    interruption: Interruption | None,
) -> Trained:
    """Train as rank 0 of processes that ``follow``."""
    group.share((config.to_toml(), dataset.checksum))
    learner = once_per_machine(group, lambda: make_learner(config, dataset.base))
    return train_learner(
        learner, config, dataset, folder=folder, listeners=listeners, interruption=interruption, workers=group
    )


def follow(group: Group) -> None:
    """Take part in a training as a rank other than 0, in whatever rank 0 announces."""
    text, checksum = group.share(("", ""))
    config = parse_config(text)

    def make() -> Learner:
        dataset = load_dataset(config.dataset).base
        if dataset.checksum != checksum:
            raise DataError(
                f"dataset {dataset.name!r} of worker {group.rank} has checksum {dataset.checksum}, that of worker 0 "
                f"has {checksum}; give all machines the same files"
            )
        return make_learner(config, dataset)

    help_training(once_per_machine(group, make), config, group)
