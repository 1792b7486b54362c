from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
import torch

from tgap.errors import RunError
from tgap.runs.files import read_json, read_tensors, tensor_digest, write_bytes, write_json, write_tensors, writing

TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.tensor(3), "c": torch.zeros(0, 4)}


def test_tensors_come_back_with_their_metadata(tmp_path: Path) -> None:
    path = tmp_path / "t.safetensors"
    write_tensors(path, TENSORS, {"step": "7"})
    tensors, metadata = read_tensors(path)
    assert metadata["step"] == "7"
    assert tensors.keys() == TENSORS.keys()
    assert all(torch.equal(tensors[name], TENSORS[name]) for name in TENSORS)


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "garbage"])
def test_damaged_tensors_are_noticed(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "t.safetensors"
    write_tensors(path, TENSORS, {})
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[-3] ^= 1
    damaged = {"truncated": bytes(content[:-4]), "flipped": bytes(content), "empty": b"", "garbage": b"x" * 99}
    path.write_bytes(damaged[damage])
    with pytest.raises(RunError, match=r"t\.safetensors is damaged"):
        read_tensors(path)


def test_digest_sees_names_types_and_shapes() -> None:
    plain = tensor_digest({"a": torch.zeros(4)})
    assert plain == tensor_digest({"a": torch.zeros(4)})
    assert plain != tensor_digest({"b": torch.zeros(4)})
    assert plain != tensor_digest({"a": torch.zeros(2, 2)})
    assert plain != tensor_digest({"a": torch.zeros(4, dtype=torch.int32)})


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.json"
    write_json(path, {"old": 1})

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"cannot write .*f\.json: the disk is full: free some space"):
        write_json(path, {"new": 2})
    assert read_json(path) == {"old": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["f.json"]


def test_messages_name_the_remedy() -> None:
    for number, words in ((errno.EROFS, "read-only"), (errno.EACCES, "permissions"), (errno.EIO, "Input/output error")):
        with pytest.raises(RunError, match=words), writing(Path("x")):
            raise OSError(number, os.strerror(number))


def test_damaged_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    for content in (b'{"a": ', b"[1]", b"\xff\xfe"):
        write_bytes(path, content)
        with pytest.raises(RunError, match=r"f\.json is damaged"):
            read_json(path)
    with pytest.raises(RunError, match="cannot read"):
        read_json(tmp_path / "absent.json")
