from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from tests.explain.small_dataset import SCRIPT
from tgap.asking.model import Model
from tgap.asking.prediction import Prediction
from tgap.asking.what_if import WhatIf
from tgap.explain.schema import Document

QUESTION = {"subject": "North Korea", "relation": "Threaten", "object": None, "time": "2014-04-29"}


def ask(client: httpx.Client, route: str, **body: Any) -> dict[str, Any]:
    reply = client.post(f"/api/v1/{route}", json={**QUESTION, **body})
    assert reply.status_code == 200, reply.text
    found = reply.json()
    assert isinstance(found, dict)
    return found


def test_predict_gives_the_same_document_as_the_model(client: httpx.Client, small_model: Model) -> None:
    found = ask(client, "predict", top=4)
    assert found["schema"] == Prediction.VERSION
    assert found == json.loads(small_model.predict("North Korea", "Threaten", "?", "2014-04-29", top=4).to_json())


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


def test_explain_gives_the_same_document_as_the_command_line(client: httpx.Client, small_model: Model) -> None:
    found = ask(client, "explain", answer="Japan", edges=7, paths=3, effects=4)
    same = small_model.explain(
        "North Korea",
        "Threaten",
        "?",
        "2014-04-29",
        answer="Japan",
        edges=7,
        paths=3,
        effects=4,
    )
    assert found["schema"] == Document.VERSION
    assert found == json.loads(same.to_json())


def cache_counts(client: httpx.Client) -> dict[str, int]:
    """Answers that the cache had, and those that it did not have."""
    text = client.get("/metrics").text
    found = {name: re.search(rf"^tgap_answer_cache_{name}_total (\S+)", text, re.M) for name in ("hits", "misses")}
    return {name: int(float(match.group(1))) for name, match in found.items() if match is not None}


@pytest.mark.parametrize(("route", "media"), [("predict", "application/json"), ("explain.html", "text/html")])
def test_asking_again_gives_the_cached_answer(client: httpx.Client, route: str, media: str) -> None:
    asked = {**QUESTION, "time": "2014-04-17"}  # no other test asks about that day
    before = cache_counts(client)
    first = client.post(f"/api/v1/{route}", json=asked)
    computed = cache_counts(client)
    again = client.post(f"/api/v1/{route}", json=asked)
    kept = cache_counts(client)
    assert [computed[name] - before[name] for name in ("hits", "misses")] == [0, 1]
    assert [kept[name] - computed[name] for name in ("hits", "misses")] == [1, 0]
    assert first.content == again.content
    assert again.headers["content-type"].startswith(media)


@pytest.mark.parametrize("way", [{"object": "South Korea"}, {"answer": "South Korea"}])
def test_without_a_fact_the_answer_is_that_of_the_explanation(client: httpx.Client, way: dict[str, str]) -> None:
    explained = ask(client, "explain", answer="South Korea")
    removed = explained["evidence"][0]
    fact = [removed[part] for part in ("subject", "relation", "object", "time")]
    found = ask(client, "what-if", without=[fact], **way)
    assert found["schema"] == WhatIf.VERSION
    assert found["without"] == [fact]
    assert found["before"] == {**ask(client, "predict"), "asked": explained["answer"]}
    after = found["after"]["asked"]
    assert after["score"] == pytest.approx(removed["probability"], rel=1e-5)
    assert after["rank"] == removed["rank"]
    first = [found[when]["answers"][0]["name"] for when in ("before", "after")]
    assert found["changes"] == (first[0] != first[1])


def test_where_the_subject_is_asked_for_its_change_is_told_too(client: httpx.Client) -> None:
    fact = ["North Korea", "Threaten", "South Korea", "2014-04-28"]
    found = ask(client, "what-if", subject=None, object="South Korea", answer="North Korea", without=[fact])
    assert found["before"]["asked"]["name"] == found["after"]["asked"]["name"] == "North Korea"


def test_facts_that_are_not_in_training_cannot_be_taken_away(client: httpx.Client) -> None:
    fact = ["North Korea", "Consult", "Lonely Island", "2014-04-29"]  # a test fact
    reply = client.post("/api/v1/what-if", json={**QUESTION, "without": [fact]})
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


def test_bulk_tells_why_on_request(client: httpx.Client, small_model: Model) -> None:
    plain, told = bulk(client, [QUESTION, {**QUESTION, "reason": True}])
    assert plain["reason"] is None
    assert told["prediction"] == plain["prediction"]
    reason = told["reason"]
    assert reason["answer"] == told["prediction"]["answers"][0]["name"]
    same = small_model.explain("North Korea", "Threaten", "?", "2014-04-29", effects=10).to_dict()
    assert (reason["sentence"], reason["kind"]) == (same["sentence"], same["kind"])
    assert reason["strongest"] == json.loads(json.dumps(same["evidence"][0]))


def test_support_is_that_of_the_model_whatever_the_method(client: httpx.Client, small_model: Model) -> None:
    asked = {**QUESTION, "answer": "japan", "count": 2}
    found = client.post("/api/v1/support", json={key: asked[key] for key in asked if key != "top"}).json()
    same = small_model.support("North Korea", "Threaten", "?", "2014-04-29", answer="Japan", count=2).to_dict()
    assert found == json.loads(json.dumps(same))
    assert found["schema"] == "tgap.support/1"
    assert [fact["time"] for fact in found["facts"]] == ["2014-05-12"]


def test_bulk_lines_come_in_the_order_of_time(client: httpx.Client) -> None:
    times = ["2014-05-01", "2014-03-01", "2014-04-01"]
    reply = client.post("/api/v1/bulk", json={"questions": [{**QUESTION, "time": time} for time in times]})
    assert [json.loads(line)["index"] for line in reply.text.splitlines()] == [1, 2, 0]


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


def test_an_explanation_as_a_page(client: httpx.Client, small_model: Model) -> None:
    reply = client.post("/api/v1/explain.html", json={**QUESTION, "answer": "Japan"})
    assert reply.headers["content-type"].startswith("text/html")
    assert "attachment" in reply.headers["content-disposition"]
    assert reply.text == small_model.explain("North Korea", "Threaten", "?", "2014-04-29", answer="Japan").to_html()
    assert SCRIPT not in reply.text  # names are escaped
