"""A method in one file, added by one line from outside, is trained, resumed, exported, evaluated, asked and served."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx
import pytest

from tests.server.live import running
from tests.training.standin import METHOD, StandIn, StandInScorer
from tgap.asking.model import Model
from tgap.cli.main import run as tgap
from tgap.data import load_dataset
from tgap.errors import ConfigError
from tgap.methods import METHODS, find_method, method_names, parse_config
from tgap.methods.installed import MethodWarning
from tgap.runs import find_run, load_scorer
from tgap.server.app import create_app
from tgap.testing import check_scorer


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


PACKAGE = '''
import numpy as np
from tgap.config import Settings
from tgap.learner import Method
from tgap.scorer import ScoreKind

class Nothing(Settings):
    """No settings."""

class First:
    name, kind = "first", ScoreKind.ORDER

    def __init__(self, dataset, config):
        self.num_entities, self.num_relations = dataset.num_entities, dataset.num_relations

    def score(self, queries):
        queries.check_ids(self.num_entities, self.num_relations)
        return np.tile(-np.arange(self.num_entities, dtype=np.float32), (len(queries), 1))

METHOD = Method(name="first", title="first", summary="The first name of all.", settings=Nothing, build=First)
'''
ENTRIES = """[tgap.methods]
first = first_package.scorers:METHOD
gone = first_package.absent:METHOD
text = first_package.scorers:PACKAGE_NAME
renamed = first_package.scorers:METHOD
recency = first_package.scorers:METHOD
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution as pip leaves it: a package, and a dist-info folder beside it."""
    package, info = tmp_path / "first_package", tmp_path / "first_tgap-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text("")
    (package / "scorers.py").write_text(PACKAGE + "PACKAGE_NAME = 'first'\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: first-tgap\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("first_package", "first_package.scorers"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("installed")
def test_a_method_of_another_package_joins_by_an_entry_point(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(MethodWarning) as warned:
        names = method_names()
    assert names == [*METHODS, "first"]
    told = "\n".join(str(warning.message) for warning in warned)
    assert told.count("first-tgap") >= 4
    assert "'gone' of the package first-tgap is broken: first_package.absent:METHOD: it cannot be imported" in told
    assert "'text' of the package first-tgap is broken" in told
    assert "its own name is 'first'" in told
    assert "the package first-tgap declares a method 'recency', which tgap has itself" in told
    world = load_dataset("world")
    loaded = load_scorer("first", dataset="world")
    check_scorer(loaded.scorer, world)
    assert parse_config('dataset = "world"\nmethod = "first"\n').method == "first"
    assert tgap(["predict", "first", "Meridona", "Visit", "2012-04-26", "--dataset", "world", "--top", "1"]) == 0
    assert world.entities.name(0) in capsys.readouterr().out


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings("ignore::tgap.methods.installed.MethodWarning")
def test_a_broken_entry_point_stops_no_other_method(capsys: pytest.CaptureFixture[str]) -> None:
    assert find_method("recency").title == "recency"
    with pytest.raises(ConfigError, match="'gone' of the package first-tgap is broken"):
        find_method("gone")
    assert tgap(["methods"]) == 0
    assert "The first name of all." in " ".join(capsys.readouterr().out.split())
