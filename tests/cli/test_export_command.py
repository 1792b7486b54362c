from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.asking.run_folder import make_run
from tgap.cli.main import cli
from tgap.data import load_dataset
from tgap.evaluation import evaluate, report_json
from tgap.runs import find_run, load_scorer


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run")


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What tgap evaluate --json writes about the run, from a few queries."""
    loaded = load_scorer(make_run(tmp_path_factory.mktemp("evaluated") / "run"))
    content: dict[str, Any] = json.loads(report_json(evaluate(loaded.scorer, loaded.dataset, "test", limit=20).report))
    return content


def export(run: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["export", str(run), str(run.parent / "copy"), *arguments])


def refusal(run: Path, *arguments: str) -> str:
    """The one line of an export that is refused; nothing is written."""
    result = export(run, *arguments)
    assert result.exit_code == 2, result.output
    assert len(result.output.splitlines()) == 1
    assert not (run.parent / "copy" / "config.toml").exists()
    return result.output


def test_the_copy_answers_with_the_settings_it_was_given(run: Path, evaluation: dict[str, Any]) -> None:
    (run.parent / "test.json").write_text(json.dumps(evaluation))
    changes = ("--set", "core_nodes=7", "--set", "evaluation.sampling_seed=3")
    result = export(run, *changes, "--report", f"test={run.parent / 'test.json'}")
    assert result.exit_code == 0, result.output
    assert "MB of weights" in result.output
    copy = load_scorer(run.parent / "copy")
    assert dict(copy.config.model)["core_nodes"] == 7
    assert copy.config.evaluation.sampling_seed == 3
    report = find_run(run.parent / "copy").report()
    assert report["test"] == {key: evaluation[key] for key in ("raw", "static", "time", "split", "queries", "known")}
    assert report["changed"] == {"model.core_nodes": [4, 7], "evaluation.sampling_seed": [0, 3]}
    assert not (run.parent / "copy" / "checkpoints").exists()


def test_a_report_from_before_protocols_had_names_is_shipped_too(run: Path, evaluation: dict[str, Any]) -> None:
    old = {key: value for key, value in evaluation.items() if key not in ("protocols", "headline", "known")}
    (run.parent / "old.json").write_text(json.dumps(old))
    assert export(run, "--report", f"test={run.parent / 'old.json'}").exit_code == 0
    assert set(find_run(run.parent / "copy").report()["test"]) == {"raw", "static", "time", "split", "queries"}


def test_a_copy_of_a_copy_remembers_what_was_trained(run: Path) -> None:
    assert export(run, "--set", "core_nodes=7").exit_code == 0
    again = ["export", str(run.parent / "copy"), str(run.parent / "again"), "--set", "core_nodes=9"]
    assert CliRunner().invoke(cli, again).exit_code == 0
    assert find_run(run.parent / "again").report()["changed"] == {"model.core_nodes": [4, 9]}


def test_without_a_change_the_report_names_none(run: Path) -> None:
    assert export(run).exit_code == 0
    assert "changed" not in find_run(run.parent / "copy").report()


def test_a_folder_with_something_in_it_is_left_alone(run: Path) -> None:
    live = make_run(run.parent / "copy", model__core_nodes=9)
    before = {path: path.read_bytes() for path in live.iterdir()}
    result = export(run)
    assert result.exit_code == 2
    assert "is not an empty folder; choose another one, or empty it first" in result.output
    assert {path: path.read_bytes() for path in live.iterdir()} == before


def test_an_empty_folder_is_fine(run: Path) -> None:
    (run.parent / "copy").mkdir()
    assert export(run).exit_code == 0


@pytest.mark.parametrize("change", ["dimension=50", "dataset=icews14", "model.steps=2", "training.epochs=9"])
def test_a_setting_that_the_weights_were_made_with_stays(run: Path, change: str) -> None:
    line = refusal(run, "--set", change)
    assert change.partition("=")[0] in line
    assert "only model.core_nodes, model.added_edges, " in line
    assert "evaluation.*" in line


def test_an_unknown_setting_is_one_line(run: Path) -> None:
    assert "colour" in refusal(run, "--set", "colour=7")


def test_a_baseline_has_nothing_to_export(tmp_path: Path) -> None:
    assert "recency, which has no weights" in refusal(make_run(tmp_path / "run", method="recency"))


def test_a_report_that_is_none_is_one_line(run: Path) -> None:
    (run.parent / "broken.json").write_text("{")
    (run.parent / "other.json").write_text('{"time": {"mrr": 0.5}}')
    for given in ("test", *(f"test={run.parent / name}.json" for name in ("absent", "broken", "other"))):
        refusal(run, "--report", given)


@pytest.mark.parametrize(("key", "value"), [("scorer", "recency"), ("dataset", "icews14"), ("entities", 7128)])
def test_figures_of_another_run_are_not_shipped(run: Path, evaluation: dict[str, Any], key: str, value: object) -> None:
    (run.parent / "test.json").write_text(json.dumps({**evaluation, key: value}))
    line = refusal(run, "--report", f"test={run.parent / 'test.json'}")
    assert f"its {key} is {value!r}" in line
    assert "tgap evaluate" in line


def test_figures_do_not_take_the_place_of_the_runs_own(run: Path, evaluation: dict[str, Any]) -> None:
    assert evaluation["entities"] == load_dataset("world").num_entities
    (run.parent / "test.json").write_text(json.dumps(evaluation))
    assert "'validation' of its own" in refusal(run, "--report", f"validation={run.parent / 'test.json'}")
