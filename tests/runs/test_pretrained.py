"""The shipped models give the metrics that are shipped with them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tgap.data import CATALOG, load_dataset
from tgap.errors import DataError
from tgap.evaluation import Bootstrap, Evaluation, evaluate
from tgap.evaluation.bootstrap import metric_intervals
from tgap.evaluation.report import Report
from tgap.methods import config_for
from tgap.runs import LoadedRun, find_run, load_scorer, shipped_runs

PAPER = {  # raw
    "icews14": {"mrr": 0.610, "hits1": 0.509, "hits3": 0.677, "hits10": 0.790},
    "icews05-15": {"mrr": 0.670, "hits1": 0.568, "hits3": 0.743, "hits10": 0.845},
    "wikidata11k": {"mrr": 0.778, "hits1": 0.697, "hits3": 0.844, "hits10": 0.903},
}


def shipped(name: str) -> LoadedRun:
    """A shipped model with its dataset, if that is here."""
    try:
        load_dataset(find_run(name).config().dataset)
    except DataError as error:
        pytest.skip(f"the dataset of {name} is not here: {error}")
    return load_scorer(name)


@cache
def sampled(name: str) -> Evaluation:
    """A shipped model, measured here on the sample of test queries that its report holds the metrics of."""
    run = shipped(name)
    asked = find_run(name).report()["sample"]["queries"]
    return evaluate(run.scorer, run.dataset, "test", limit=asked["ranked"], seed=asked["seed"])


def assert_close(report: Report, expected: dict[str, Any], mrr: float, hits: float) -> None:
    """All protocols within rounding of the shipped metrics."""
    for protocol in report.protocols:
        found = report.of(protocol)
        assert found.mrr == pytest.approx(expected[protocol]["mrr"], abs=mrr)
        assert found.hits1 == pytest.approx(expected[protocol]["hits1"], abs=hits)
        assert found.hits10 == pytest.approx(expected[protocol]["hits10"], abs=hits)


@pytest.mark.parametrize("name", shipped_runs())
def test_a_sample_of_test_queries_reproduces_the_shipped_metrics(name: str) -> None:
    assert_close(sampled(name).report, find_run(name).report()["sample"], mrr=2e-3, hits=6e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_runs())
def test_the_whole_test_split_reproduces_the_shipped_metrics(name: str) -> None:
    run = shipped(name)
    report = evaluate(run.scorer, run.dataset, "test").report
    assert_close(report, find_run(name).report()["test"], mrr=2e-4, hits=5e-4)
    assert {
        metric: least for metric, least in PAPER.get(name, {}).items() if getattr(report.of("raw"), metric) < least
    } == {}


@pytest.mark.parametrize("name", shipped_runs())
def test_metrics_of_the_whole_split_fit_the_sample_that_is_measured_here(name: str) -> None:
    """Shipped numbers are not believed: each must lie where the measured sample allows the whole to be."""
    evaluation = sampled(name)
    intervals = metric_intervals(evaluation.ranks, evaluation.queries, Bootstrap(level=0.999))
    whole = find_run(name).report()["test"]
    for protocol, part in intervals.items():
        for metric in ("mrr", "hits1", "hits3", "hits10"):
            assert part[metric].low <= whole[protocol][metric] <= part[metric].high, (protocol, metric)


def test_something_is_shipped() -> None:
    assert {"icews14", "world"} <= set(shipped_runs())


@pytest.mark.parametrize("name", PAPER)
def test_models_are_as_good_as_the_paper_says(name: str) -> None:
    """By the shipped metrics, which the tests above hold to what is measured."""
    whole = find_run(name).report()["test"]
    assert {metric: least for metric, least in PAPER[name].items() if whole["raw"][metric] < least} == {}
    assert whole["time"]["mrr"] >= 0.65


@pytest.mark.parametrize("name", [name for name in shipped_runs() if CATALOG[find_run(name).config().dataset].tuned])
def test_the_recommended_settings_are_those_that_the_shipped_model_was_trained_with(name: str) -> None:
    run = find_run(name)
    config = run.config()
    trained = config.with_values({key: value for key, (value, _) in run.report().get("changed", {}).items()})
    assert trained == config_for(config.method, config.dataset)


def test_the_icews14_report_names_the_settings_that_training_did_not_have() -> None:
    run = find_run("icews14")
    settings = run.config().to_dict()
    for name, (trained, shipped_value) in run.report()["changed"].items():
        section, _, key = name.partition(".")
        assert settings[section][key] == shipped_value != trained
