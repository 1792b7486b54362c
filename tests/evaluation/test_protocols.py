"""A ranking protocol is one entry of a table: one that is added from outside shows up everywhere."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.evaluation.conftest import FunctionScorer
from tgap.cli.main import cli
from tgap.data import Dataset, Fact, Facts
from tgap.errors import EvaluationError
from tgap.evaluation import HEADLINE, PROTOCOLS, Filters, Protocol, evaluate, markdown_page, report_csv, report_json
from tgap.evaluation.predictions import predictions_frame
from tgap.evaluation.protocols import find_protocol
from tgap.evaluation.tables import notes, results_table

TRAIN_TIME = Protocol(
    "train-time",
    "filtered by train",
    "entities true for (subject, relation) at that time in train step aside",
    lambda answers: answers.at_that_time("train"),
)


@pytest.fixture
def _fourth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROTOCOLS, TRAIN_TIME.name, TRAIN_TIME)


def test_the_headline_is_one_of_the_table() -> None:
    assert PROTOCOLS[HEADLINE.name] is HEADLINE
    assert list(PROTOCOLS) == ["raw", "static", "time"]


def test_an_unknown_protocol_is_one_clear_line() -> None:
    assert find_protocol("raw") is PROTOCOLS["raw"]
    with pytest.raises(EvaluationError, match="unknown protocol 'rwa'; expected one of raw, static, time"):
        find_protocol("rwa")


@pytest.mark.usefixtures("_fourth")
def test_a_fourth_protocol_ranks_by_its_own_rule(dataset: Dataset) -> None:
    """On day 6 Ann visits Dan (valid), Ben and Cat (test); train alone knows that she visits Eve, too."""
    train = Facts.concatenate([dataset.train, Facts.of([Fact(0, 1, 4, 6)])])
    crowded = dataclasses.replace(dataset, train=train)
    scorer = FunctionScorer(crowded, lambda *_: np.array([0.0, 0.1, 0.2, 0.3, 0.4]))
    ranks = evaluate(scorer, crowded).ranks
    assert ranks.protocols == ("raw", "static", "time", "train-time")
    assert ranks.of("raw")[0] == 4  # Ben: Cat, Dan and Eve before him
    assert ranks.of("time")[0] == 1
    assert ranks.of("train-time")[0] == 3  # Eve steps aside, Cat and Dan do not


@pytest.mark.usefixtures("_fourth")
def test_a_fourth_protocol_is_in_tables_and_files(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    filters = Filters.of(dataset)
    evaluation = evaluate(random_scorer, dataset, top=2, filters=filters)
    report = evaluation.report
    assert [row[1] for row in results_table([report]).rows] == ["raw", "static", "time", "train-time"]
    assert f"Filter train-time: {TRAIN_TIME.rule}." in notes([report])
    assert "MRR (time filter)" in markdown_page([report])  # the headline, wherever it stands in the table

    document = json.loads(report_json(report, [report]))
    assert document["protocols"] == ["raw", "static", "time", "train-time"]
    assert document["headline"] == "time"
    for place in (document, document["optimistic"], document["directions"]["head"], document["baselines"]["function"]):
        assert set(place["train-time"]) == {"mrr", "hits1", "hits3", "hits10", "mean_rank"}
    rows = list(csv.DictReader(io.StringIO(report_csv([report]))))
    assert {row["filter"] for row in rows if row["breakdown"] == "seen"} == set(PROTOCOLS)

    frame = predictions_frame(evaluation, dataset, filters)
    assert frame["rank_train-time"].to_list() == frame["rank_raw"].to_list()  # train has nothing of those days
    assert {"optimistic_train-time", "pessimistic_train-time"} <= set(frame.columns)


@pytest.mark.usefixtures("_fourth")
def test_a_fourth_protocol_is_known_to_the_command(tmp_path: Path) -> None:
    run = CliRunner()
    written = tmp_path / "report.json"
    arguments = ["evaluate", "recency", "--dataset", "world", "--limit", "20", "--no-baselines"]
    result = run.invoke(cli, [*arguments, "--protocol", "train-time", "--json", str(written)])
    assert result.exit_code == 0, result.output
    assert "Filter train-time:" in result.output
    assert "Filter raw:" not in result.output
    assert json.loads(written.read_text())["protocols"] == ["raw", "static", "time", "train-time"]
    wrong = run.invoke(cli, [*arguments, "--protocol", "trained"])
    assert "expected one of raw, static, time, train-time" in wrong.output


def test_an_unknown_protocol_on_the_command_line_names_the_known_ones() -> None:
    result = CliRunner().invoke(cli, ["evaluate", "recency", "--dataset", "world", "--protocol", "filtered"])
    assert result.exit_code == 2
    assert "unknown protocol 'filtered'; expected one of raw, static, time" in result.output
