"""Where the data commands write: a dataset's folder, and files that a user names."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click


def storage_place(out: str) -> tuple[str, Path]:
    """Name and folder for ``--out``: a plain name goes to the data folder, anything with a slash is a folder."""
    from tgap.data import CATALOG
    from tgap.data.importing import check_name
    from tgap.data.locations import storage_folder

    as_folder = "/" in out or os.sep in out
    folder = Path(out).expanduser() if as_folder else storage_folder() / out
    check_name(folder.name if as_folder else out, list(CATALOG))
    return folder.name, folder


def check_writable(path: Path, flag: str, force: bool, read: Iterable[Path] = ()) -> None:
    """Refuse to write over a file that is being read, ever, and over any other file unless ``force``."""
    if not path.exists():
        return
    if any(source.exists() and path.samefile(source) for source in read):
        raise click.BadParameter(f"{path} is a file that is being read; choose another", param_hint=flag)
    if path.is_dir():
        raise click.BadParameter(f"{path} is a directory; name a file", param_hint=flag)
    if not force:
        raise click.BadParameter(
            f"{path} exists already; choose another, or overwrite it with --force", param_hint=flag
        )
