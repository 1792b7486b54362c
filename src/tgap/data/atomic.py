"""Files and folders that appear whole or not at all, whatever happens while they are written. The one home of that.

Everything goes to a temporary name beside its place, is forced to the disk and then renamed, so that a crash, a kill or
a full disk leaves what was there. Errors are the operating system's own, except in ``write_atomically``.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tgap.errors import DataError

PREVIOUS = "previous"  # where a folder keeps the one that it took the place of


def replace_file(path: Path, content: bytes) -> None:
    """Write a file under its name, in the place of an older one if there is one.

    On any error the old file stays as it was and no temporary file is left.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    draft = Path(name)
    try:
        write_through(draft, content)
        draft.chmod(0o644)  # mkstemp's 0600 would lock out everybody else
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_atomically(path: Path, content: bytes) -> None:
    """``replace_file`` for a file that a user asked for: folders are made, an error is one clear line."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error


def write_folder(folder: Path, files: Mapping[str, bytes], *, keep_previous: bool = False) -> None:
    """Write a folder of files under its name; an older one of that name goes, or is kept inside as ``previous``."""
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".tmp", dir=folder.parent))
    old = draft / PREVIOUS if keep_previous else draft.with_suffix(".old")
    try:
        for name, content in files.items():
            write_through(draft / name, content)
        draft.chmod(0o755)
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
    except BaseException:
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if not keep_previous:
            shutil.rmtree(old, ignore_errors=True)
    sync_folder(folder.parent)


def take_back_folder(folder: Path) -> None:
    """Put the folder that ``write_folder`` kept inside into its old place, and remove the newer one."""
    newer = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".tmp", dir=folder.parent)) / folder.name
    folder.rename(newer)
    try:
        (newer / PREVIOUS).rename(folder)
    except BaseException:
        newer.rename(folder)
        raise
    finally:
        shutil.rmtree(newer.parent, ignore_errors=True)
    sync_folder(folder.parent)


def put_in_place(draft: Path, path: Path) -> None:
    """Give a file that is written already its name, once it is safely on the disk."""
    with open(draft, "rb") as file:
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Force a folder's list of names to the disk, so that a rename survives a power cut; where systems can do that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_through(path: Path, content: bytes) -> None:
    """Write a file, under the name it has, all the way to the disk."""
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
