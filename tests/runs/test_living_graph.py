"""A run answers from facts that were appended to its dataset, new names among them, without training."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import numpy as np
import pytest
import torch

from tests.server.live import running
from tgap.asking.model import Model
from tgap.capabilities import require_graph
from tgap.data import load_dataset
from tgap.data.catalog import journal_of
from tgap.data.journal import read_appendable
from tgap.data.reading import of_files
from tgap.evaluation import evaluate
from tgap.methods import config_for, make_scorer
from tgap.model.scorer import TGAPScorer
from tgap.model.unseen import with_unseen_entities, with_unseen_relations
from tgap.runs import load_scorer
from tgap.server.app import create_app
from tgap.server.models import Models

HEADER = "subject,relation,object,time\n"
NEWS = HEADER + "".join(
    f"Newland,Visit,Meridona,2014-01-0{day}\nMeridona,Salute,Newland,2014-01-0{day}\n" for day in (1, 2, 3)
)


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGAP_DATA", str(tmp_path / "data"))


def append(text: str, folder: Path) -> None:
    file = folder / "events.csv"
    file.write_text(text)
    base = load_dataset("world").base
    journal_of("world").append(base, read_appendable(of_files([file]), base), file.name)


def test_a_model_answers_about_an_entity_that_it_never_saw(tmp_path: Path) -> None:
    before = load_scorer("world")
    append(NEWS, tmp_path)
    after = load_scorer("world")
    assert after.dataset.num_entities == before.dataset.num_entities + 1
    assert isinstance(before.scorer, TGAPScorer)
    assert isinstance(after.scorer, TGAPScorer)
    known = before.dataset.num_entities
    assert torch.equal(after.scorer.model.entity[:known], before.scorer.model.entity)
    model = Model(after.scorer, after.dataset)
    assert model.predict("Newland", "Visit", "?", "2014-01-04").best == "Meridona"
    assert model.predict("?", "Visit", "Meridona", "2014-01-04", answer="Newland").asked is not None
    told = model.predict("Meridona", "Salute", "?", "2014-01-04", answer="Newland").asked  # a new relation, too
    assert told is not None
    assert told.rank <= 20
    found = model.explain("Newland", "Visit", "?", "2014-01-04")
    assert found.document.answer.known_in == ("context",)
    report = evaluate(after.scorer, after.dataset, limit=60).report
    assert report.known.name == "train and 6 appended"
    assert not report.known.usual


@pytest.mark.parametrize("method", ["recency", "recurrency", "typed-pair"])
def test_counters_count_what_was_appended(method: str, tmp_path: Path) -> None:
    old = load_dataset("world")
    scorer = make_scorer(config_for(method, "world"), old)
    append(NEWS, tmp_path)
    new = load_dataset("world")
    grown = Model(require_graph(scorer).with_context(new, require_graph(scorer).setting), new)
    assert grown.predict("Newland", "Visit", "?", "2014-01-04").best == "Meridona"


def test_old_names_keep_their_answers_where_nothing_new_touches_them(tmp_path: Path) -> None:
    """New names shift the ids of inverses, self-loop and edges; where nothing is sampled by them, answers stay."""
    wide = {"model.core_nodes": 1000, "model.added_edges": 100_000}
    before = load_scorer("world", wide)
    append(HEADER + "Otherland,Salute,Thirdland,2013-12-31\n", tmp_path)
    after = load_scorer("world", wide)
    old, new = (Model(run.scorer, run.dataset) for run in (before, after))
    for parts in (("Meridona", "Visit", "?", "2012-04-26"), ("?", "Visit", "Meridona", "2012-04-26")):
        one, other = old.predict(*parts, top=5), new.predict(*parts, top=5)
        assert [answer.name for answer in one.answers] == [answer.name for answer in other.answers]
        np.testing.assert_allclose([a.score for a in one.answers], [a.score for a in other.answers], rtol=1e-4)


def test_unseen_entities_start_from_the_mean() -> None:
    table = torch.tensor([[1.0, 3.0], [3.0, 5.0]])
    assert with_unseen_entities(table, 3).tolist() == [[1.0, 3.0], [3.0, 5.0], [2.0, 4.0]]
    relation = torch.tensor([[1.0], [3.0], [10.0], [30.0], [7.0]])  # two relations, their inverses, the self-loop
    assert with_unseen_relations(relation, 2, 3).flatten().tolist() == [1.0, 3.0, 2.0, 10.0, 30.0, 20.0, 7.0]


def test_a_server_picks_up_what_is_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tgap.server.app._LOOK", 0.1)
    question = {"subject": "Meridona", "relation": "Visit", "time": "2014-01-04", "top": 3}
    with (
        running(create_app(Models.from_runs(["world"]))) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        before = client.post("/api/v1/predict", json=question).json()
        append(HEADER + "".join(f"Meridona,Visit,Newland,2014-01-0{day}\n" for day in (1, 2, 3)), tmp_path)
        deadline = time.monotonic() + 60
        while "Newland" not in client.get("/api/v1/search", params={"kind": "entity", "q": "Newl"}).text:
            assert time.monotonic() < deadline, "the server does not know the new entity"
            time.sleep(0.1)
        after = client.post("/api/v1/predict", json=question).json()
        assert after["answers"] != before["answers"]
        told = client.post("/api/v1/predict", json={**question, "answer": "Newland"}).json()["asked"]
        assert told["score"] > 0
        assert told["known_in"] == ["context"]
