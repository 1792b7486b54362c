"""Bootstrap intervals against a loop over drawn facts, and the properties that make them what they claim to be."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tgap.data import Dataset
from tgap.errors import EvaluationError
from tgap.evaluation import Bootstrap, evaluate, markdown_page, report_csv, report_json, with_intervals
from tgap.evaluation import bootstrap as module
from tgap.evaluation.bootstrap import draw_means, metric_differences, metric_intervals
from tgap.evaluation.metrics import METRICS
from tgap.evaluation.queries import queries_of
from tgap.evaluation.ranks import Ranks
from tgap.evaluation.tables import interval_tables, notes

if TYPE_CHECKING:
    from tests.evaluation.conftest import FunctionScorer


def raw_ranks(ranks: list[int]) -> Ranks:
    better = np.array([ranks], dtype=np.int32) - 1
    return Ranks(("raw",), better, np.zeros_like(better))


def test_draws_equal_a_loop_over_facts() -> None:
    values = np.random.default_rng(1).random((7, 2))
    cluster = np.array([5, 5, 9, 2, 2, 2, 9])  # three facts of unequal size
    drawn = draw_means(values, cluster, Bootstrap(samples=20, seed=4))
    random = np.random.default_rng(4)
    members = [np.flatnonzero(cluster == fact) for fact in (2, 5, 9)]
    for sample in range(20):
        rows = np.concatenate([members[pick] for pick in random.integers(3, size=3)])
        np.testing.assert_allclose(drawn[sample], values[rows].mean(axis=0))


def test_draws_do_not_depend_on_how_many_are_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values, cluster = np.random.default_rng(0).random((50, 3)), np.arange(50)
    whole = draw_means(values, cluster, Bootstrap(samples=30))
    monkeypatch.setattr(module, "_CHUNK", 120)
    np.testing.assert_array_equal(draw_means(values, cluster, Bootstrap(samples=30)), whole)
    assert not np.array_equal(draw_means(values, cluster, Bootstrap(samples=30, seed=1)), whole)


def test_spread_is_that_of_a_mean() -> None:
    values, cluster = np.random.default_rng(0).random((400, 1)), np.arange(400)
    drawn = draw_means(values, cluster, Bootstrap(samples=4000))
    assert drawn.mean() == pytest.approx(values.mean(), abs=2e-3)
    assert drawn.std() == pytest.approx(values.std() / np.sqrt(400), rel=0.05)


def test_the_two_queries_of_a_fact_are_one_observation() -> None:
    """Said twice, a fact does not count twice; taken for independent, the interval would shrink by the root of two."""
    values = np.random.default_rng(0).random((300, 1))
    twice, facts = np.concatenate([values, values]), np.tile(np.arange(300), 2)
    together = draw_means(twice, facts, Bootstrap())
    np.testing.assert_allclose(together, draw_means(values, np.arange(300), Bootstrap()))
    apart = draw_means(twice, np.arange(600), Bootstrap())
    assert together.std() / apart.std() == pytest.approx(np.sqrt(2), rel=0.1)


def test_intervals_hold_the_metric_and_widen_with_the_level(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    evaluation = evaluate(random_scorer, dataset)
    wide = metric_intervals(evaluation.ranks, evaluation.queries, Bootstrap(level=0.99))
    narrow = metric_intervals(evaluation.ranks, evaluation.queries, Bootstrap(level=0.5))
    for protocol in evaluation.ranks.protocols:
        for name in METRICS:
            inner, outer = narrow[protocol][name], wide[protocol][name]
            assert inner.value == pytest.approx(getattr(evaluation.report.of(protocol), name))
            assert outer.low <= inner.low <= inner.high <= outer.high
            assert outer.low <= inner.value <= outer.high
    assert wide["time"]["mrr"].low < wide["time"]["mrr"].high


def test_a_scorer_against_itself_differs_by_nothing(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    evaluation = evaluate(random_scorer, dataset)
    found = metric_differences(evaluation.ranks, evaluation.ranks, evaluation.queries, Bootstrap())
    for part in found.values():
        for one in part.values():
            assert (one.value, one.low, one.high, one.above) == (0, 0, 0, 0.5)


def test_pairing_finds_a_small_difference_that_intervals_apart_do_not(dataset: Dataset) -> None:
    """Ranks vary widely, the second scorer is always one place behind: sure, although the intervals overlap."""
    ranks = np.random.default_rng(0).integers(1, 200, size=2 * len(dataset.test)).tolist()
    queries = queries_of(dataset.test, dataset.num_relations)
    first, second = raw_ranks(ranks), raw_ranks([rank + 1 for rank in ranks])
    found = metric_differences(first, second, queries, Bootstrap(samples=200))["raw"]
    assert found["mrr"].low > 0
    assert found["mrr"].above == 1
    assert found["mean_rank"].high == -1
    apart = [metric_intervals(one, queries, Bootstrap(samples=200))["raw"]["mrr"] for one in (first, second)]
    assert apart[1].high > apart[0].low


def test_reports_tables_and_files_have_them_on_demand(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    plain = evaluate(random_scorer, dataset)
    assert interval_tables([plain.report]) == []
    assert "intervals" not in json.loads(report_json(plain.report))
    other = replace(plain, report=replace(plain.report, scorer="other"))
    first, second = with_intervals([plain, other], Bootstrap(samples=50, seed=2))
    assert first.metrics == plain.report.metrics
    assert second.differences == {}

    own, against = interval_tables([first, second], ["time"])
    drawn = first.intervals["time"]["mrr"]
    assert own.rows[0][:3] == ("function", "time", f"{drawn.low:.3f} to {drawn.high:.3f}")
    assert against.rows == (("other", "time", "+0.000 to +0.000", "+0.0 to +0.0", "+0.0 to +0.0"),)
    assert any("50 bootstrap draws" in line and "seed 2" in line for line in notes([first]))
    assert "95% intervals of function minus another method" in markdown_page([first, second])

    document = json.loads(report_json(first, [second]))
    assert document["bootstrap"] == {"samples": 50, "level": 0.95, "seed": 2}
    assert document["intervals"]["time"]["mrr"] == {"low": drawn.low, "high": drawn.high}
    assert document["differences"]["other"]["raw"]["hits1"] == {"value": 0.0, "low": 0.0, "high": 0.0, "above": 0.5}
    lines = report_csv([first, second]).splitlines()
    assert lines[0].endswith("mean_rank_low,mean_rank_high")
    assert all(line.count(",") == lines[0].count(",") for line in lines)
    assert sum(",difference,other," in line for line in lines) == len(plain.ranks.protocols)


def test_other_queries_and_equal_names_are_refused(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    plain = evaluate(random_scorer, dataset)
    with pytest.raises(EvaluationError, match="have the same name"):
        with_intervals([plain, plain], Bootstrap())
    sample = evaluate(random_scorer, dataset, limit=4)
    part = replace(sample, report=replace(sample.report, scorer="part"))
    with pytest.raises(EvaluationError, match="part was asked 4 other queries than the 6"):
        with_intervals([plain, part], Bootstrap())


@pytest.mark.parametrize(
    ("settings", "message"), [({"samples": 1}, "at least 2"), ({"level": 95.0}, "between 0 and 1")]
)
def test_wrong_settings_are_one_clear_line(settings: dict[str, float], message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        Bootstrap(**settings)  # type: ignore[arg-type]
