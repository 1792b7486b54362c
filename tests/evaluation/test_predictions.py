"""Every query with its ranks and best answers, read back from the Parquet file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tgap.data import Dataset
from tgap.errors import EvaluationError
from tgap.evaluation import Filters, evaluate
from tgap.evaluation.predictions import predictions_frame, write_predictions

if TYPE_CHECKING:
    from tests.evaluation.conftest import FunctionScorer


def test_parquet_holds_every_query(dataset: Dataset, random_scorer: FunctionScorer, tmp_path: Path) -> None:
    filters = Filters.of(dataset)
    evaluation = evaluate(random_scorer, dataset, top=2, filters=filters)
    path = tmp_path / "predictions.parquet"
    write_predictions(path, evaluation, dataset, filters)
    assert [entry.name for entry in tmp_path.iterdir()] == ["predictions.parquet"]
    frame = pl.read_parquet(path)
    assert frame.select("direction", "subject", "relation", "object", "time", "answer").rows() == [
        ("tail", "Ann", "visits", "Ben", "2014-01-07", "Ben"),
        ("tail", "Ann", "visits", "Cat", "2014-01-07", "Cat"),
        ("tail", "Dan", "helps", "Eve", "2014-01-03", "Eve"),
        ("head", "Ann", "visits", "Ben", "2014-01-07", "Ann"),
        ("head", "Ann", "visits", "Cat", "2014-01-07", "Ann"),
        ("head", "Dan", "helps", "Eve", "2014-01-03", "Dan"),
    ]
    for protocol in ("raw", "static", "time"):
        assert frame[f"rank_{protocol}"].to_list() == evaluation.ranks.of(protocol).tolist()
        for ties in ("optimistic", "pessimistic"):
            assert frame[f"{ties}_{protocol}"].to_list() == evaluation.ranks.of(protocol, ties).tolist()
    assert frame["true_answers"].to_list() == [3, 3, 1, 1, 1, 1]
    assert frame["top"][0].to_list() == frame["top"][1].to_list()
    true_by_day_6 = {"Ben", "Cat", "Dan"}
    for name, score, is_true in zip(frame["top"][0], frame["top_scores"][0], frame["top_true"][0], strict=True):
        assert is_true == (name in true_by_day_6)
        assert score == random_scorer.function(0, 1, 6)[dataset.entities.id(name)]


def test_more_answers_than_entities(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    filters = Filters.of(dataset)
    frame = predictions_frame(evaluate(random_scorer, dataset, top=50, filters=filters), dataset, filters)
    assert frame["top"].list.len().to_list() == [5] * 6
    assert frame["top_true"].list.sum().to_list() == [3, 3, 1, 1, 1, 1]


def test_an_evaluation_without_top_answers_is_refused(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    with pytest.raises(EvaluationError, match="top=10"):
        predictions_frame(evaluate(random_scorer, dataset), dataset, Filters.of(dataset))
