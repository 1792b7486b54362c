"""Queue, time-out, cache and metrics, with a scorer that answers only when it is told to."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx
import pytest

from tests.server.live import running
from tests.server.slow import SlowScorer, slow_model
from tests.server.test_answers import QUESTION
from tgap.errors import ConfigError
from tgap.scorer import FloatArray, QueryBatch
from tgap.server.app import create_app
from tgap.server.errors import BusyError
from tgap.server.limits import Limits
from tgap.server.work_queue import WorkQueue


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[SlowScorer, httpx.Client]]:
    scorer, model = slow_model()
    limits = Limits(waiting=3, seconds=20.0, body_bytes=20_000)
    with running(create_app(model, limits=limits)) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield scorer, client


@pytest.fixture
def slow(served: tuple[SlowScorer, httpx.Client]) -> Iterator[tuple[SlowScorer, httpx.Client]]:
    """A scorer that can be held up, and its server; each test asks about days of its own."""
    yield served
    served[0].go.set()


def question(day: int, month: int = 5) -> dict[str, object]:
    return {**QUESTION, "time": f"2014-{month:02d}-{day:02d}"}


def test_beyond_the_bound_requests_are_asked_to_come_back(slow: tuple[SlowScorer, httpx.Client]) -> None:
    scorer, client = slow
    scorer.hold()
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(client.post, "/api/v1/predict", json=question(day)) for day in range(1, 9)]
        assert scorer.begun.wait(60)
        while sum(future.done() for future in asked) < 5:  # the test's own time limit ends this if it never comes
            time.sleep(0.02)
        scorer.go.set()
        replies = [future.result() for future in asked]
    statuses = sorted(reply.status_code for reply in replies)
    assert statuses == [200] * 3 + [503] * 5
    busy = next(reply for reply in replies if reply.status_code == 503)
    assert busy.headers["retry-after"] == "1"
    assert busy.json()["error"]["code"] == "busy"
    assert busy.json()["error"]["waiting"] == 3
    again = client.post("/api/v1/predict", json=question(8))
    assert again.status_code == 200


def test_a_crowd_that_could_not_be_served_in_time_is_told_when_to_come_back() -> None:
    async def crowd(limits: Limits, turn: float) -> tuple[int, str]:
        """Places given and the Retry-After of the first refusal, once the length of a turn is known."""
        queue = WorkQueue(limits)
        await queue.warm_up(lambda: None)
        for _ in range(30):
            await queue.run(lambda: None)
        queue.turn = turn
        with ExitStack() as places:
            for given in range(100):
                try:
                    places.enter_context(queue.place())
                except BusyError as refused:
                    return given, refused.headers["Retry-After"]
        raise AssertionError("nobody was refused")

    assert asyncio.run(crowd(Limits(waiting=90, seconds=10.0), 0.5)) == (21, "6")  # 20 turns fit before the time-out
    assert asyncio.run(crowd(Limits(waiting=8, seconds=10.0), 0.5)) == (8, "2")  # half of the crowd has had its turn
    assert asyncio.run(crowd(Limits(waiting=8, seconds=10.0), 1e-6)) == (8, "1")


def test_the_length_of_a_turn_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def takes(seconds: float) -> None:
        clock[0] += seconds

    async def turn() -> float:
        queue = WorkQueue(Limits())
        await queue.warm_up(lambda: takes(9.0))  # does not count
        for _ in range(5):
            await queue.run(lambda: takes(0.25))
        return queue.turn

    monkeypatch.setattr("tgap.server.work_queue.time.perf_counter", lambda: clock[0])
    assert asyncio.run(turn()) == pytest.approx(0.25)


def test_quick_routes_answer_while_the_queue_is_full(slow: tuple[SlowScorer, httpx.Client]) -> None:
    scorer, client = slow
    scorer.hold()
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(client.post, "/api/v1/predict", json=question(day, 6)) for day in (1, 2)]
        assert scorer.begun.wait(60)
        assert client.get("/health").status_code == 200
        assert client.get("/api/v1/search", params={"q": "kor"}).status_code == 200
        scorer.go.set()
        assert {future.result().status_code for future in asked} == {200}


def test_an_answer_that_takes_too_long_is_a_timeout_and_frees_its_place() -> None:
    scorer, model = slow_model()
    limits = Limits(waiting=1, seconds=0.5)
    with running(create_app(model, limits=limits)) as address, httpx.Client(base_url=address, timeout=60) as client:
        scorer.hold()
        reply = client.post("/api/v1/predict", json=question(1))
        assert (reply.status_code, reply.json()["error"]["code"]) == (504, "timeout")
        bulk = client.post("/api/v1/bulk", json={"questions": [question(2)]})
        assert json.loads(bulk.text)["error"]["code"] == "timeout"  # in its line: others may have been answered
        assert client.get("/ready").status_code == 200
        scorer.go.set()


def test_the_same_question_is_computed_once(slow: tuple[SlowScorer, httpx.Client]) -> None:
    scorer, client = slow
    before = scorer.calls
    scorer.hold()
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(client.post, "/api/v1/predict", json=question(5, 7)) for _ in range(3)]
        assert scorer.begun.wait(60)
        scorer.go.set()
        contents = {future.result().content for future in asked}
    assert len(contents) == 1
    assert scorer.calls == before + 1


@pytest.mark.parametrize("told", [True, False])
def test_oversized_bodies_are_refused(slow: tuple[SlowScorer, httpx.Client], told: bool) -> None:
    _, client = slow
    body = b'{"questions": [' + b" " * 30_000 + b"]}"

    def pieces() -> Iterator[bytes]:
        for start in range(0, len(body), 1000):
            yield body[start : start + 1000]

    reply = client.post(
        "/api/v1/bulk", content=body if told else pieces(), headers={"content-type": "application/json"}
    )
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")


def test_lists_are_bounded(slow: tuple[SlowScorer, httpx.Client]) -> None:
    _, client = slow
    short = {"relation": "Threaten", "object": "Japan", "time": "2014-05-01"}
    assert client.post("/api/v1/bulk", json={"questions": [short] * 20}).status_code == 200
    reply = client.post("/api/v1/bulk", json={"questions": [short] * 257})
    assert reply.status_code == 422
    assert "256" in reply.json()["error"]["message"]


def test_a_scorer_without_walks_answers_but_does_not_explain(slow: tuple[SlowScorer, httpx.Client]) -> None:
    _, client = slow
    assert client.get("/api/v1/model").json()["explains"] is False
    found = client.post("/api/v1/predict", json=QUESTION).json()
    assert found["probabilities"] is False
    reply = client.post("/api/v1/explain", json=QUESTION)
    assert reply.status_code == 422
    assert "without reasons" in reply.json()["error"]["message"]


def test_metrics_count_requests_by_route() -> None:
    _, model = slow_model()
    with running(create_app(model)) as address, httpx.Client(base_url=address, timeout=60) as client:
        client.post("/api/v1/predict", json=QUESTION)
        client.post("/api/v1/predict", json=QUESTION)
        client.get("/invented/by/a/client")
        text = client.get("/metrics").text
    assert 'tgap_requests_total{method="POST",route="/api/v1/predict",status="200"} 2.0' in text
    assert 'route="other",status="404"' in text
    assert "invented" not in text
    assert "tgap_answer_cache_hits_total 1.0" in text
    assert 'tgap_request_seconds_bucket{le="0.3",route="/api/v1/predict"}' in text


def test_not_ready_before_the_first_answer() -> None:
    scorer, model = slow_model()
    scorer.hold()
    with running(create_app(model), ready=False) as address:
        assert scorer.begun.wait(60)
        reply = httpx.get(f"{address}/ready")
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
        asked = httpx.post(f"{address}/api/v1/predict", json=QUESTION)
        assert (asked.status_code, asked.json()["error"]["code"]) == (503, "warming_up")
        assert httpx.get(f"{address}/health").status_code == 200
        scorer.go.set()


def test_our_own_bugs_are_told_without_details(caplog: pytest.LogCaptureFixture) -> None:
    scorer, model = slow_model()

    def broken(_: QueryBatch) -> FloatArray:
        raise ZeroDivisionError("secret detail")

    with running(create_app(model)) as address:
        scorer.score = broken  # type: ignore[assignment, method-assign]
        reply = httpx.post(f"{address}/api/v1/predict", json=question(9))
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in reply.text
    assert reply.headers["x-request-id"]
    assert "secret detail" in caplog.text


def test_threads_are_set_in_the_computing_thread() -> None:
    _, model = slow_model()
    names: list[str] = []
    app = create_app(model, initialise=lambda: names.append(threading.current_thread().name))
    with running(app):
        pass
    assert names == ["tgap-work_0"]


@pytest.mark.parametrize("setting", ["waiting", "seconds", "body_bytes"])
def test_limits_must_be_positive(setting: str) -> None:
    with pytest.raises(ConfigError, match=setting):
        Limits(**{setting: 0})
