"""A table of events asked without training: from Python and from the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path

import polars as pl
import pytest

import tgap
from tgap.cli.main import run
from tgap.errors import DataError, QueryError

QUESTION = ("Person 3", "answers", "?", "2024-03-10")


@pytest.fixture(scope="module")
def mails() -> pl.DataFrame:
    """Everybody writes mostly to one other person, who answers a day later."""
    chance = random.Random(0)  # noqa: S311
    rows = []
    for _ in range(500):
        day, one = chance.randrange(80), chance.randrange(20)
        other = (one * 3 + 1) % 20 if chance.random() < 0.8 else chance.randrange(20)
        if other != one:
            rows.append((f"Person {one}", "mails", f"Person {other}", day))
            rows.append((f"Person {other}", "answers", f"Person {one}", day + 1))
    frame = pl.DataFrame(rows, schema=["who", "what", "whom", "day"], orient="row")
    start = pl.date(2024, 1, 1)
    return frame.select("who", "what", "whom", date=(start + pl.duration(days="day")).cast(pl.String)).sort("date")


@pytest.fixture(scope="module")
def table(mails: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "mails.csv"
    mails.write_csv(path)
    return path


def test_a_table_is_answered_with_its_reason(mails: pl.DataFrame, table: Path) -> None:
    found = tgap.ask(table, *QUESTION, top=3)
    senders = mails.filter((pl.col("who") == "Person 3") & (pl.col("what") == "answers"))["whom"].unique()
    assert found.prediction.best in senders
    assert found.sentence is not None
    assert str(found.prediction.best) in found.sentence
    assert found.trust is not None
    assert found.trust.startswith("on 300 of your own facts it ranks the answer first in ")
    assert set(found.seconds) == {"table", "weights", "graph", "answer", "reason", "check"}
    assert tgap.ask(mails, *QUESTION, top=3, check=False).prediction == found.prediction


def test_a_forecast_sees_the_past_alone(mails: pl.DataFrame) -> None:
    day = "2024-02-15"
    past = mails.filter(pl.col("date") < day)
    names = pl.concat([past["who"], past["whom"]]).unique()
    assert len(names) == 20
    later = pl.DataFrame({"who": ["Person 3"], "what": ["answers"], "whom": ["Person 9"], "date": ["2024-03-20"]})
    question = ("Person 3", "answers", "?", day)
    one = tgap.ask(mails, *question, task="forecast", check=False).prediction
    other = tgap.ask(pl.concat([mails, later]), *question, task="forecast", check=False).prediction
    assert [(row.name, row.score) for row in one.answers] == [(row.name, row.score) for row in other.answers]


def test_the_command_gives_the_document_of_python(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", str(table), *QUESTION, "--no-check", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    expected = json.loads(tgap.ask(table, *QUESTION, check=False).to_json())
    assert {**document, "seconds": 0} == {**expected, "seconds": 0}
    assert run(["ask", str(table), *QUESTION[:2], QUESTION[3], "--top", "2"]) == 0
    printed = capsys.readouterr().out
    assert "How far to trust it: on 300 of your own facts" in printed
    assert expected["sentence"].split(",")[0].split(" mainly")[0] in printed


def test_mistakes_are_one_line(table: Path, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="unknown entity 'Person 33'; did you mean"):
        tgap.ask(table, "Person 33", *QUESTION[1:])
    with pytest.raises(DataError, match="there is no such file"):
        tgap.ask(tmp_path / "nothing.csv", *QUESTION)
    with pytest.raises(QueryError, match="time is missing"):
        tgap.ask(table, *QUESTION[:3])


def test_frames_of_other_libraries_are_tables(mails: pl.DataFrame) -> None:
    expected = tgap.ask(mails, *QUESTION, check=False).prediction
    assert tgap.ask(mails.to_arrow(), *QUESTION, check=False).prediction == expected
    with pytest.raises(DataError, match=r"builtins\.int is no table; expected a path"):
        tgap.ask(3, *QUESTION)
