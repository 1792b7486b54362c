"""The shipped models give the figures that are shipped with them."""

from __future__ import annotations

import pytest

from tgap.data import load_dataset
from tgap.errors import DataError
from tgap.evaluation import evaluate
from tgap.runs import find_run, load_scorer, shipped_runs

SAMPLE = 400  # queries; the shipped report holds the figures of the same sample


@pytest.mark.parametrize("name", shipped_runs())
def test_a_sample_of_test_queries_reproduces_the_shipped_figures(name: str) -> None:
    try:
        load_dataset(find_run(name).config().dataset)
    except DataError as error:
        pytest.skip(f"the dataset of {name} is not here: {error}")
    run = load_scorer(name)
    report = evaluate(run.scorer, run.dataset, "test", limit=SAMPLE, seed=0).report
    shipped = find_run(name).report()["sample"]
    for protocol in ("raw", "static", "time"):
        found = getattr(report, protocol)
        assert found.mrr == pytest.approx(shipped[protocol]["mrr"], abs=2e-3)
        assert found.hits1 == pytest.approx(shipped[protocol]["hits1"], abs=6e-3)
        assert found.hits10 == pytest.approx(shipped[protocol]["hits10"], abs=6e-3)


def test_something_is_shipped() -> None:
    assert {"icews14", "world"} <= set(shipped_runs())
