"""Every operation gives over REST the document that Python gives."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tgap.asking.model import Model
from tgap.asking.operations import OPERATIONS
from tgap.server.operations import offered

QUESTION: dict[str, Any] = {"subject": "North Korea", "relation": "Threaten", "time": "2014-04-29"}
THREAT = ["North Korea", "Threaten", "South Korea", "2014-04-28"]
EXAMPLES: dict[str, dict[str, Any]] = {
    "bulk": {"questions": [{**QUESTION, "top": 2}, {**QUESTION, "time": "2014-04-01", "reason": True}]},
    "card": {},
    "entity": {"entity": "north korea"},
    "examples": {},
    "explain": {**QUESTION, "answer": "Japan", "effects": 3, "groups": 1, "edges": 4, "bundles": 5},
    "facts": {"entity": "North Korea", "time": "2014-04-28", "limit": 4, "partner": "South Korea"},
    "predict": {**QUESTION, "object": "Far Away", "top": 3, "evidence": 2, "past_only": False},
    "random_question": {"seed": 3},
    "search": {"q": "noth korea", "limit": 3},
    "support": {**QUESTION, "answer": "Japan", "count": 2},
    "sweep": {
        **{part: QUESTION[part] for part in ("subject", "relation")},
        "since": "2014-04-25",
        "until": "2014-05-05",
        "points": 3,
        "answers": ["Japan", "south korea"],
    },
    "timeline": {"points": 12},
    "what_if": {**QUESTION, "answer": "South Korea", "without": [THREAT], "top": 3},
    "why": {**QUESTION, "effects": 4},
}


def test_every_operation_that_has_a_route_has_an_example() -> None:
    studies = {"displacement"}  # see tests/studies/test_displacement_route.py
    assert {operation.name for operation in offered()} == set(EXAMPLES) | studies


@pytest.mark.parametrize("name", EXAMPLES)
def test_rest_gives_the_document_of_python(client: httpx.Client, small_model: Model, name: str) -> None:
    operation, asked = OPERATIONS.find(name), EXAMPLES[name]
    assert operation.web is not None
    path = f"/api/v1/{operation.web.path or operation.title}"
    reply = client.get(path, params=asked) if operation.web.method == "GET" else client.post(path, json=asked)
    assert reply.status_code == 200, reply.text
    expected = json.loads(json.dumps(getattr(small_model, name)(**asked).to_dict()))
    assert found_in(name, reply) == expected


def found_in(name: str, reply: httpx.Response) -> dict[str, Any]:
    """The document, put together where it came in lines; a card also tells the name under which it is served."""
    if name in ("bulk", "sweep"):
        lines = sorted((json.loads(line) for line in reply.text.splitlines()), key=lambda line: int(line["index"]))
        assert [(line["index"], line["error"]) for line in lines] == [(place, None) for place in range(len(lines))]
        return {"entries": lines} if name == "bulk" else {"points": [line["point"] for line in lines]}
    document = reply.json()
    assert isinstance(document, dict)
    if name == "card":
        assert document.pop("name") == "small"
    return document


def test_a_file_is_that_of_python(client: httpx.Client, small_model: Model) -> None:
    asked = EXAMPLES["explain"]
    reply = client.post("/api/v1/explain.html", json=asked)
    assert reply.text == small_model.explain(**asked).to_html()
