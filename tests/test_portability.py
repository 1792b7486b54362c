"""What only some systems have is used where it is there and missed where it is not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

from tgap.data.atomic import replace_file, sync_folder
from tgap.kernels import num_threads, set_threads
from tgap.runs.files import write_bytes

ABSENT = ("sched_getaffinity", "fchmod", "O_DIRECTORY")  # from os on Windows, some on macOS too


@pytest.fixture
def _elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system has none of these, and folders cannot be opened."""
    really = os.open

    def files_only(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied", str(path))
        return really(path, flags, mode)

    for name in ABSENT:
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(os, "open", files_only)


@pytest.mark.usefixtures("_elsewhere")
def test_files_are_written_whole_where_folders_cannot_be_opened(tmp_path: Path) -> None:
    for write in (replace_file, write_bytes):
        path = tmp_path / write.__name__
        write(path, b"old")
        write(path, b"new")
        assert path.read_bytes() == b"new"
        assert path.stat().st_mode & 0o777 == 0o644
    assert {path.name for path in tmp_path.iterdir()} == {"replace_file", "write_bytes"}


@pytest.mark.usefixtures("_elsewhere")
def test_all_cores_are_used_where_the_system_does_not_say_which_are_allowed() -> None:
    before = num_threads()
    try:
        assert set_threads(None) == os.cpu_count()
    finally:
        set_threads(before)


@pytest.mark.skipif(not hasattr(os, "O_DIRECTORY"), reason="this system cannot force folders to the disk")
def test_a_folder_is_forced_to_the_disk_where_that_can_be_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    sync_folder(tmp_path)
    assert len(synced) == 1

    def fails(_: int) -> NoReturn:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="Input/output"):
        sync_folder(tmp_path)
