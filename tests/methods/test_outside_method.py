"""A method in one file, added by one line from outside, is trained, resumed, exported, evaluated, asked and served."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from tests.server.live import running
from tests.training.standin import METHOD, StandIn, StandInScorer
from tgap.asking.model import Model
from tgap.cli.main import run as tgap
from tgap.data import load_dataset
from tgap.methods import METHODS
from tgap.runs import find_run, load_scorer
from tgap.server.app import create_app


def test_a_method_from_outside_goes_all_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert METHODS[METHOD.name] == "tests.training.standin:METHOD"
    run, copy, result = tmp_path / "run", tmp_path / "copy", tmp_path / "test.json"
    small = ["--set", "validation_queries=20", "--set", "model.width=4", "--threads", "1"]
    begin = ["train", "--dataset", "world", "--method", METHOD.name, "--out", str(run), "--set", "epochs=0.2", *small]
    assert tgap(begin) == 0, capsys.readouterr().err
    first = find_run(run).report()
    assert tgap(["train", "--resume", str(run), "--set", "epochs=0.4"]) == 0
    second = find_run(run).report()
    assert second["steps"] > first["steps"]
    assert "first_entity" in find_run(run).metrics()[-1]
    assert tgap(["evaluate", str(run), "--limit", "30", "--json", str(result)]) == 0
    assert json.loads(result.read_text())["scorer"] == METHOD.title
    assert tgap(["export", str(run), str(copy), "--report", f"test={result}"]) == 0
    loaded = load_scorer(copy)
    assert isinstance(loaded.scorer, StandInScorer)
    assert "test" in loaded.report
    assert tgap(["export", str(run), str(tmp_path / "no"), "--set", "model.width=5"]) == 2
    assert "model.width is 4" in capsys.readouterr().err
    assert tgap(["predict", str(copy), "Meridona", "Visit", "2012-04-26", "--top", "2"]) == 0
    capsys.readouterr()
    assert tgap(["explain", str(copy), "Meridona", "Visit", "2012-04-26"]) == 0
    assert "stand-in has no walk to show" in capsys.readouterr().out


def test_it_is_served() -> None:
    world = load_dataset("world")
    model = Model(StandInScorer(StandIn(world).eval()), world)
    question = {"subject": "Meridona", "relation": "Visit", "time": "2012-04-26"}
    with running(create_app(model)) as address, httpx.Client(base_url=address, timeout=30) as client:
        answers = client.post("/api/v1/predict", json=question)
        assert answers.status_code == 200, answers.text
        assert len(answers.json()["answers"]) == 10
        refused = client.post("/api/v1/explain", json=question)
        assert refused.status_code == 422, refused.text
        assert "stand-in gives answers without reasons" in refused.text
