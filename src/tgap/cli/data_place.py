"""Where a dataset that is to be stored goes: a name in the data folder, or a folder of the user's choice."""

from __future__ import annotations

import os
from pathlib import Path


def storage_place(out: str) -> tuple[str, Path]:
    """Name and folder for ``--out``: a plain name goes to the data folder, anything with a slash is a folder."""
    from tgap.data import CATALOG
    from tgap.data.folder import storage_folder
    from tgap.data.importing import check_name

    as_folder = "/" in out or os.sep in out
    folder = Path(out).expanduser() if as_folder else storage_folder() / out
    check_name(folder.name if as_folder else out, list(CATALOG))
    return folder.name, folder
