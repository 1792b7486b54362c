"""Where datasets live: TGAP_DATA, else ``../shared/datasets`` beside the checkout, else the user's cache directory.

The shared folder is only ever read. What is imported or downloaded goes to TGAP_DATA if that is set and writable,
else to the cache; both are searched.
"""

from __future__ import annotations

import os
from pathlib import Path

from tgap.errors import DataError

VARIABLE = "TGAP_DATA"


def data_folder() -> Path:
    """The data folder: the first place that is searched."""
    return data_folders()[0]


def data_folders() -> list[Path]:
    """All places that are searched, in this order."""
    chosen = _chosen()
    if chosen is not None:
        return [chosen] if _writable(chosen) else [chosen, cache_folder()]
    shared = _shared()
    return [shared, cache_folder()] if shared is not None else [cache_folder()]


def storage_folder() -> Path:
    """Where imports and downloads are written; need not exist yet."""
    return data_folders()[-1]


def cache_folder() -> Path:
    """The user's cache directory for this program."""
    import platformdirs  # noqa: PLC0415  importing tgap.data stays quick

    return Path(platformdirs.user_cache_dir("tgap", appauthor=False)) / "datasets"


def _chosen() -> Path | None:
    value = os.environ.get(VARIABLE, "")
    folder = Path(value).expanduser() if value else None
    if folder is not None and folder.exists() and not folder.is_dir():
        raise DataError(f"{VARIABLE} is {value!r}, which is a file; set it to a folder")
    return folder


def _shared() -> Path | None:
    """The read-only folder beside the checkout that this package runs from, if both exist."""
    checkout = Path(__file__).resolve().parents[3]
    folder = checkout.parent / "shared" / "datasets"
    return folder if (checkout / "pyproject.toml").is_file() and folder.is_dir() else None


def _writable(folder: Path) -> bool:
    """Whether something can be written there; of a folder that does not exist yet, whether it can be made."""
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
