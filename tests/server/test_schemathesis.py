"""Requests made up from the OpenAPI description: nothing that a client sends makes the server fail."""

from __future__ import annotations

import random
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings

from tests.explain.small_dataset import ENTITIES, RELATIONS

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
from schemathesis import GenerationMode  # noqa: E402
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
OPERATIONS = [
    ("POST", "/api/v1/predict"),
    ("POST", "/api/v1/explain"),
    ("POST", "/api/v1/what-if"),
    ("POST", "/api/v1/why"),
    ("POST", "/api/v1/bulk"),
    ("POST", "/api/v1/sweep"),
    ("POST", "/api/v1/explain.html"),
    ("POST", "/api/v1/support"),
    ("GET", "/api/v1/displacement"),
    ("GET", "/api/v1/models"),
    ("GET", "/api/v1/model"),
    ("GET", "/api/v1/search"),
    ("GET", "/api/v1/facts"),
    ("GET", "/api/v1/entity"),
    ("GET", "/api/v1/timeline"),
    ("GET", "/api/v1/questions/examples"),
    ("GET", "/api/v1/questions/random"),
    ("GET", "/health"),
    ("GET", "/ready"),
    ("GET", "/metrics"),
]
TIMES = ["2014-04-29", "2014-12-31", "2013-01-01", "2016-02-29", 20140429]


@pytest.fixture(scope="session")
def description(client: httpx.Client) -> Any:
    found = schemathesis.openapi.from_url(f"{client.base_url}/api/v1/openapi.json")
    found.config.seed = 0
    return found


def attack(
    description: Any, method: str, path: str, *, named: bool = False, mode: GenerationMode = GenerationMode.POSITIVE
) -> None:
    """Send made-up requests to one operation and hold every answer against the description."""

    @given(case=description[path][method].as_strategy(generation_mode=mode))
    @settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def send(case: Any) -> None:
        if named:
            case.body = with_names(case.body, random.Random(repr(case.body)))  # noqa: S311  same request, same names
        case.call_and_validate(checks=CHECKS, timeout=30)

    send()


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=[path for _, path in OPERATIONS])
def test_made_up_requests(description: Any, method: str, path: str) -> None:
    attack(description, method, path)


@pytest.mark.parametrize("path", ["predict", "explain", "what-if", "why", "bulk", "sweep", "support"])
def test_made_up_requests_about_real_names(description: Any, path: str) -> None:
    """Made-up names are all unknown; with real ones the requests get as far as the model."""
    attack(description, "POST", f"/api/v1/{path}", named=True)


@pytest.mark.parametrize("path", ["predict", "explain", "what-if", "why", "bulk", "sweep", "support"])
def test_requests_that_break_the_schema(description: Any, path: str) -> None:
    attack(description, "POST", f"/api/v1/{path}", mode=GenerationMode.NEGATIVE)


def test_no_operation_is_forgotten(description: Any) -> None:
    found = {(operation.ok().method.upper(), operation.ok().path) for operation in description.get_all_operations()}
    assert found == set(OPERATIONS)


def with_names(body: Any, chance: random.Random) -> Any:
    if isinstance(body, list):
        return [with_names(entry, chance) for entry in body]
    if not isinstance(body, dict):
        return body
    choices: dict[str, list[Any]] = {
        "subject": [*ENTITIES, None, "?"],
        "object": [*ENTITIES, None, "?"],
        "answer": [*ENTITIES, None],
    }
    choices |= {"relation": RELATIONS, "time": TIMES, "since": TIMES, "until": TIMES}
    named = {
        key: chance.choice(choices[key]) if key in choices else with_names(value, chance) for key, value in body.items()
    }
    if "answers" in named:
        named["answers"] = ["Japan", "South Korea"]
    if "without" in named:
        named["without"] = [["North Korea", "Threaten", "South Korea", "2014-04-28"]]
    return named
