from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.training.standin import config_of
from tgap.config import RunConfig
from tgap.data import atomic
from tgap.errors import RunError
from tgap.training import checkpoint
from tgap.training.checkpoint import CheckpointStore
from tgap.training.state import Tally, TrainingState

STATE = TrainingState(epoch=1, batch=3, step=17, seconds=0.1 + 0.2, window=Tally(steps=2, loss=1 / 3))


def tensors_of(value: float, size: int = 5) -> dict[str, torch.Tensor]:
    return {"weights/a": torch.full((size,), value), "count/a": torch.tensor(3.0)}


def store_in(path: Path, **training: Any) -> CheckpointStore:
    return CheckpointStore(path / "checkpoints", config_of(**training))


def loaded_value(store: CheckpointStore) -> float:
    found = store.load()
    assert found is not None
    return found.tensors["weights/a"][0].item()


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in (path / "checkpoints").iterdir())


def test_state_comes_back_exactly(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    assert store.load() is None
    store.save(STATE, tensors_of(1.5))
    found = store_in(tmp_path).load()
    assert found is not None
    assert found.state == STATE
    assert torch.equal(found.tensors["weights/a"], tensors_of(1.5)["weights/a"])


def test_the_two_newest_are_kept(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    for value in range(4):
        store.save(STATE, tensors_of(value))
    assert names(tmp_path) == ["checkpoint-000003", "checkpoint-000004"]
    assert loaded_value(store_in(tmp_path)) == 3.0


@pytest.mark.parametrize("file", ["tensors.safetensors", "state.json"])
@pytest.mark.parametrize("damage", ["truncated", "flipped", "absent"])
def test_a_damaged_newest_checkpoint_gives_way_to_the_one_before(tmp_path: Path, file: str, damage: str) -> None:
    store = store_in(tmp_path)
    store.save(STATE, tensors_of(1.0))
    path = store.save(STATE, tensors_of(2.0)) / file
    content = bytearray(path.read_bytes())
    content[len(content) * 3 // 4] ^= 4
    if damage == "absent":
        path.unlink()
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "truncated" else content)
    fresh = store_in(tmp_path)
    assert loaded_value(fresh) == 1.0
    (problem,) = fresh.problems
    assert "checkpoint-000002 is damaged and passed over" in problem
    assert "\n" not in problem
    # The next save removes the damaged one, not the good one.
    fresh.save(STATE, tensors_of(3.0))
    assert names(tmp_path) == ["checkpoint-000001", "checkpoint-000003"]


def test_if_all_are_damaged_nothing_is_guessed(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    (store.save(STATE, tensors_of(1.0)) / "state.json").write_text("{}")
    with pytest.raises(RunError, match=r"no checkpoint .* can be read"):
        store_in(tmp_path).load()


def test_settings_that_decide_the_course_may_not_change(tmp_path: Path) -> None:
    store_in(tmp_path).save(STATE, tensors_of(1.0))
    assert loaded_value(store_in(tmp_path, epochs=9.0, max_minutes=3.0, patience=2, checkpoint_minutes=1.0)) == 1.0
    assert loaded_value(store_in(tmp_path, learning_rate=1e-4, clip_norm=1.0)) == 1.0
    with pytest.raises(RunError, match=r"made with: training\.batch_size; only training\.epochs, training\.patience"):
        store_in(tmp_path, batch_size=9).load()


def test_a_setting_younger_than_the_checkpoint_must_have_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = checkpoint.fixed_settings

    def before_there_were_seeds(config: RunConfig) -> dict[str, Any]:
        return {name: value for name, value in whole(config).items() if name != "training.seed"}

    with monkeypatch.context() as past:
        past.setattr(checkpoint, "fixed_settings", before_there_were_seeds)
        store_in(tmp_path).save(STATE, tensors_of(1.0))
    assert loaded_value(store_in(tmp_path)) == 1.0
    with pytest.raises(RunError, match=r"made with: training\.seed; only"):
        store_in(tmp_path, seed=5).load()


def test_checkpoints_that_hold_a_digest_of_their_settings_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as past:
        past.setattr(checkpoint, "fixed_settings", checkpoint._former_digest)
        store_in(tmp_path).save(STATE, tensors_of(1.0))
    assert loaded_value(store_in(tmp_path, epochs=9.0)) == 1.0
    with pytest.raises(RunError, match="made with: some of them; only"):
        store_in(tmp_path, seed=5).load()


def test_of_evaluation_only_memory_and_speed_may_change(tmp_path: Path) -> None:
    store_in(tmp_path).save(STATE, tensors_of(1.0))
    smaller = config_of().with_values({"evaluation.batch_size": 9, "cache_megabytes": 1})
    assert loaded_value(CheckpointStore(tmp_path / "checkpoints", smaller)) == 1.0
    with pytest.raises(RunError, match="the settings differ"):
        CheckpointStore(tmp_path / "checkpoints", config_of().with_values({"sampling_seed": 7})).load()


def test_a_full_disk_leaves_the_earlier_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_in(tmp_path)
    store.save(STATE, tensors_of(1.0))

    def full(path: Path, content: bytes) -> None:
        path.write_bytes(content[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic, "write_through", full)
    with pytest.raises(
        RunError, match=r"disk is full: free some space; checkpoint-000001 is intact; afterwards resume"
    ):
        store.save(STATE, tensors_of(2.0))
    assert names(tmp_path) == ["checkpoint-000001"]
    assert loaded_value(store_in(tmp_path)) == 1.0


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 200 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        pytest.skip("a small file system can only be mounted by root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_really_full_disk(tiny_disk: Path) -> None:
    store = store_in(tiny_disk)
    store.save(STATE, tensors_of(1.0))
    with pytest.raises(RunError, match="disk is full"):
        store.save(STATE, tensors_of(2.0, size=100_000))
    assert names(tiny_disk) == ["checkpoint-000001"]
    assert loaded_value(store_in(tiny_disk)) == 1.0


def test_a_really_read_only_disk(tiny_disk: Path) -> None:
    store = store_in(tiny_disk)
    store.save(STATE, tensors_of(1.0))
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    with pytest.raises(RunError, match="read-only: choose another folder; checkpoint-000001 is intact"):
        store.save(STATE, tensors_of(2.0))
    assert loaded_value(store_in(tiny_disk)) == 1.0


def test_leftovers_of_a_killed_process_are_cleared_away(tmp_path: Path) -> None:
    leftover = tmp_path / "checkpoints" / ".abc.tmp"
    leftover.mkdir(parents=True)
    (leftover / "tensors.safetensors").write_bytes(b"half")
    store = store_in(tmp_path)
    assert store.load() is None
    store.save(STATE, tensors_of(1.0))
    assert names(tmp_path) == ["checkpoint-000001"]
