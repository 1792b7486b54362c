"""Who trains: this process, several of this machine, a Ray cluster, or those that torchrun has started."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tgap.errors import ConfigError

if TYPE_CHECKING:
    from tgap.config import RunConfig
    from tgap.data import Dataset
    from tgap.runs import RunFolder
    from tgap.training.events import Listener, StopReason
    from tgap.training.interruption import Interruption

    Train = Callable[[RunConfig, Dataset, RunFolder, Listener, Interruption], StopReason]

_OPTIONS = (
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processes that train together, each with a batch of its own in every step. [default: 1]",
    ),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="N",
        help="Processor threads, of each worker. [default: all cores, divided]",
    ),
)


def _require_ray(_context: click.Context, _option: click.Parameter, address: str | None) -> str | None:
    """Before anything is written: without Ray nothing can be done there."""
    if address is not None:
        from tgap.distributed.ray_cluster import require_ray

        require_ray()
    return address


def ray_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --ray."""
    return click.option(
        "--ray",
        metavar="ADDRESS",
        callback=_require_ray,
        help="Work on a Ray cluster: HOST:PORT of its head, or local to start one on this machine. Needs tgap[ray].",
    )(command)


def team_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --workers, --threads and --ray."""
    command = ray_option(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Team:
    """Who trains a run."""

    workers: int
    threads: int  # of each
    train: Train

    def described(self, config: RunConfig) -> Iterator[str]:
        """What more workers make of the settings."""
        if self.workers > 1:
            size, rate = config.training.batch_size, config.training.learning_rate
            yield (
                f"{self.workers} workers, threads each: {self.threads}. A step takes {self.workers} batches of up to "
                f"{size} queries, {self.workers * size} in all; the learning rate stays {rate:g}, as set."
            )

    def notes(self, before: Mapping[str, Any]) -> Iterator[str]:
        """What is not as it was when the run was last trained."""
        if before["workers"] != self.workers:
            count = f"{self.workers} worker{'' if self.workers == 1 else 's'}"
            yield f"{count} instead of {before['workers']}; steps take other batches from here on."
        if before.get("threads") not in (None, self.threads):
            yield f"{self.threads} threads instead of {before['threads']}; sums are rounded differently from here on."


@dataclass(frozen=True)
class TeamChoice:
    """What the command line and the environment say about who trains."""

    workers: int | None
    threads: int | None
    ray: str | None = None  # address of a cluster

    def __post_init__(self) -> None:
        for flag, value in {"--workers": self.workers, "--ray": self.ray}.items():
            if value is not None and self._torchrun:
                raise ConfigError(f"{flag} does not go with torchrun, which has started the workers; leave it out")

    @property
    def helps(self) -> bool:
        """Whether this process is not the first of torchrun's."""
        return self._torchrun and os.environ["RANK"] != "0"

    @property
    def restarted(self) -> bool:
        """Whether torchrun has started the workers anew after one was lost."""
        return self._torchrun and os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") != "0"

    @property
    def _torchrun(self) -> bool:
        return "TORCHELASTIC_RUN_ID" in os.environ

    def check_folder(self, out: Path | None) -> None:
        """Refuse a folder whose name a restart would not find again."""
        if self._torchrun and out is None:
            raise ConfigError("under torchrun the run needs a name that a restart finds again; give --out RUN")

    def help(self) -> None:
        """Take part as another rank than 0."""
        from tgap.distributed.training import help_under_torchrun

        help_under_torchrun(self._threads_of(int(os.environ["LOCAL_WORLD_SIZE"])))

    def team(self, before: Mapping[str, Any] | None = None) -> Team:
        """The team; numbers that nobody gives are those of ``before``, the machine that a run was last trained on."""
        before = before or {}
        if self._torchrun:
            threads = self._threads_of(int(os.environ["LOCAL_WORLD_SIZE"]))
            return Team(int(os.environ["WORLD_SIZE"]), threads, _under_torchrun(threads))
        workers = self.workers or before.get("workers") or 1
        if self.ray is not None:
            threads = self.threads or (before.get("threads") if self.workers is None else None) or 1
            return Team(workers, threads, _on_ray(self.ray, workers, threads))
        same = workers == before.get("workers")
        threads = self._threads_of(workers, before.get("threads") if same else None)
        return Team(workers, threads, _alone(threads) if workers == 1 else _in_processes(workers, threads))

    def _threads_of(self, workers: int, before: int | None = None) -> int:
        from tgap.distributed.processes import threads_each

        return threads_each(workers, self.threads or before)


def _alone(threads: int) -> Train:
    def train(
        config: RunConfig, data: Dataset, folder: RunFolder, listener: Listener, interruption: Interruption
    ) -> StopReason:
        from tgap.kernels import set_threads
        from tgap.training.session import train as train_config

        set_threads(threads, whole_process=True)
        return train_config(config, data, folder=folder, listeners=[listener], interruption=interruption).reason

    return train


def _in_processes(workers: int, threads: int) -> Train:
    def train(
        config: RunConfig, data: Dataset, folder: RunFolder, listener: Listener, interruption: Interruption
    ) -> StopReason:
        from tgap.distributed.training import train_in_processes

        return train_in_processes(
            config,
            data,
            workers=workers,
            threads=threads,
            folder=folder,
            listeners=[listener],
            interruption=interruption,
        ).reason

    return train


def _under_torchrun(threads: int) -> Train:
    def train(
        config: RunConfig, data: Dataset, folder: RunFolder, listener: Listener, interruption: Interruption
    ) -> StopReason:
        from tgap.distributed.training import train_under_torchrun

        return train_under_torchrun(
            config, data, threads=threads, folder=folder, listeners=[listener], interruption=interruption
        ).reason

    return train


def _on_ray(address: str, workers: int, threads: int) -> Train:
    def train(
        config: RunConfig, data: Dataset, folder: RunFolder, listener: Listener, interruption: Interruption
    ) -> StopReason:
        from tgap.distributed.ray_cluster import connected
        from tgap.distributed.ray_training import train_on_ray

        del config, data  # workers read them for themselves
        with connected(address, workers, threads) as ray:
            return train_on_ray(
                ray,
                workers=workers,
                threads=threads,
                folder=folder,
                listener=listener,
                interruption=interruption,
            )

    return train
