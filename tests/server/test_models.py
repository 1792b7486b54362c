"""Several models in one server: each answers for itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.asking.run_folder import make_run
from tests.server.live import running
from tests.server.slow import slow_model
from tests.server.test_answers import QUESTION
from tgap.asking.model import Model
from tgap.server.app import create_app
from tgap.server.models import Models, ServedModel


@pytest.fixture(scope="module")
def both(small_model: Model) -> Iterator[httpx.Client]:
    _, other = slow_model()
    models = Models([ServedModel("walks", small_model), ServedModel("does not", other)])
    with running(create_app(models)) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def test_all_are_listed_and_the_first_is_meant_where_none_is_named(both: httpx.Client) -> None:
    found = both.get("/api/v1/models").json()["models"]
    assert [(model["name"], model["explains"]) for model in found] == [("walks", True), ("does not", False)]
    assert both.get("/api/v1/model").json()["name"] == "walks"
    assert both.get("/api/v1/model", params={"model": "does not"}).json()["scorer"] == "slow"


def test_the_same_question_has_an_answer_of_each(both: httpx.Client) -> None:
    answers = {
        name: both.post("/api/v1/predict", params={"model": name}, json=QUESTION).json()["scorer"]
        for name in ("walks", "does not", "walks")
    }
    assert answers == {"walks": "oracle", "does not": "slow"}
    refused = both.post("/api/v1/explain", params={"model": "does not"}, json=QUESTION)
    assert "without reasons" in refused.json()["error"]["message"]


def test_a_model_that_is_not_served_is_named_with_those_that_are(both: httpx.Client) -> None:
    for reply in (
        both.get("/api/v1/search", params={"model": "third"}),
        both.post("/api/v1/predict", params={"model": "third"}, json=QUESTION),
    ):
        error = reply.json()["error"]
        assert (reply.status_code, error["code"], error["given"]) == (422, "unknown_model", "third")
        assert "walks, does not" in error["message"]


def test_runs_are_named_after_their_folders(tmp_path: Path) -> None:
    one, other = (make_run(tmp_path / place / "mine") for place in ("a", "b"))
    models = Models.from_runs([one, other])
    assert [model.name for model in models.reply().models] == ["mine", "mine-2"]
