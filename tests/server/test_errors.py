from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.server.test_answers import QUESTION


def error_of(reply: httpx.Response) -> dict[str, Any]:
    body = reply.json()
    assert set(body) == {"error"}
    assert {"code", "message"} <= set(body["error"])
    error = body["error"]
    assert isinstance(error, dict)
    return error


@pytest.mark.parametrize(
    ("change", "status", "code", "words"),
    [
        ({"subject": "Nort Korea"}, 422, "unknown_name", "did you mean 'North Korea'"),
        ({"relation": "threat"}, 422, "unknown_name", "Threaten"),
        ({"time": "tomorrow"}, 422, "bad_question", "write it like 2014-12-31"),
        ({"time": "9999-01-01"}, 422, "bad_question", "too far from the data"),
        ({"time": 10**9}, 422, "bad_question", "10000"),
        ({"time": 1398729600}, 422, "invalid_request", "body.time"),  # seconds since 1970 are no time of a dataset
        ({"time": 1.5}, 422, "invalid_request", "body.time"),
        ({"subject": None}, 422, "bad_question", "names no entity"),
        ({"top": 0}, 422, "invalid_request", "greater than or equal to 1"),
        ({"top": 1001}, 422, "invalid_request", "less than or equal to 1000"),
        ({"subject": "x" * 513}, 422, "invalid_request", "at most 512"),
        ({"colour": "red"}, 422, "invalid_request", "body.colour"),
        ({"subject": "\ud800"}, 422, "invalid_request", "body.subject"),
    ],
)
def test_mistakes_have_one_shape(
    client: httpx.Client, change: dict[str, Any], status: int, code: str, words: str
) -> None:
    import json

    reply = client.post("/api/v1/predict", content=json.dumps({**QUESTION, **change}), headers=_JSON)
    assert reply.status_code == status, reply.text
    error = error_of(reply)
    assert error["code"] == code
    assert words in error["message"]


_JSON = {"content-type": "application/json"}


def test_an_unknown_name_comes_with_suggestions(client: httpx.Client) -> None:
    error = error_of(client.post("/api/v1/explain", json={**QUESTION, "answer": "Japn"}))
    assert (error["field"], error["suggestions"]) == ("answer", ["Japan"])


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"", b"[1, 2]", b'"text"', b"NaN"])
def test_bodies_that_are_no_question(client: httpx.Client, body: bytes) -> None:
    reply = client.post("/api/v1/predict", content=body, headers=_JSON)
    assert reply.status_code in (400, 422)
    error_of(reply)


def test_an_unknown_route_and_a_wrong_method(client: httpx.Client) -> None:
    assert error_of(client.get("/api/v1/nothing"))["code"] == "not_found"
    reply = client.delete("/api/v1/model")
    assert (reply.status_code, error_of(reply)["code"]) == (405, "method_not_allowed")
    assert reply.headers["allow"] == "GET"


def test_a_time_outside_the_data_is_a_note_not_an_error(client: httpx.Client) -> None:
    found = client.post("/api/v1/predict", json={**QUESTION, "time": "2015-06-01"}).json()
    assert "extrapolation" in found["notes"][0]


def routes(client: httpx.Client) -> Iterator[tuple[str, str, Any, dict[str, Any]]]:
    """Method, path, example body and example parameters of every route of the API."""
    for path, methods in client.get("/api/v1/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            if path.startswith("/api"):
                content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
                given = {part["name"]: part["example"] for part in operation.get("parameters", []) if "example" in part}
                yield method, path, content.get("example"), given


def test_an_unknown_query_parameter_is_refused(client: httpx.Client) -> None:
    tried = 0
    for method, path, body, given in routes(client):
        reply = client.request(method, path, json=body, params={**given, "colour": "red"})
        assert reply.status_code == 422, path
        error = error_of(reply)
        assert error["code"] == "invalid_request"
        assert "unknown parameter 'colour'" in error["message"]
        assert [problem["place"] for problem in error["problems"]] == ["query.colour"]
        tried += 1
    assert tried > 15


def test_every_route_but_the_list_of_models_takes_the_name_of_one(client: httpx.Client) -> None:
    for method, path, body, given in routes(client):
        reply = client.request(method, path, json=body, params={**given, "model": "small"})
        assert reply.status_code == (422 if path.endswith("/models") else 200), (path, reply.text)
