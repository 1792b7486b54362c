from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.explain.small_dataset import SCRIPT, small_dataset, small_explainer
from tgap.explain.schema import VERSION as EXPLANATION
from tgap.predict import ExplainOptions, Predictor
from tgap.predict.prediction import VERSION as PREDICTION

QUESTION = {"subject": "North Korea", "relation": "Threaten", "object": None, "time": "2014-04-29"}


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    dataset = small_dataset()
    return Predictor(small_explainer(dataset), dataset)


def ask(client: httpx.Client, route: str, **body: Any) -> dict[str, Any]:
    reply = client.post(f"/api/v1/{route}", json={**QUESTION, **body})
    assert reply.status_code == 200, reply.text
    found = reply.json()
    assert isinstance(found, dict)
    return found


def test_predict_gives_the_same_document_as_the_predictor(client: httpx.Client, predictor: Predictor) -> None:
    found = ask(client, "predict", top=4)
    assert found["schema"] == PREDICTION
    assert found == json.loads(predictor.predict("North Korea", "Threaten", "?", "2014-04-29", top=4).to_json())


@pytest.mark.parametrize("hole", [None, "?"])
def test_the_subject_can_be_asked_for(client: httpx.Client, hole: str | None) -> None:
    found = ask(client, "predict", subject=hole, object="south_korea")
    assert found["question"]["asks"] == "subject"
    assert found["question"]["object"] == "South Korea"


def test_a_whole_fact_tells_how_its_object_stands(client: httpx.Client) -> None:
    found = ask(client, "predict", object="Japan")
    assert found["asked"]["name"] == "Japan"


def test_explain_gives_the_same_document_as_the_command_line(client: httpx.Client, predictor: Predictor) -> None:
    found = ask(client, "explain", answer="Japan", edges=7, paths=3, check=2, seed=4)
    same = predictor.explain(
        "North Korea",
        "Threaten",
        "?",
        "2014-04-29",
        answer="Japan",
        options=ExplainOptions(edges=7, paths=3, check=2, seed=4),
    )
    assert found["schema"] == EXPLANATION
    assert found == json.loads(same.to_json())


def test_asking_again_gives_the_kept_answer(client: httpx.Client) -> None:
    first = client.post("/api/v1/predict", json={**QUESTION, "top": 7})
    again = client.post("/api/v1/predict", json={**QUESTION, "top": 7})
    assert first.content == again.content


def test_without_facts_the_answer_is_that_of_the_check(client: httpx.Client) -> None:
    explained = ask(client, "explain", answer="South Korea", check=2)
    removed = explained["check"]["strongest"]
    found = ask(client, "without", facts=removed["facts"], object="South Korea")
    assert found["schema"] == PREDICTION
    assert found["asked"]["score"] == pytest.approx(removed["probability"], rel=1e-5)
    assert found["asked"]["rank"] == removed["rank"]


def test_facts_that_are_not_in_training_cannot_be_taken_away(client: httpx.Client) -> None:
    fact = ["North Korea", "Consult", "Lonely Island", "2014-04-29"]  # a test fact
    reply = client.post("/api/v1/without", json={**QUESTION, "facts": [fact]})
    assert reply.status_code == 422
    assert "no training fact" in reply.json()["error"]["message"]


def test_bulk_answers_in_order_and_tells_errors_in_their_place(client: httpx.Client) -> None:
    questions = [
        {**QUESTION, "time": "2014-05-01", "top": 3},
        {**QUESTION, "subject": "Nort Korea"},
        {**QUESTION, "time": "yesterday"},
        {**QUESTION, "time": "2014-03-01", "top": 1},
    ]
    reply = client.post("/api/v1/bulk", json={"questions": questions})
    assert reply.status_code == 200
    results = reply.json()["results"]
    assert [entry["error"] and entry["error"]["code"] for entry in results] == [
        None,
        "unknown_name",
        "bad_question",
        None,
    ]
    assert results[1]["error"]["suggestions"][0] == "North Korea"
    assert results[0]["prediction"] == ask(client, "predict", time="2014-05-01", top=3)
    assert results[3]["prediction"]["question"]["time"] == "2014-03-01"


def test_profile_of_a_relation(client: httpx.Client) -> None:
    found = client.get("/api/v1/profile", params={"relation": "threaten", "limit": 5}).json()
    assert found["schema"] == "tgap.displacement/1"
    (profile,) = found["profiles"]
    assert (profile["relation"], profile["queries"]) == ("Threaten", 1)
    total = profile["waiting"] + sum(profile["attention"].values())
    assert total == pytest.approx(1, abs=1e-4)
    head = client.get("/api/v1/profile", params={"relation": "Threaten", "side": "head"}).json()
    assert head["side"] == "head"


def test_profile_of_a_relation_without_test_facts(client: httpx.Client) -> None:
    reply = client.get("/api/v1/profile", params={"relation": "Praise <loudly>"})
    assert reply.status_code == 422
    assert "no test fact" in reply.json()["error"]["message"]


def test_names_are_sent_as_they_are(client: httpx.Client) -> None:
    found = ask(client, "predict", subject=SCRIPT, relation="Praise <loudly>")
    assert found["question"]["subject"] == SCRIPT
