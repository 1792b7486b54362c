"""Studies that train, on a dozen entities."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.studies.comparison.recorder import Recorder
from tests.training.standin import small_dataset
from tgap import studies
from tgap.asking.load import load_model
from tgap.cli.main import run as tgap
from tgap.data import load_dataset
from tgap.data.stored import store_dataset
from tgap.methods import config_for, make_learner
from tgap.runs.files import write_tensors
from tgap.runs.folder import RunFolder, create_run
from tgap.studies.comparison.plan import Plan
from tgap.studies.comparison.published import published
from tgap.studies.comparison.variants import ABLATIONS, SIZES, trained_sizes
from tgap.training.interruption import Interruption, InterruptionError


@pytest.fixture
def small(tmp_path: Path) -> str:
    """A dataset on which T-GAP of the recommended width is trained in a moment."""
    store_dataset(small_dataset(), tmp_path / "small", "a test")
    return str(tmp_path / "small")


def test_every_variant_is_a_setting_of_tgap() -> None:
    base = config_for("tgap", "icews14")
    for variant in (*ABLATIONS, *trained_sizes()):
        changed = base.with_values(variant.values)
        assert (changed == base) == (variant.name in ("full", "x20-y200-z200"))


def test_parts_are_left_out_and_trained_alike(small: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    line = ["study", "ablation", small, "--variants", "no-pgnn,full", "--epochs", "0.3", "--limit", "20"]
    line += ["--threads", "1", "--out", str(out)]
    assert tgap(line) == 0
    said = capsys.readouterr()
    assert "no PGNN" in said.out
    assert "no PGNN: training" in said.err
    document = json.loads((out / "comparison.json").read_text())
    assert {row["name"]: row["settings"]["model"]["pgnn_layers"] for row in document["methods"]} == {
        "full": 1,
        "no-pgnn": 0,
    }
    assert {row["settings"]["training"]["epochs"] for row in document["methods"]} == {0.3}
    assert tgap(line) == 0
    assert "training" not in capsys.readouterr().err, "nothing is trained again"


def test_a_training_study_is_watched_interrupted_and_gone_on_with(small: str, tmp_path: Path) -> None:
    wanted = {"variants": "full", "epochs": 0.3, "limit": 20, "out": tmp_path / "out"}
    interruption, heard = Interruption(), Recorder()

    @contextmanager
    def watch(plan: Plan) -> Iterator[Recorder]:
        assert plan.out == tmp_path / "out"
        yield heard

    interruption.request()
    with pytest.raises(InterruptionError):
        studies.ablation(small, watch=watch, interruption=interruption, **wanted)
    assert heard.heard == ["train full"]
    found = studies.ablation(small, watch=watch, **wanted)
    assert heard.heard[1:] == ["train full", "score full", "done full"]
    again = studies.ablation(small, **wanted)  # nothing is trained or ranked again
    assert again.to_dict()["methods"] == found.to_dict()["methods"]
    assert json.loads((tmp_path / "out" / "comparison.json").read_text()) == json.loads(again.to_json())


def test_ctrl_c_tells_where_to_go_on(
    small: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise InterruptionError

    monkeypatch.setattr("tgap.studies.comparison.session._train", stopped)
    with pytest.raises(SystemExit) as left:
        tgap(["study", "ablation", small, "--variants", "full", "--out", str(tmp_path / "out")])
    assert left.value.code == 128
    assert f"Stopped; everything is saved in {tmp_path / 'out'}. The same command goes on" in capsys.readouterr().out


def test_an_unknown_variant_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tgap(["study", "ablation", "world", "--variants", "no-time", "--out", str(tmp_path / "out")]) == 2
    assert "unknown variant 'no-time'; expected one of full, no-displacement" in capsys.readouterr().err


def test_the_dial_asks_and_trains_every_size(
    small: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, run, sizes = tmp_path / "out", tmp_path / "run", SIZES[:2]
    config = config_for("tgap", small)
    weights = make_learner(config, small_dataset()).module.state_dict()
    write_tensors(create_run(run, config, load_dataset(small)).weights_file, weights, {})
    for module in ("sample_sizes", "comparison.variants"):
        monkeypatch.setattr(f"tgap.studies.{module}.SIZES", sizes)
    line = ["study", "dial", str(run), "--train", "--epochs", "0.3", "--limit", "20", "--threads", "1"]
    assert tgap([*line, "--out", str(out)]) == 0
    assert "trained and asked with it" in capsys.readouterr().out
    with (out / "dial.csv").open() as file:
        rows = list(csv.DictReader(file))
    for kind in ("asked", "trained"):
        found = [(int(row["x"]), int(row["y"]), int(row["z"])) for row in rows if row["kind"] == kind]
        assert found == list(sizes)
    for row in rows:
        assert float(row["low"]) <= float(row["mrr"]) <= float(row["high"])
        assert float(row["milliseconds"]) > 0
    assert RunFolder(out / "runs" / "x5-y50-z50").weights_file.exists()
    assert (out / "dial.png").read_bytes().startswith(b"\x89PNG")
    found = studies.dial(load_model(run), limit=20)
    assert [(point.x, point.y, point.z) for point in found.points] == list(sizes)
    mrr = [round(float(row["mrr"]), 9) for row in rows if row["kind"] == "asked"]
    assert [round(point.mrr, 9) for point in found.points] == mrr
    assert found.to_dict()["schema"] == "tgap.dial/1"


def test_unseen_days_are_asked_of_every_method_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan is the test: how plans are carried out is that of ``tgap compare``."""
    plans: list[Plan] = []

    def planned(plan: Plan, *_: object) -> None:
        plans.append(plan)
        raise InterruptionError

    monkeypatch.setattr("tgap.studies.comparison.carry_out.carry_out", planned)
    with pytest.raises(InterruptionError):
        studies.unseen(out=tmp_path)
    assert plans[0].dataset == "icews14-unseen"
    names = [entry.name for entry in plans[0].entries]
    assert set(names) >= {figure.name for figure in published() if figure.dataset == "icews14-unseen"}
    assert all(entry.folder is None or entry.folder.path.parent == tmp_path / "runs" for entry in plans[0].entries)


def test_a_run_of_other_data_does_not_answer_about_unseen_days(capsys: pytest.CaptureFixture[str]) -> None:
    assert tgap(["study", "unseen", "--run", "tgap=world"]) == 2
    assert "not of tgap on icews14-unseen" in capsys.readouterr().err
