"""What ``import tgap`` offers, as a notebook would use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tgap
from tgap.errors import ConfigError, RunError
from tgap.scorer import Query, QueryBatch
from tgap.training.events import Listener, Validated

SMALL: dict[str, Any] = {"dimension": 8, "heads": 2, "core_nodes": 3, "sampled_edges": 10, "added_edges": 10}
QUERIES = QueryBatch.of([Query(3, 1, 100), Query(7, 20, 50)])


class Heard(Listener):
    def __init__(self) -> None:
        self.validations = 0

    def on_validation(self, event: Validated) -> None:
        assert event.validation
        self.validations += 1


@pytest.fixture(scope="module")
def model() -> tgap.Model:
    return tgap.train("world", epochs=0.03, validation_queries=20, threads=1, listeners=[Heard()], **SMALL)


def test_what_is_there_is_a_table() -> None:
    here = tgap.datasets()
    assert here.columns == ["name", "summary", "here"]
    assert here.filter(here["name"] == "world")["here"].item()
    assert len(tgap.load_dataset("world").train) == 4780
    assert {"train", "load", "Model"} <= set(dir(tgap))
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        tgap.trian  # noqa: B018


def test_a_model_trained_in_memory_answers_explains_and_is_saved(model: tgap.Model, tmp_path: Path) -> None:
    assert repr(model).startswith("<Model T-GAP on world, validation MRR 0.")
    answers = str(model.predict("Galtria", "Visit", None, "2012-09-14", top=3)).splitlines()
    assert answers[0] == "(Galtria, Visit, ?, 2012-09-14)"
    assert [line.split()[0] for line in answers[1:4]] == ["1", "2", "3"]
    found = model.evaluate("valid", limit=20)
    assert repr(found).startswith("<Evaluation of T-GAP on world, valid, 20 queries: time-filtered MRR 0.")
    own = found.to_frame().filter(pl.col("method") == "T-GAP")
    assert own["protocol"].to_list() == ["raw", "static", "time"]
    assert own["mrr"][2] == found.report.headline.mrr
    prediction = model.predict("Meridona", "Retaliate against", "?", "2012-04-26", top=3)
    assert len(prediction.answers) == 3
    why = model.explain("Meridona", "Retaliate against", "?", "2012-04-26")
    assert why.document.answer.name == prediction.answers[0].name
    assert model.evaluate(limit=20).report.queries == 20
    again = tgap.load(model.save(tmp_path / "run"))
    assert again.report["validation"] == model.report["validation"]
    scores = model.scorer.score(QUERIES)
    assert np.array_equal(again.scorer.score(QUERIES), scores)
    with pytest.raises(RunError, match="was not trained here; copy its run folder"):
        again.save(tmp_path / "other")


def test_in_memory_and_in_a_folder_give_the_same_weights(model: tgap.Model, tmp_path: Path) -> None:
    heard = Heard()
    kept = tgap.train(
        "world", epochs=0.03, validation_queries=20, threads=1, listeners=[heard], out=tmp_path / "run", **SMALL
    )
    assert heard.validations == 1
    scores = model.scorer.score(QUERIES)
    assert np.array_equal(kept.scorer.score(QUERIES), scores)
    assert np.array_equal(tgap.load(tmp_path / "run").scorer.score(QUERIES), scores)


def test_a_method_without_training_is_there_at_once() -> None:
    counter = tgap.train("world", method="recency", time_scale=5.0)
    assert repr(counter) == "<Model recency on world>"
    assert counter.predict("Meridona", "Retaliate against", "?", "2012-04-26", top=1).answers


def test_mistakes_name_arguments_and_not_flags() -> None:
    with pytest.raises(ConfigError) as caught:
        tgap.train("world", epoch=3)
    assert "unknown setting 'epoch'; did you mean training.epochs" in str(caught.value)
    assert "--" not in str(caught.value)
    with pytest.raises(ConfigError, match=r"training\.epochs is '3'; expected a number"):
        tgap.train("world", epochs="3")


def test_importing_tgap_loads_nothing_heavy() -> None:
    code = "import sys, tgap; print([name for name in ('torch', 'numba', 'polars', 'pydantic') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_model_may_know_more_or_less() -> None:
    usual, forecasts = tgap.train("world", "recency"), tgap.train("world", "recency", task="forecast")
    question = ("Meridona", "Visit", "?", "2012-04-26")
    past = usual.with_setting("all", past_only=True)
    assert past.evaluate(limit=40).report.known.name == "single step"
    assert past.evaluate(limit=40).report.headline == forecasts.evaluate(limit=40).report.headline
    assert past.predict(*question).answers == forecasts.predict(*question).answers
    dated = usual.with_setting(as_of="2012-03-01").predict(*question)
    assert "until 2012-03-01" in dated.notes[0]
    with pytest.raises(ConfigError, match="unknown context 'everything'; expected one of train, train\\+valid, all"):
        usual.with_setting("everything")
