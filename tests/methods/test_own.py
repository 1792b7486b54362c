"""A class of one's own is evaluated, compared, asked and served by its name, and never because a file names it."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import numpy as np
import pytest

from tests.methods.own_scorers import Popular
from tests.server.live import running
from tgap.cli.main import run as tgap
from tgap.data import Dataset, load_dataset
from tgap.errors import ConfigError
from tgap.methods import parse_config
from tgap.methods.own import is_own
from tgap.runs import load_scorer
from tgap.server.app import create_app
from tgap.server.models import Models

NAME = "tests.methods.own_scorers:Popular"
QUESTION = ("Meridona", "Visit", "2012-04-26")


def test_it_is_evaluated_compared_and_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tmp_path / "test.json"
    assert tgap(["evaluate", NAME, "--dataset", "world", "--limit", "40", "--json", str(result)]) == 0
    assert json.loads(result.read_text())["scorer"] == "popular"
    table = ["compare", "world", "--methods", f"recency,{NAME}", "--limit", "40", "--out", str(tmp_path / "compared")]
    assert tgap(table) == 0
    assert "popular" in (tmp_path / "compared" / "comparison.md").read_text().lower()
    capsys.readouterr()
    assert tgap(["predict", NAME, *QUESTION, "--dataset", "world", "--top", "1", "--json", "-"]) == 0
    world = load_dataset("world")
    best = json.loads(capsys.readouterr().out)["answers"][0]
    assert best["name"] == world.entities.name(int(Popular(world)._counts.argmax()))
    removed = ["--without", *_first_fact()]
    assert tgap(["what-if", "recency", *QUESTION, "--dataset", "world", *removed]) == 0
    assert "If this had not happened" in capsys.readouterr().out
    assert tgap(["what-if", NAME, *QUESTION, "--dataset", "world", *removed]) == 2
    assert "popular does not read the graph" in capsys.readouterr().err


def _first_fact() -> list[str]:
    world = load_dataset("world")
    fact, names = world.train[0], world.entities
    ends = names.name(fact.subject), names.name(fact.object)
    return [ends[0], world.relations.name(fact.relation), ends[1], world.timeline.format(fact.time)]


def test_it_is_served_beside_others() -> None:
    models = Models.from_runs([NAME, "recency"], "world")
    asked = dict(zip(("subject", "relation", "time"), QUESTION, strict=True))
    with running(create_app(models)) as address, httpx.Client(base_url=address, timeout=60) as client:
        for model, scorer in ((NAME, "popular"), ("recency", "recency")):
            reply = client.post("/api/v1/predict", json=asked, params={"model": model})
            assert reply.status_code == 200, reply.text
            assert reply.json()["scorer"] == scorer


def test_changed_code_is_not_taken_for_ranked_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = ["compare", "world", "--methods", f"recency,{NAME}", "--limit", "40", "--out", str(tmp_path)]
    assert tgap(table) == 0
    monkeypatch.setattr(Popular, "__init__", _count_subjects)
    before = (tmp_path / "comparison.csv").read_text()
    assert tgap(table) == 0
    assert (tmp_path / "comparison.csv").read_text() != before


def _count_subjects(self: Popular, dataset: Dataset) -> None:
    self.num_entities, self.num_relations = dataset.num_entities, dataset.num_relations
    self._counts = -np.bincount(dataset.train.subject, minlength=self.num_entities).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no.such.module:Popular", "there is no module 'no' for"),
        ("tests.methods.own_scorers:Absent", r"has no class 'Absent'; it has .*Popular"),
        ("tests.methods.own_scorers:NoKind", "kind is 'order'; expected one of ScoreKind.PROBABILITY"),
        ("tests.methods.own_scorers:NoScorer", "is no scorer: it lacks kind, num_entities, num_relations, score"),
    ],
)
def test_mistakes_are_one_line(name: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_scorer(name, dataset="world")


def test_a_dataset_is_needed() -> None:
    with pytest.raises(ConfigError, match="needs a dataset"):
        load_scorer(NAME)


def test_no_file_can_name_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="never run because a file names it"):
        parse_config('dataset = "world"\nmethod = "antigravity:Class"\n')
    assert tgap(["train", "--dataset", "world", "--method", NAME, "--out", str(tmp_path / "run")]) == 2
    assert "never run because a file names it" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["recency", "runs/mine", "C:\\runs", "mine:", ":Class", "a b:C", "../x:C"])
def test_other_names_are_left_alone(name: str) -> None:
    assert not is_own(name)
