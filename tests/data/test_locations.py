"""Where datasets are looked for and stored."""

from pathlib import Path

import pytest

from tgap.data import data_folder, data_folders, locations
from tgap.data.locations import cache_folder, storage_folder
from tgap.errors import DataError


def test_variable_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TGAP_DATA", str(tmp_path / "new"))
    assert data_folders() == [tmp_path / "new"]
    assert data_folder() == storage_folder() == tmp_path / "new"


def test_read_only_variable_stores_in_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TGAP_DATA", str(tmp_path))
    monkeypatch.setattr("tgap.data.locations.os.access", lambda *_arguments: False)
    assert data_folders() == [tmp_path, cache_folder()]
    assert storage_folder() == cache_folder()


def test_shared_folder_is_beside_the_checkout_and_only_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TGAP_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    module = tmp_path / "checkout" / "src" / "tgap" / "data" / "folder.py"
    monkeypatch.setattr(locations, "__file__", str(module))
    assert data_folders() == [cache_folder()]
    (tmp_path / "shared" / "datasets").mkdir(parents=True)
    assert data_folders() == [cache_folder()]
    module.parent.mkdir(parents=True)
    (tmp_path / "checkout" / "pyproject.toml").touch()
    assert data_folders() == [tmp_path / "shared" / "datasets", cache_folder()]
    assert storage_folder() == cache_folder()


def test_variable_that_names_a_file_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TGAP_DATA", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"TGAP_DATA is '.*file', which is a file; set it to a folder"):
        data_folders()
