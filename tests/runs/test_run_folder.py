from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import tgap
from tests.locks import locked_elsewhere
from tests.training.standin import config_of, new_run, small_dataset
from tgap.errors import RunError
from tgap.runs import environment as environment_module
from tgap.runs import folder as folder_module
from tgap.runs.environment import latest_environment
from tgap.runs.folder import RunFolder, create_run, find_run, shipped_runs


def test_a_new_run_tells_where_it_comes_from(tmp_path: Path) -> None:
    dataset = small_dataset()
    folder = create_run(tmp_path / "deep" / "run", config_of(), dataset, threads=2)
    assert folder.config() == config_of()
    environment = folder.environment()
    assert environment["dataset"]["name"] == "small"
    assert environment["dataset"]["checksum"] == dataset.checksum
    assert environment["machine"]["threads"] == 2
    assert environment["machine"]["processor"]
    assert environment["versions"]["tgap"] == tgap.__version__
    assert environment["versions"]["torch"]
    if (Path(tgap.__file__).parents[2] / ".git").exists():
        assert len(environment["source"]["commit"]) == 40
    assert str(tmp_path) not in json.dumps(environment)
    assert folder.report() == {}
    assert folder.metrics() == []


def test_an_existing_folder_is_never_overwritten(tmp_path: Path) -> None:
    new_run(tmp_path / "run")
    with pytest.raises(
        RunError, match=r"exists already .* choose another one, or continue it with: tgap train --resume"
    ):
        new_run(tmp_path / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(RunError, match="not an empty folder"):
        new_run(tmp_path / "other")
    with pytest.raises(RunError, match="not an empty folder"):
        new_run(tmp_path / "other" / "file")


def test_a_folder_that_cannot_be_made_is_named() -> None:
    with pytest.raises(RunError, match="cannot write /sys/tgap-run"):
        new_run(Path("/sys/tgap-run"))


def test_a_read_only_folder_gives_one_line(tmp_path: Path) -> None:
    new_run(tmp_path / "before")  # loads what it needs
    tmp_path.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)  # root may write everywhere
    try:
        with pytest.raises(RunError, match="may not be written to: mend its permissions or choose another folder"):
            new_run(tmp_path / "run")
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o755)


def test_runs_are_found_by_path_or_by_shipped_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = tmp_path / "pretrained"
    new_run(shipped / "icews14")
    monkeypatch.setattr(folder_module, "pretrained_places", lambda: [tmp_path / "absent", shipped])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "icews14").mkdir()  # a folder that is no run does not hide the shipped one
    assert find_run("icews14").path == shipped / "icews14"
    assert shipped_runs() == ["icews14"]
    new_run(tmp_path / "mine")
    assert find_run(tmp_path / "mine").path == tmp_path / "mine"
    with pytest.raises(RunError, match=r"no run 'nothing'; .*\(icews14\)"):
        find_run("nothing")
    (tmp_path / "plain").mkdir()
    with pytest.raises(RunError, match="not a run folder"):
        find_run("plain")


def test_another_dataset_is_refused(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run", small_dataset(seed=0))
    folder.check_dataset(small_dataset(seed=0))
    with pytest.raises(RunError, match=r"has checksum .* was made with .*; bring back the dataset"):
        folder.check_dataset(small_dataset(seed=1))


def test_a_damaged_config_is_named(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    folder.config_file.write_text(folder.config_file.read_text().replace("width", "speed"))
    with pytest.raises(RunError, match=r"config\.toml does not fit this version of tgap: unknown setting"):
        folder.config()
    with pytest.raises(RunError, match="cannot read"):
        RunFolder(tmp_path).config()


def test_metrics_leave_out_a_torn_last_line_and_name_a_damaged_file(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    folder.metrics_file.write_text('{"step": 1}\n{"step": 2}\n{"st')
    assert folder.metrics() == [{"step": 1}, {"step": 2}]
    folder.metrics_file.write_text('{"st\n{"step": 2}\n')
    with pytest.raises(RunError, match=r"metrics\.jsonl is damaged"):
        folder.metrics()


def test_a_run_locks_out_others_until_it_ends(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    refused = pytest.raises(RunError, match="another process is training")
    with locked_elsewhere(folder), refused, folder.locked():
        pass
    with folder.locked(), folder.locked():  # blocks of one process may nest
        pass


def test_going_on_elsewhere_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, dataset = new_run(tmp_path / "run"), small_dataset()
    begun = folder.environment()
    folder.record_resume(dataset, 1, {})
    assert list(folder.environment()["resumed"][0]) == ["date"]

    commit = {"commit": "0" * 40, "changed": False}
    monkeypatch.setattr(environment_module, "source_revision", lambda: commit)
    monkeypatch.setattr(tgap, "__version__", "9.9")
    folder.record_resume(dataset, 2, {"training.clip_norm": [3.0, 1.0]})
    folder.record_resume(dataset, 2, {})
    environment = folder.environment()
    _, second, third = environment["resumed"]
    assert second == {
        "date": second["date"],
        "versions": {"tgap": "9.9"},
        "machine": {"threads": 2},
        "source": commit,
        "settings": {"training.clip_norm": [3.0, 1.0]},
    }
    assert list(third) == ["date"]  # as it was the last time
    assert latest_environment(environment)["machine"]["threads"] == 2
    assert {key: environment[key] for key in begun} == begun
