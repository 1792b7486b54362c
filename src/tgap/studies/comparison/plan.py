"""What a comparison consists of: one entry per method, and where its run is or will be.

    OUT/runs/METHOD/            runs that the comparison trains itself
    OUT/ranks/METHOD.safetensors   ranks of every query, see ``ranks_file``
    OUT/comparison.{md,csv,json,html}

A method that needs no training has no run. A run that the user names, or one that is shipped for the dataset, is
taken as it is and never trained on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tgap.config import RunConfig
from tgap.errors import ConfigError, RunError
from tgap.learner import DEFAULT_TASK, Method
from tgap.methods import able_to, config_for, find_method, method_names
from tgap.methods.own import is_own
from tgap.runs.folder import RunFolder, find_run, shipped_runs


@dataclass(frozen=True)
class Variant:
    """A method with other settings than its preset has."""

    name: str
    title: str
    values: Mapping[str, Any]  # by dotted name


@dataclass(frozen=True)
class Entry:
    """One method of a comparison, or a variant of one."""

    method: Method
    folder: RunFolder | None  # None: it answers at once
    given: bool = False  # the run is taken as it is
    variant: Variant | None = None
    task: str = DEFAULT_TASK

    @property
    def name(self) -> str:
        """In files and on the command line."""
        return self.method.name if self.variant is None else self.variant.name

    @property
    def title(self) -> str:
        """In tables."""
        return self.method.title if self.variant is None else self.variant.title

    def config(self, dataset: str) -> RunConfig:
        """Settings of the run, or those that it will be made with."""
        if self.folder is not None and self.folder.config_file.exists():
            return self.folder.config()
        config = config_for(self.method.name, dataset, task=self.task)
        return config.with_values({} if self.variant is None else self.variant.values)


@dataclass(frozen=True)
class Plan:
    """All entries, in the order of the table of methods, one's own last, and the folder that everything goes to."""

    dataset: str
    out: Path
    entries: tuple[Entry, ...]

    def ranks_file(self, entry: Entry) -> Path:
        """Where an entry's ranks are kept."""
        return self.out / "ranks" / f"{entry.name.replace(':', '.')}.safetensors"


def make_plan(
    dataset: str, out: Path, methods: Sequence[str], given: Mapping[str, str], task: str = DEFAULT_TASK
) -> Plan:
    """Plan for some methods; ``given`` names runs that are taken as they are.

    None named: all that can do the task, but those that are built on another run only where a run of them is shipped.
    """
    every = [name for name in able_to(task) if not find_method(name).built_on or _shipped(name, dataset, task)]
    chosen = {*(methods or every), *given}
    for name in chosen:
        config_for(name, dataset, task=task)  # a wrong name is an error before anything is done
    own = [name for name in dict.fromkeys(methods) if is_own(name)]
    entries = [_entry(name, dataset, out, given, task) for name in (*method_names(), *own) if name in chosen]
    return Plan(dataset, out, tuple(entries))


def plan_variants(dataset: str, out: Path, method: str, variants: Sequence[Variant]) -> Plan:
    """Plan for variants of one method, each trained anew."""
    found = find_method(method)
    entries = [Entry(found, RunFolder(out / "runs" / variant.name), variant=variant) for variant in variants]
    return Plan(dataset, out, tuple(entries))


def _entry(name: str, dataset: str, out: Path, given: Mapping[str, str], task: str) -> Entry:
    method = find_method(name)
    if name in given:
        if method.learn is None:
            raise ConfigError(f"{name} needs no training and no run; leave {name}={given[name]} out")
        return Entry(method, _given_run(name, dataset, given[name], task), given=True, task=task)
    if method.learn is None:
        return Entry(method, None, task=task)
    fitting = _shipped(name, dataset, task)
    if fitting:
        return Entry(method, fitting[0], given=True, task=task)
    if method.built_on:
        raise ConfigError(f"{name} is built on another run ({method.built_on}): train it, then give {name}=RUN")
    return Entry(method, RunFolder(out / "runs" / name), task=task)


def _shipped(method: str, dataset: str, task: str) -> list[RunFolder]:
    """Shipped runs of a method on a dataset, first the one with most of the recommended settings.

    One that is smaller than recommended does not stand for its method.
    """
    wanted = config_for(method, dataset, task=task)
    every = [run for run in map(find_run, shipped_runs()) if _is_of(run, method, dataset, task)]
    fitting = [run for run in every if _size(run.config()) == _size(wanted)]
    return sorted(fitting, key=lambda run: _differences(run.config(), wanted))


def _differences(one: RunConfig, other: RunConfig) -> int:
    """How many settings of model and training differ."""
    mine, theirs = ({**config.training.model_dump(), **config.model.model_dump()} for config in (one, other))
    return sum(value != theirs[name] for name, value in mine.items())


def _size(config: RunConfig) -> tuple[int | None, ...]:
    return tuple(getattr(config.model, name, None) for name in ("dimension", "rank"))


def _given_run(name: str, dataset: str, path: str, task: str) -> RunFolder:
    folder = find_run(path)
    if not _is_of(folder, name, dataset, task):
        config = folder.config()
        raise RunError(
            f"{path} is a run of {config.method} on {config.dataset} for {config.task}, not of {name} on {dataset} "
            f"for {task}; give a fitting one"
        )
    return folder


def _is_of(folder: RunFolder, method: str, dataset: str, task: str) -> bool:
    config = folder.config()
    return (config.method, config.dataset, config.task) == (method, dataset, task)
