"""Files and folders that are there whole or not at all, on systems with and without Linux's calls."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tgap.data import atomic
from tgap.data.atomic import put_in_place, replace_file, sync_folder, take_back_folder, write_atomically, write_folder
from tgap.errors import DataError


def full(_handle: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_replaced_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    replace_file(path, b"old")
    assert path.stat().st_mode & 0o777 == 0o644
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"new")
    with pytest.raises(DataError, match=r"cannot write .*f: No space left on device"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["f"]


def test_a_folder_is_replaced_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "d"
    write_folder(folder, {"a": b"1", "b": b"2"})
    write_folder(folder, {"a": b"3"})
    assert names(folder) == ["a"]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_folder(folder, {"a": b"4"})
    assert (folder / "a").read_bytes() == b"3"
    assert names(tmp_path) == ["d"]


@pytest.mark.parametrize("keep_previous", [False, True])
def test_a_rename_that_fails_brings_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep_previous: bool
) -> None:
    folder = tmp_path / "d"
    write_folder(folder, {"a": b"1"})
    real = Path.rename

    def fails(self: Path, target: Path) -> Path:
        if target == folder and not self.name.endswith((".old", "previous")):
            raise PermissionError(errno.EACCES, "no")
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fails)
        with pytest.raises(PermissionError):
            write_folder(folder, {"a": b"2"}, keep_previous=keep_previous)
    assert (folder / "a").read_bytes() == b"1"
    assert names(tmp_path) == ["d"]


def test_what_was_kept_can_be_taken_back(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    write_folder(folder, {"a": b"1"})
    write_folder(folder, {"a": b"2"}, keep_previous=True)
    assert names(folder) == ["a", "previous"]
    take_back_folder(folder)
    assert (folder / "a").read_bytes() == b"1"
    assert names(tmp_path) == ["d"]
    with pytest.raises(FileNotFoundError):
        take_back_folder(folder)
    assert (folder / "a").read_bytes() == b"1"
    assert names(tmp_path) == ["d"]


def test_a_file_that_is_written_gets_its_name(tmp_path: Path) -> None:
    (tmp_path / "f.part").write_bytes(b"x")
    put_in_place(tmp_path / "f.part", tmp_path / "f")
    assert names(tmp_path) == ["f"]


def test_systems_that_cannot_sync_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_DIRECTORY", raising=False)
    monkeypatch.delattr(os, "fchmod", raising=False)
    sync_folder(tmp_path / "nowhere")
    atomic.replace_file(tmp_path / "f", b"x")
    write_folder(tmp_path / "d", {"a": b"1"})
    assert names(tmp_path) == ["d", "f"]
