"""GET /api/v1/displacement: the one study that has a route."""

from __future__ import annotations

import json

import httpx
import pytest

import tgap
from tests.server.conftest import client, small_model
from tgap.asking.model import Model
from tgap.studies import STUDIES

__all__ = ["client", "small_model"]
PATH = "/api/v1/displacement"


@pytest.mark.parametrize("side", ["tail", "both"])
def test_rest_gives_the_document_of_python(client: httpx.Client, small_model: Model, side: str) -> None:
    found = client.get(PATH, params={"relation": ["Threaten", "Consult"], "side": side, "limit": 1}).json()
    asked = tgap.studies.displacement(small_model, relations=("Threaten", "Consult"), side=side, limit=1)
    assert found == json.loads(asked.to_json())
    assert [profile["relation"] for profile in found["profiles"]] == ["Threaten", "Consult"]


def test_without_a_relation_all_are_asked_together(client: httpx.Client, small_model: Model) -> None:
    (found,) = client.get(PATH).json()["profiles"]
    assert found["relation"] == "all relations"
    assert found["queries"] == found["available"] == len(small_model.dataset.test)


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ({"relation": "No such"}, 422, "unknown relation 'No such'"),
        ({"limit": 201}, 422, "limit"),
        ({"relations": "Threaten"}, 422, "unknown parameter 'relations'; expected one of model, "),
    ],
)
def test_mistakes_are_told(client: httpx.Client, asked: dict[str, str], status: int, told: str) -> None:
    reply = client.get(PATH, params=asked)
    assert reply.status_code == status
    assert told in reply.text


def test_the_description_has_its_parameters_and_its_reply(client: httpx.Client) -> None:
    described = client.get("/api/v1/openapi.json").json()
    route = described["paths"][PATH]["get"]
    assert {"relation", "side", "limit", "split", "seed"} <= {one["name"] for one in route["parameters"]}
    schema = described["components"]["schemas"]["DisplacementProfiles"]
    assert schema["properties"]["schema"]["const"] == "tgap.displacement/2"
    assert STUDIES.find("displacement").web is not None
