"""What machines read: the JSON keys are a promise, the CSV has every figure."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from tgap.data import Dataset
from tgap.evaluation import Report, evaluate, report_csv, report_json
from tgap.evaluation.breakdown import BREAKDOWNS

if TYPE_CHECKING:
    from tests.evaluation.conftest import FunctionScorer

FIGURES = {"mrr", "hits1", "hits3", "hits10", "mean_rank"}
SET = {"raw", "static", "time"}


@pytest.fixture
def report(dataset: Dataset, random_scorer: FunctionScorer) -> Report:
    return evaluate(random_scorer, dataset).report


def check_set(value: dict[str, Any]) -> None:
    for protocol in SET:
        assert set(value[protocol]) == FIGURES
        assert all(isinstance(figure, float) for figure in value[protocol].values())
        assert 0 <= value[protocol]["hits1"] <= value[protocol]["hits3"] <= value[protocol]["hits10"] <= 1


def test_json_schema(report: Report) -> None:
    value = json.loads(report_json(report, [report]))
    assert set(value) == SET | {
        "format",
        "version",
        "scorer",
        "dataset",
        "split",
        "known",
        "protocols",
        "headline",
        "optimistic",
        "pessimistic",
        "directions",
        "queries",
        "entities",
        "unseen",
        "leaked",
        "unit",
        "seconds",
        "breakdowns",
        "baselines",
    }
    assert (value["format"], value["version"]) == ("tgap-evaluation", 1)
    for place in (value, *value["directions"].values()):
        check_set(place)
        check_set(place["optimistic"])
        check_set(place["pessimistic"])
    assert set(value["directions"]) == {"tail", "head"}
    assert value["queries"] == {"ranked": 6, "available": 6, "distinct": 5, "tail": 3, "head": 3, "seed": None}
    assert value["unseen"] == {"queries": 2, "subject": 1, "answer": 1}
    assert set(value["breakdowns"]) == set(BREAKDOWNS) - {"end"}  # there are no intervals
    for buckets in value["breakdowns"].values():
        for bucket in buckets:
            assert set(bucket) == SET | {"bucket", "queries"}
            check_set(bucket)
    check_set(value["baselines"]["function"])
    assert value["time"]["mrr"] == report.headline.mrr


def test_a_sample_may_miss_a_direction(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    value = json.loads(report_json(evaluate(random_scorer, dataset, limit=1).report))
    assert len(value["directions"]) == 1
    assert value["queries"]["tail"] + value["queries"]["head"] == 1
    assert value["baselines"] == {}


def test_csv_has_every_figure(report: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(report_csv([report, report]))))
    buckets = sum(len(part) for part in report.breakdowns.values())
    assert len(rows) == 2 * (3 * 3 * 3 + 3 * buckets)
    chosen = [
        row
        for row in rows
        if (row["breakdown"], row["direction"], row["ties"], row["filter"]) == ("all", "head", "mean", "time")
    ]
    assert len(chosen) == 2
    assert float(chosen[0]["mrr"]) == report.of("time", direction="head").mrr
    assert chosen[0]["queries"] == "3"
    assert {row["bucket"] for row in rows if row["breakdown"] == "distance"} == {"2-3", "never"}
