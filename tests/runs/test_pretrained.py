"""The shipped models give the figures that are shipped with them."""

from __future__ import annotations

from typing import Any

import pytest

from tgap.data import load_dataset
from tgap.errors import DataError
from tgap.evaluation import evaluate
from tgap.evaluation.report import Report
from tgap.runs import LoadedRun, find_run, load_scorer, shipped_runs

SAMPLE = 400  # queries; the shipped report holds the figures of the same sample


def shipped(name: str) -> LoadedRun:
    """A shipped model with its dataset, if that is here."""
    try:
        load_dataset(find_run(name).config().dataset)
    except DataError as error:
        pytest.skip(f"the dataset of {name} is not here: {error}")
    return load_scorer(name)


def assert_close(report: Report, figures: dict[str, Any], mrr: float, hits: float) -> None:
    """All protocols within rounding of the shipped figures."""
    for protocol in ("raw", "static", "time"):
        found = report.of(protocol)
        assert found.mrr == pytest.approx(figures[protocol]["mrr"], abs=mrr)
        assert found.hits1 == pytest.approx(figures[protocol]["hits1"], abs=hits)
        assert found.hits10 == pytest.approx(figures[protocol]["hits10"], abs=hits)


@pytest.mark.parametrize("name", shipped_runs())
def test_a_sample_of_test_queries_reproduces_the_shipped_figures(name: str) -> None:
    run = shipped(name)
    report = evaluate(run.scorer, run.dataset, "test", limit=SAMPLE, seed=0).report
    assert_close(report, find_run(name).report()["sample"], mrr=2e-3, hits=6e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_runs())
def test_the_whole_test_split_reproduces_the_shipped_figures(name: str) -> None:
    run = shipped(name)
    report = evaluate(run.scorer, run.dataset, "test").report
    assert_close(report, find_run(name).report()["test"], mrr=2e-4, hits=5e-4)


def test_something_is_shipped() -> None:
    assert {"icews14", "world"} <= set(shipped_runs())


def test_the_icews14_model_is_as_good_as_the_paper_says() -> None:
    report = find_run("icews14").report()
    raw, time = report["test"]["raw"], report["test"]["time"]
    least = {"mrr": 0.610, "hits1": 0.509, "hits3": 0.677, "hits10": 0.790}
    assert {name: figure for name, figure in least.items() if raw[name] < figure} == {}
    assert time["mrr"] >= 0.65


def test_the_icews14_report_names_the_settings_that_training_did_not_have() -> None:
    run = find_run("icews14")
    settings = run.config().to_dict()
    for name, (trained, shipped_value) in run.report()["changed"].items():
        section, _, key = name.partition(".")
        assert settings[section][key] == shipped_value != trained
