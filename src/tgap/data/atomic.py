"""Files that appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tgap.errors import DataError


def replace_file(path: Path, content: bytes) -> None:
    """Write to a temporary file in the same folder, force it to the disk, then give it its name.

    On any error the old file stays as it was and no temporary file is left; the error is the operating system's own.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)  # mkstemp's 0600 would lock out everybody else
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_atomically(path: Path, content: bytes) -> None:
    """``replace_file`` for a file that a user asked for: folders are made, an error is one clear line."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error
