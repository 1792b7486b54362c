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


def test_an_answer_beyond_the_list_is_told_of_on_request(client: httpx.Client) -> None:
    found = ask(client, "predict", top=1, answer="far away")
    assert [answer["name"] for answer in found["answers"]] != ["Far Away"]
    assert found["asked"]["name"] == "Far Away"


@pytest.mark.parametrize("hole", [None, "?"])
def test_the_subject_can_be_asked_for(client: httpx.Client, hole: str | None) -> None:
    found = ask(client, "predict", subject=hole, object="south_korea")
    assert found["question"]["asks"] == "subject"
    assert found["question"]["object"] == "South Korea"


def test_a_whole_fact_tells_how_its_object_stands(client: httpx.Client) -> None:
    found = ask(client, "predict", object="Japan")
    assert found["asked"]["name"] == "Japan"


def test_explain_gives_the_same_document_as_the_command_line(client: httpx.Client, predictor: Predictor) -> None:
    found = ask(client, "explain", answer="Japan", edges=7, paths=3, effects=4)
    same = predictor.explain(
        "North Korea",
        "Threaten",
        "?",
        "2014-04-29",
        answer="Japan",
        options=ExplainOptions(edges=7, paths=3, effects=4),
    )
    assert found["schema"] == EXPLANATION
    assert found == json.loads(same.to_json())


def test_asking_again_gives_the_kept_answer(client: httpx.Client) -> None:
    first = client.post("/api/v1/predict", json={**QUESTION, "top": 7})
    again = client.post("/api/v1/predict", json={**QUESTION, "top": 7})
    assert first.content == again.content


@pytest.mark.parametrize("way", [{"object": "South Korea"}, {"answer": "South Korea"}])
def test_without_a_fact_the_answer_is_that_of_the_explanation(client: httpx.Client, way: dict[str, str]) -> None:
    explained = ask(client, "explain", answer="South Korea")
    removed = explained["evidence"][0]
    fact = [removed[part] for part in ("subject", "relation", "object", "time")]
    found = ask(client, "counterfactual", facts=[fact], **way)
    assert found["schema"] == "tgap.counterfactual/1"
    assert found["facts"] == [fact]
    assert found["before"] == {**ask(client, "predict"), "asked": explained["answer"]}
    after = found["after"]["asked"]
    assert after["score"] == pytest.approx(removed["probability"], rel=1e-5)
    assert after["rank"] == removed["rank"]
    first = [found[when]["answers"][0]["name"] for when in ("before", "after")]
    assert found["changes"] == (first[0] != first[1])


def test_where_the_subject_is_asked_for_its_change_is_told_too(client: httpx.Client) -> None:
    fact = ["North Korea", "Threaten", "South Korea", "2014-04-28"]
    found = ask(client, "counterfactual", subject=None, object="South Korea", answer="North Korea", facts=[fact])
    assert found["before"]["asked"]["name"] == found["after"]["asked"]["name"] == "North Korea"


def test_facts_that_are_not_in_training_cannot_be_taken_away(client: httpx.Client) -> None:
    fact = ["North Korea", "Consult", "Lonely Island", "2014-04-29"]  # a test fact
    reply = client.post("/api/v1/counterfactual", json={**QUESTION, "facts": [fact]})
    assert reply.status_code == 422
    assert "no training fact" in reply.json()["error"]["message"]


def bulk(client: httpx.Client, questions: list[Any]) -> list[dict[str, Any]]:
    """Entries of a bulk answer in the order of the questions."""
    reply = client.post("/api/v1/bulk", json={"questions": questions})
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "application/x-ndjson"
    entries = [json.loads(line) for line in reply.text.splitlines()]
    return sorted(entries, key=lambda entry: int(entry["index"]))


def test_bulk_tells_errors_in_their_place_and_one_spoils_no_other(client: httpx.Client) -> None:
    questions = [
        {**QUESTION, "time": "2014-05-01", "top": 3},
        {**QUESTION, "subject": "Nort Korea"},
        {**QUESTION, "time": "yesterday"},
        {**QUESTION, "top": 100_000},
        "no question at all",
        {"subject": "Japan"},
        {**QUESTION, "time": "2014-03-01", "top": 1},
    ]
    entries = bulk(client, questions)
    assert [entry["index"] for entry in entries] == list(range(7))
    codes = [entry["error"] and entry["error"]["code"] for entry in entries]
    wrong = ["unknown_name", "bad_question", "invalid_request", "invalid_request", "invalid_request"]
    assert codes == [None, *wrong, None]
    assert entries[1]["error"]["suggestions"][0] == "North Korea"
    assert entries[0]["prediction"] == ask(client, "predict", time="2014-05-01", top=3)
    assert entries[6]["prediction"]["question"]["time"] == "2014-03-01"
    assert all(entry["prediction"] is None for entry in entries[1:6])


def test_bulk_tells_why_on_request(client: httpx.Client, predictor: Predictor) -> None:
    plain, told = bulk(client, [QUESTION, {**QUESTION, "reason": True}])
    assert plain["reason"] is None
    assert told["prediction"] == plain["prediction"]
    reason = told["reason"]
    assert reason["answer"] == told["prediction"]["answers"][0]["name"]
    options = ExplainOptions(effects=10, groups=0, flips=False, sufficient=False)
    same = predictor.explain("North Korea", "Threaten", "?", "2014-04-29", options=options).to_dict()
    assert (reason["sentence"], reason["kind"]) == (same["sentence"], same["kind"])
    assert reason["strongest"] == json.loads(json.dumps(same["evidence"][0]))


def test_support_is_that_of_the_predictor_whatever_the_method(client: httpx.Client, predictor: Predictor) -> None:
    asked = {**QUESTION, "answer": "japan", "count": 2}
    found = client.post("/api/v1/support", json={key: asked[key] for key in asked if key != "top"}).json()
    same = predictor.support("North Korea", "Threaten", "?", "2014-04-29", answer="Japan", count=2).to_dict()
    assert found == json.loads(json.dumps(same))
    assert found["schema"] == "tgap.support/1"
    assert [fact["time"] for fact in found["facts"]] == ["2014-05-12"]


def test_bulk_lines_come_in_the_order_of_time(client: httpx.Client) -> None:
    times = ["2014-05-01", "2014-03-01", "2014-04-01"]
    reply = client.post("/api/v1/bulk", json={"questions": [{**QUESTION, "time": time} for time in times]})
    assert [json.loads(line)["index"] for line in reply.text.splitlines()] == [1, 2, 0]


def test_profile_of_a_relation(client: httpx.Client) -> None:
    found = client.get("/api/v1/profile", params={"relation": "threaten", "limit": 5}).json()
    assert found["schema"] == "tgap.displacement/2"
    (profile,) = found["profiles"]
    assert (profile["relation"], profile["queries"]) == ("Threaten", 1)
    total = profile["self_loops"] + sum(profile["attention"].values())
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


def test_a_sweep_follows_answers_through_time(client: httpx.Client) -> None:
    asked = {"subject": "North Korea", "relation": "Threaten", "since": "2014-04-25", "until": "2014-05-05"}
    reply = client.post("/api/v1/sweep", json={**asked, "points": 6, "answers": ["japan", "South Korea"]})
    points = [json.loads(line)["point"] for line in reply.text.splitlines()]
    assert [point["time"] for point in points] == [
        "2014-04-25",
        "2014-04-27",
        "2014-04-29",
        "2014-05-01",
        "2014-05-03",
        "2014-05-05",
    ]
    there = next(point for point in points if point["time"] == "2014-04-29")
    listed = {answer["name"]: answer for answer in ask(client, "predict", top=100)["answers"]}
    assert there["answers"] == [listed["Japan"], listed["South Korea"]]
    assert there["best"]["rank"] == 1
    wrong = client.post("/api/v1/sweep", json={**asked, "until": "2014-01-01", "answers": ["Japan"]})
    assert "begins after its end" in wrong.json()["error"]["message"]
    wrong = client.post("/api/v1/sweep", json={**asked, "answers": ["Japn"]})
    assert wrong.json()["error"]["field"] == "answers"


def test_the_report_is_the_page_of_the_command_line(client: httpx.Client, predictor: Predictor) -> None:
    reply = client.post("/api/v1/report", json={**QUESTION, "answer": "Japan"})
    assert reply.headers["content-type"].startswith("text/html")
    assert "attachment" in reply.headers["content-disposition"]
    assert reply.text == predictor.explain("North Korea", "Threaten", "?", "2014-04-29", answer="Japan").to_html()
    assert SCRIPT not in reply.text  # names are escaped
