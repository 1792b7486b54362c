"""States to resume from: a folder each, written whole under a temporary name and then renamed, the last two kept.

    checkpoints/checkpoint-000007/tensors.safetensors    see snapshot.py
    checkpoints/checkpoint-000007/state.json             see state.py, with digests of itself and of the tensors

A checkpoint that fails its digests is reported and passed over for the one before it.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tgap.config import RunConfig
from tgap.data.atomic import write_folder
from tgap.errors import RunError
from tgap.migrations import FORMAT_OF_0_1, migrated_state, migrated_tensors
from tgap.runs.files import Tensors, encode_tensors, read_json, read_tensors, writing
from tgap.training.state import TrainingState

FORMAT = 3
KEPT = 2
# Settings that a resumed run may change: they say when to stop or save, how much memory validation takes, or how long
# a step is (the way out when a loss is not finite; the run is then not the one that was begun).
CHANGEABLE = {
    "training": ("epochs", "patience", "checkpoint_minutes", "max_minutes", "learning_rate", "clip_norm"),
    "evaluation": ("batch_size", "cache_megabytes"),
}
CHANGEABLE_NAMES = tuple(f"{section}.{name}" for section, names in CHANGEABLE.items() for name in names)

_NAME = re.compile(r"checkpoint-(\d{6,})")


@dataclass(frozen=True)
class Checkpoint:
    """A state and its tensors, as read back."""

    path: Path
    state: TrainingState
    tensors: Tensors


def fixed_settings(config: RunConfig) -> dict[str, Any]:
    """The settings that must not change in the middle of a run, by their full names."""
    fixed: dict[str, Any] = {"method": config.method, "task": config.task}
    for section, settings in config.sections.items():
        changeable = CHANGEABLE.get(section, ())
        fixed |= {f"{section}.{key}": value for key, value in dict(settings).items() if key not in changeable}
    return fixed


def _differing(config: RunConfig, made_with: dict[str, Any] | str) -> list[str]:
    """Names of fixed settings that are not what a checkpoint was made with.

    Settings that are younger than the checkpoint must have their default. Checkpoints once held a digest of all their
    settings (a text); it cannot say which one differs.
    """
    now = fixed_settings(config)
    if isinstance(made_with, str):
        return [] if made_with == _former_digest(config) else ["some of them"]
    defaults = {
        f"{section}.{key}": value
        for section, settings in config.sections.items()
        for key, value in dict(type(settings)()).items()
    }
    return sorted(key for key, value in now.items() if value != made_with.get(key, defaults.get(key)))


def _former_digest(config: RunConfig) -> str:
    fixed = {
        section: {key: value for key, value in dict(settings).items() if key not in CHANGEABLE.get(section, ())}
        for section, settings in config.sections.items()
    }
    task = {} if config.task == "completion" else {"task": config.task}
    return _digest({"method": config.method, **task, **fixed})


class CheckpointStore:
    """The checkpoints of one run. ``problems`` holds a line for each damaged one that was met."""

    def __init__(self, folder: Path, config: RunConfig) -> None:
        self.folder = folder
        self.problems: list[str] = []
        self._config = config
        self._damaged: set[Path] = set()

    def save(self, state: TrainingState, tensors: Tensors) -> Path:
        """Write a checkpoint. If that fails, the earlier ones are as they were."""
        earlier = self._present()
        serial = self._serial(earlier[-1]) + 1 if earlier else 1
        target = self.folder / f"checkpoint-{serial:06d}"
        kept = f"{earlier[-1].name} is intact" if earlier else "there is no earlier checkpoint"
        with writing(target, f"{kept}; afterwards resume the run {self.folder.parent}"):
            self.folder.mkdir(exist_ok=True)
            write_folder(target, self._files(state, tensors))
            self._prune()
        return target

    def load(self) -> Checkpoint | None:
        """Read the newest whole checkpoint; None before the first one. If all are damaged, that is a RunError."""
        present = self._present()
        for path in reversed(present):
            try:
                return self._read(path)
            except _DamagedError as problem:
                self._damaged.add(path)
                self.problems.append(f"{path} is damaged and passed over: {problem}")
        if present:
            raise RunError(
                f"no checkpoint in {self.folder} can be read ({self.problems[0]}); train again into a new folder"
            )
        return None

    def _files(self, state: TrainingState, tensors: Tensors) -> dict[str, bytes]:
        """Content of a checkpoint's files."""
        content = encode_tensors(tensors, {"step": str(state.step)})
        record = {
            "format": FORMAT,
            "config": fixed_settings(self._config),
            "tensors": hashlib.sha256(content).hexdigest(),
            "state": state.to_dict(),
        }
        proved = json.dumps({"sha256": _digest(record), **record}, indent=1).encode()
        return {"tensors.safetensors": content, "state.json": proved}

    def _read(self, path: Path) -> Checkpoint:
        try:
            record = read_json(path / "state.json")
            if record.pop("sha256", None) != _digest(record):
                raise _DamagedError("state.json does not match its digest")
            content = (path / "tensors.safetensors").read_bytes()
            if hashlib.sha256(content).hexdigest() != record["tensors"]:
                raise _DamagedError("tensors.safetensors does not match the digest in state.json")
            tensors, _ = read_tensors(path / "tensors.safetensors")
        except (RunError, OSError) as error:
            raise _DamagedError(str(error)) from error
        if record["format"] == FORMAT_OF_0_1:
            return Checkpoint(path, TrainingState.from_dict(migrated_state(record["state"])), migrated_tensors(tensors))
        if record["format"] != FORMAT:
            raise RunError(f"{path} has format {record['format']}, this version of tgap reads {FORMAT}; train again")
        differing = _differing(self._config, record["config"])
        if differing:
            raise RunError(
                f"the settings differ from those {path} was made with: {', '.join(differing)}; only "
                f"{', '.join(CHANGEABLE_NAMES)} may change in the middle of a run; bring back the others in "
                "config.toml, or train again into a new folder"
            )
        return Checkpoint(path, TrainingState.from_dict(record["state"]), tensors)

    def _present(self) -> list[Path]:
        """Finished checkpoints, oldest first."""
        if not self.folder.is_dir():
            return []
        return sorted((path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)), key=self._serial)

    def _serial(self, path: Path) -> int:
        return int(path.name.rpartition("-")[2])

    def _prune(self) -> None:
        """Remove damaged checkpoints, all but the newest whole ones, and what a killed process left half written."""
        whole = [path for path in self._present() if path not in self._damaged]
        for path in [*self._damaged, *whole[:-KEPT], *self.folder.glob(".*.tmp")]:
            shutil.rmtree(path)
        self._damaged.clear()


class _DamagedError(Exception):
    """A checkpoint is not as it was written."""


def _digest(value: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
