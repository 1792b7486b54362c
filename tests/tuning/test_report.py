"""What a search leaves behind, when several write it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from optuna.study import Study

from tgap.methods import config_for
from tgap.tuning import report
from tgap.tuning.report import Found, found_by, write_found
from tgap.tuning.space import Space, read_space
from tgap.tuning.study import StudyFolder


def test_who_has_read_earlier_does_not_write_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = config_for("distmult", "world")
    space = read_space({"search": "in turn", "settings": {"model.rank": [4, 8]}})
    folder = StudyFolder(tmp_path / "search")
    folder.describe(base, space, "")
    study = folder.open(space, 0)
    one, two = study.ask(), study.ask()
    for trial in (one, two):
        trial.suggest_categorical("model.rank", [4, 8])
    study.tell(one, 0.1)
    has_read, may_write = threading.Event(), threading.Event()

    def slow(study: Study, space: Space) -> Found:
        found = found_by(study, space)
        if not has_read.is_set():
            has_read.set()
            may_write.wait(0.5)  # time enough for the other to overtake, were nothing to hold it
        return found

    monkeypatch.setattr(report, "found_by", slow)
    early = threading.Thread(target=write_found, args=(folder, base, space, study))
    early.start()
    has_read.wait(20)
    other = folder.open(space, 0)
    other.tell(two.number, 0.2)
    write_found(folder, base, space, other)
    may_write.set()
    early.join()
    assert "running" not in (folder.path / "trials.csv").read_text()
    assert f"rank = {two.params['model.rank']}\n" in folder.best_file.read_text()
