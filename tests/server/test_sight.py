"""The API answers as of a day, or knowing only the past."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.server.live import running
from tgap.server.app import create_app
from tgap.server.models import Models

QUESTION = {"subject": "Meridona", "relation": "Visit", "time": "2012-04-26"}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    models = Models.from_runs(["world"])
    with running(create_app(models)) as address, httpx.Client(base_url=f"{address}/api/v1", timeout=60) as client:
        yield client


@pytest.mark.parametrize(
    ("sight", "until"), [({"past_only": True}, "2012-04-25"), ({"as_of": "2012-03-01"}, "2012-03-01")]
)
def test_answers_and_reasons_keep_to_what_may_be_seen(
    client: httpx.Client, sight: dict[str, object], until: str
) -> None:
    plain, limited = (client.post("/predict", json={**QUESTION, **more}).json() for more in ({}, sight))
    assert limited["answers"] != plain["answers"]
    note = f"answered from what is known until {until}; nothing later was seen"
    assert limited["notes"] == [note]
    explained = client.post("/explain", json={**QUESTION, **sight}).json()
    assert note in explained["notes"]
    assert explained["answer"]["name"] == limited["answers"][0]["name"]
    times = [fact["time"] for fact in client.post("/support", json={**QUESTION, **sight}).json()["facts"]]
    assert all(time <= until for time in times)
    swept = {"relation": "Visit", "subject": "Meridona", "since": "2012-04-26", "until": "2012-04-27", "points": 2}
    lines = client.post("/sweep", json={**swept, "answers": ["Jalendra"], **sight}).text.splitlines()
    assert len(lines) >= 2


def test_a_time_that_cannot_be_read_is_told(client: httpx.Client) -> None:
    refused = client.post("/predict", json={**QUESTION, "as_of": "someday"})
    assert refused.status_code == 422, refused.text
