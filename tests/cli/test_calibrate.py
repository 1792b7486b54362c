"""tgap calibrate on a real run folder, and what predict and explain then say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tgap
from tests.asking.run_folder import make_run
from tgap.cli.main import cli
from tgap.runs import RunFolder, export_run, find_run, load_scorer, shipped_runs
from tgap.runs.files import read_tensors, write_tensors


def call(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(cli, [*map(str, arguments)])


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = make_run(tmp_path_factory.mktemp("calibrated") / "world")
    figure = run / "curve.png"
    result = call("calibrate", run, "--limit", "60", "--test", "--json", run / "found.json", "--figure", figure)
    assert result.exit_code == 0, result.output
    assert "valid: expected calibration error" in result.output
    assert "test: expected calibration error" in result.output
    assert figure.read_bytes().startswith(b"\x89PNG")
    return run


def test_it_is_kept_in_the_run_and_told_beside_answers(calibrated: Path, fact: tuple[str, str, str, str]) -> None:
    document = json.loads((calibrated / "found.json").read_text(encoding="utf-8"))
    assert document["format"] == "tgap.calibration/1"
    assert set(document["test"]) == {"raw", "calibrated"}
    found = load_scorer(calibrated).calibration
    assert found is not None
    assert found.split == "valid"
    for command in ("predict", "explain"):
        answer = json.loads(call(command, calibrated, fact[0], fact[1], fact[3], "--json", "-").output)["calibration"]
        assert answer["low"] <= answer["high"]
        assert 0 <= answer["right"] <= 1
        told = " ".join(call(command, calibrated, fact[0], fact[1], fact[3]).output.split())
        assert f"(n = {answer['answers']:,}, valid); calibrated, {answer['answer']} has" in told


def test_it_is_about_an_answer_that_train_does_not_tell(calibrated: Path) -> None:
    model = tgap.load(calibrated)
    data = model.dataset
    for fact in data.train[:40]:
        question = data.entities.name(fact.subject), data.relations.name(fact.relation)
        time = data.timeline.format(fact.time)
        found = model.predict(question[0], question[1], "?", time)
        told = {row.name for row in found.answers if row.known_when == "same" and "train" in row.known_in}
        first = next((row for row in found.answers if row.name not in told), None)
        if found.calibration is not None:
            assert first is not None
            assert found.calibration.answer == first.name
            taken = sum(row.score for row in found.answers if row.name in told)
            assert found.calibration.probability >= first.score / (1 - taken) - 1e-6  # known answers are taken out
    name = data.entities.name(fact.object)
    seen = model.explain(question[0], question[1], name, time, hide_asked=False, effects=0)
    assert seen.document.calibration is None  # a fact in sight, repeated
    narrow = model.predict(question[0], question[1], "?", time, as_of=time)
    assert narrow.calibration is None


def test_other_settings_have_no_calibration(calibrated: Path) -> None:
    assert load_scorer(calibrated, {"evaluation.batch_size": 3}).calibration is None


@pytest.mark.parametrize("name", ["icews14", "world"])
def test_shipped_models_carry_one(name: str) -> None:
    if name not in shipped_runs():
        pytest.skip(f"no pretrained run of {name} is shipped here")
    found = find_run(name).calibration()  # None if settings or weights were changed since
    assert found is not None
    assert found.calibrated.error < found.raw.error
    assert found.questions > 1000


def test_a_copy_takes_it_along_unless_settings_change(calibrated: Path, tmp_path: Path) -> None:
    assert export_run(calibrated, tmp_path / "same").calibration() is not None
    changed = export_run(calibrated, tmp_path / "other", changes={"model.core_nodes": 3})
    assert not changed.calibration_file.exists()


def test_other_weights_make_it_void(tmp_path: Path) -> None:
    run = RunFolder(make_run(tmp_path / "world"))
    assert call("calibrate", run.path, "--limit", "20").exit_code == 0
    assert run.calibration() is not None
    tensors, metadata = read_tensors(run.weights_file)
    write_tensors(run.weights_file, {name: tensor * 1.5 for name, tensor in tensors.items()}, metadata)
    assert run.calibration() is None


def test_a_run_without_calibration_says_nothing(run_folder: Path, fact: tuple[str, str, str, str]) -> None:
    assert (
        json.loads(call("predict", run_folder, fact[0], fact[1], fact[3], "--json", "-").output)["calibration"] is None
    )
    assert "n = " not in call("predict", run_folder, fact[0], fact[1], fact[3]).output


def test_python_gives_what_the_command_line_gives(tmp_path: Path) -> None:
    run = RunFolder(make_run(tmp_path / "world"))
    result = call("calibrate", run.path, "--limit", "20", "--test", "--json", "-")
    kept = run.calibration_file.read_bytes()
    model = tgap.load(run.path)
    found = model.calibrate(limit=20, test=True)
    assert json.loads(found.to_json()) == json.loads(result.stdout)
    assert (found.kept, run.calibration_file.read_bytes()) == (run.calibration_file, kept)
    narrow = model.with_setting(past_only=True).calibrate(limit=20)
    assert narrow.kept is None
    assert narrow.to_dict() != found.to_dict()
    assert tgap.load(run.path, core_nodes=3).calibrate(limit=20).kept is None
    assert run.calibration_file.read_bytes() == kept
