"""The run folder: what lies where, how it is made, found and locked.

    config.toml           the resolved settings
    environment.json      versions, source commit, machine, dataset and its checksum, seconds, memory
    weights.safetensors   the best weights so far by validation
    metrics.jsonl         one line every few steps and one a validation
    report.json           where training stands: best validation metrics, steps, seconds, why it stopped
    curve.png             loss and validation over time
    tensorboard/          the same scalars as events
    checkpoints/          the two newest states to resume from

A shipped run has the first three files and the report only, and, if it is to answer anywhere, data/ with its dataset.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tgap
from tgap.config import RunConfig
from tgap.data import Dataset, load_dataset
from tgap.data.stored import is_stored, load_stored
from tgap.errors import ConfigError, RunError
from tgap.evaluation.calibration import Calibration
from tgap.locks import one_process
from tgap.methods import find_method, parse_config, refuse_own
from tgap.runs.environment import describe_environment, describe_resume
from tgap.runs.files import read_json, write_json, write_text, writing


@dataclass(frozen=True)
class RunFolder:
    """A folder that holds a run. Paths are properties; nothing is read before it is asked for."""

    path: Path

    @property
    def config_file(self) -> Path:
        """Settings."""
        return self.path / "config.toml"

    @property
    def environment_file(self) -> Path:
        """Versions, machine, data."""
        return self.path / "environment.json"

    @property
    def weights_file(self) -> Path:
        """Best weights so far."""
        return self.path / "weights.safetensors"

    @property
    def metrics_file(self) -> Path:
        """The course of training, a JSON object a line."""
        return self.path / "metrics.jsonl"

    @property
    def report_file(self) -> Path:
        """Where training stands."""
        return self.path / "report.json"

    @property
    def calibration_file(self) -> Path:
        """How often answers of a probability were right, if that was measured."""
        return self.path / "calibration.json"

    @property
    def curve_file(self) -> Path:
        """Picture of the course of training."""
        return self.path / "curve.png"

    @property
    def tensorboard(self) -> Path:
        """Event files."""
        return self.path / "tensorboard"

    @property
    def checkpoints(self) -> Path:
        """States to resume from."""
        return self.path / "checkpoints"

    @property
    def data(self) -> Path:
        """The dataset itself, in a run that was exported with it."""
        return self.path / "data"

    def dataset(self, config: RunConfig) -> Dataset:
        """Load the dataset that the run was made with: its own copy, or by name; another one is refused."""
        if is_stored(self.data):
            dataset = replace(load_stored(self.data), name=self.environment()["dataset"]["name"])
        else:
            dataset = load_dataset(config.dataset)
        self.check_dataset(dataset)
        return dataset

    def config(self) -> RunConfig:
        """Read the settings of the run."""
        try:
            return parse_config(self.config_file.read_text(encoding="utf-8"))
        except OSError as error:
            raise RunError(f"cannot read {self.config_file}: {error.strerror}") from error
        except (ConfigError, UnicodeDecodeError) as error:
            raise RunError(f"{self.config_file} does not fit this version of tgap: {error}") from error

    def write_config(self, config: RunConfig) -> None:
        """Save the settings."""
        write_text(self.config_file, config.to_toml())

    def environment(self) -> dict[str, Any]:
        """Read `environment.json`; empty if the folder has none."""
        return read_json(self.environment_file) if self.environment_file.exists() else {}

    def report(self) -> dict[str, Any]:
        """Read `report.json`; empty before the first validation."""
        return read_json(self.report_file) if self.report_file.exists() else {}

    def calibration(self) -> Calibration | None:
        """Read `calibration.json`; None if the folder has none, or one of other weights or settings."""
        if not self.calibration_file.exists():
            return None
        stored = read_json(self.calibration_file)
        return Calibration.from_dict(stored) if stored.get("run") == self.identity() else None

    def write_calibration(self, found: Calibration) -> None:
        """Save a calibration, marked as that of the present settings and weights."""
        write_json(self.calibration_file, {**found.to_dict(), "run": self.identity()})

    def metrics(self) -> list[dict[str, Any]]:
        """Lines of `metrics.jsonl`; a last line that was cut off by a crash is left out."""
        if not self.metrics_file.exists():
            return []
        lines = self.metrics_file.read_bytes().split(b"\n")
        try:
            return [_of_today(json.loads(line)) for line in lines[:-1] if line]  # after the last newline: unfinished
        except ValueError as error:
            raise RunError(
                f"{self.metrics_file} is damaged: {error}; delete it to go on without its history"
            ) from error

    def identity(self) -> str:
        """Digest of settings and weights: two runs with the same one give the same answers."""
        digest = hashlib.sha256(self.config_file.read_bytes())
        if self.weights_file.exists():
            digest.update(self.weights_file.read_bytes())
        return digest.hexdigest()

    def update_environment(self, **values: Any) -> None:
        """Complete `environment.json`, for instance with seconds and memory."""
        write_json(self.environment_file, {**self.environment(), **values})

    def record_resume(
        self, dataset: Dataset, threads: int | None, changed: Mapping[str, list[Any]], workers: int = 1
    ) -> None:
        """Add to `environment.json` that training goes on, with what: code, machine and changed settings."""
        environment = self.environment()
        entry = describe_resume(environment, dataset, threads, workers)
        entry |= {"settings": dict(changed)} if changed else {}
        self.update_environment(resumed=[*environment.get("resumed", []), entry])

    def check_dataset(self, dataset: Dataset) -> None:
        """Refuse a dataset that is not the one this run was made with."""
        expected = self.environment().get("dataset", {}).get("checksum")
        if expected is not None and expected != dataset.checksum:
            raise RunError(
                f"dataset {dataset.name!r} has checksum {dataset.checksum}, but the run {self.path} was made with "
                f"{expected}; bring back the dataset that was used, or train again"
            )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep a second process from training the same run; the lock ends with the process, even a killed one."""
        refusal = RunError(f"another process is training {self.path}; wait for it or stop it")
        with ExitStack() as stack:
            with writing(self.path):
                stack.enter_context(one_process(self.path / ".lock", refusal, nested=True))
            yield


def _of_today(line: dict[str, Any]) -> dict[str, Any]:
    """A line of `metrics.jsonl`; version 0.1 called the metrics of a validation figures."""
    return {"validation" if key == "figures" else key: value for key, value in line.items()}


def create_run(
    path: Path, config: RunConfig, dataset: Dataset, threads: int | None = None, workers: int = 1
) -> RunFolder:
    """Make a new run folder with its config and environment. An existing run is never overwritten."""
    refuse_own(config.method)
    check = find_method(config.method).check
    if check is not None:
        check(config)
    folder = RunFolder(path)
    with writing(path):
        taken = path.exists() and (not path.is_dir() or any(path.iterdir()))
        if not taken:
            path.mkdir(parents=True, exist_ok=True)
    if taken:
        remedy = f", or continue it with: tgap train --resume {path}" if folder.config_file.exists() else ""
        raise RunError(f"{path} exists already and is not an empty folder; choose another one{remedy}")
    write_json(folder.environment_file, describe_environment(dataset, threads, workers))
    folder.write_config(config)
    return folder


def find_run(path_or_name: str | Path) -> RunFolder:
    """Find the run at a path, or the shipped run of that name."""
    path = Path(path_or_name)
    for candidate in (path, *(place / path_or_name for place in pretrained_places())):
        if (candidate / "config.toml").is_file():
            return RunFolder(candidate)
    if path.is_dir():
        raise RunError(f"{path} is not a run folder: it has no config.toml")
    shipped = ", ".join(shipped_runs()) or "none"
    raise RunError(f"no run {str(path_or_name)!r}; give a run folder or the name of a shipped run ({shipped})")


def pretrained_places() -> list[Path]:
    """Folders that may hold shipped runs: the installed package's, then the repository checkout's."""
    package = Path(tgap.__file__).resolve().parent
    return [package / "pretrained", package.parents[1] / "pretrained"]


def shipped_runs() -> list[str]:
    """Names of the shipped runs."""
    found = (entry.parent.name for place in pretrained_places() for entry in place.glob("*/config.toml"))
    return sorted(set(found))
