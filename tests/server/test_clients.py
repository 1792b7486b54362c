"""Clients that leave, stall, crowd in or ask for very much must not hold up the others."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server.live import NO_TLS, running
from tests.server.slow import SlowScorer, slow_model
from tests.server.test_answers import QUESTION
from tgap.scorer import FloatArray, QueryBatch
from tgap.server.app import create_app
from tgap.server.limits import Limits

QUICK = Limits(connections=20, head_seconds=1.0, body_seconds=1.0, write_seconds=1.0, stop_seconds=1.0)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[SlowScorer, str]]:
    scorer, model = slow_model()
    with running(create_app(model, limits=QUICK)) as address:
        yield scorer, address


@pytest.fixture
def slow(served: tuple[SlowScorer, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SlowScorer, str]]:
    """A scorer that can be held up, and its server; what a test does to its ``score`` is undone."""
    scorer, _ = served
    monkeypatch.setattr(scorer, "score", scorer.score)
    yield served
    scorer.go.set()


def connect(address: str) -> socket.socket:
    place = urlsplit(address)
    return socket.create_connection((str(place.hostname), place.port or 80), timeout=60)


def read_to_the_end(client: socket.socket) -> bytes:
    """All that comes until the server ends the connection, one way or the other."""
    reply = b""
    try:
        while part := client.recv(65536):
            reply += part
    except ConnectionResetError:
        pass
    return reply


def request(path: str, body: Mapping[str, object]) -> bytes:
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(content)}\r\n"
    return head.encode() + b"content-type: application/json\r\n\r\n" + content


def metrics(address: str) -> str:
    return httpx.get(f"{address}/metrics", timeout=60, verify=NO_TLS).text


def counted(address: str, name: str) -> int:
    lines = metrics(address).splitlines()
    return int(float(next(line for line in lines if line.startswith(f"{name} ")).split()[1]))


def waiting(address: str) -> int:
    return counted(address, "tgap_queue_waiting")


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


def test_forty_abandoned_questions_do_not_delay_the_next_one() -> None:
    scorer, model = slow_model()
    with running(create_app(model)) as address:
        scorer.hold()
        clients = [connect(address) for _ in range(40)]
        for number, client in enumerate(clients):
            question = {**QUESTION, "time": f"2014-{1 + number // 20:02d}-{1 + number % 20:02d}"}
            client.sendall(request("/api/v1/predict", question))
        until(lambda: waiting(address) == 40)
        assert scorer.begun.wait(60)
        before = scorer.calls
        for client in clients:
            client.close()
        until(lambda: waiting(address) == 0)  # their places are free though nothing has been computed
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(httpx.post, f"{address}/api/v1/predict", json=QUESTION, timeout=60)
            until(lambda: waiting(address) == 1)
            scorer.go.set()
            assert asked.result().status_code == 200
        assert scorer.calls == before + 2  # the one that was under way, and the new one
        until(lambda: 'route="/api/v1/predict",status="499"} 40.0' in metrics(address))


def test_a_bulk_request_whose_client_leaves_ends(slow: tuple[SlowScorer, str]) -> None:
    scorer, address = slow
    scorer.hold()
    questions = [{**QUESTION, "time": f"2014-05-{day:02d}"} for day in range(1, 21)]
    client = connect(address)
    client.sendall(request("/api/v1/bulk", {"questions": questions}))
    until(lambda: waiting(address) == 1)
    assert scorer.begun.wait(60)
    before = scorer.calls
    client.close()
    until(lambda: waiting(address) == 0)
    scorer.go.set()
    assert httpx.post(f"{address}/api/v1/predict", json=QUESTION, timeout=60).status_code == 200
    assert scorer.calls <= before + 2


def test_finished_parts_of_a_bulk_request_arrive_before_the_rest_is_computed(slow: tuple[SlowScorer, str]) -> None:
    scorer, address = slow
    allowed, real = threading.Semaphore(1), scorer.score

    def one_by_one(queries: QueryBatch) -> FloatArray:
        assert allowed.acquire(timeout=60)
        return real(queries)

    scorer.score = one_by_one  # type: ignore[method-assign]
    questions = [{**QUESTION, "time": f"2014-06-{day:02d}"} for day in (1, 2)]
    with httpx.stream("POST", f"{address}/api/v1/bulk", json={"questions": questions}, timeout=60) as reply:
        lines = reply.iter_lines()
        assert json.loads(next(lines))["index"] == 0  # the second question cannot have been answered yet
        allowed.release()
        assert json.loads(next(lines))["index"] == 1


def test_connections_that_say_nothing_or_stall_in_the_head_are_ended(slow: tuple[SlowScorer, str]) -> None:
    _, address = slow
    silent, partial, trickling = (connect(address) for _ in range(3))
    partial.sendall(b"GET /health HTTP/1.1\r\nhost: localh")
    begun = time.monotonic()
    trickling.sendall(b"GET /health HTTP/1.1\r\n")
    ended = False
    while not ended and time.monotonic() - begun < 60:
        try:
            trickling.sendall(b"x")  # a byte now and then does not help
            time.sleep(0.2)
        except OSError:
            ended = True
    assert ended
    assert all(read_to_the_end(client) == b"" for client in (silent, partial))
    assert time.monotonic() - begun < 60  # and not for ever


def test_a_keep_alive_connection_may_rest_for_a_while() -> None:
    """The limit counts from the last answer on, not from the connection: three rests of a third are more than it."""
    _, model = slow_model()
    with running(create_app(model, limits=Limits(head_seconds=3.0))) as address, connect(address) as client:
        for rest in (1.2, 1.2, 1.2, 0):
            client.sendall(b"HEAD /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
            time.sleep(rest)


def test_a_body_that_stalls_is_told_so(slow: tuple[SlowScorer, str]) -> None:
    _, address = slow
    client = connect(address)
    client.sendall(request("/api/v1/predict", QUESTION)[:-10])
    reply = read_to_the_end(client)
    assert reply.startswith(b"HTTP/1.1 408 ")
    assert b"slow_body" in reply


def test_a_client_that_does_not_read_is_ended(slow: tuple[SlowScorer, str]) -> None:
    _, address = slow
    client = connect(address)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wanted = b"GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n"
    client.sendall(wanted * 400)  # far more than the buffers hold
    until(lambda: open_connections(address) > 1)
    until(lambda: open_connections(address) == 1)  # only the one that asks for the metrics
    answered = re.search(r'route="other",status="200"} (\d+)', metrics(address))
    assert answered is not None
    assert int(answered.group(1)) < 20  # the others were not answered in vain


def open_connections(address: str) -> int:
    return counted(address, "tgap_connections")


def test_beyond_the_bound_connections_are_turned_away() -> None:
    _, model = slow_model()
    with running(create_app(model, limits=Limits(connections=20, head_seconds=120.0))) as address:
        clients = [connect(address) for _ in range(20)]
        until(lambda: refused(address))
        for client in clients:
            client.close()
        until(lambda: not refused(address))


def refused(address: str) -> bool:
    with connect(address) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        reply = read_to_the_end(client)
        return reply.startswith(b"HTTP/1.1 503 ") and b"too many connections" in reply
