"""A real process with real signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import httpx
import pytest

from tests.server.live import wait_until_ready
from tests.server.test_answers import QUESTION
from tests.server.test_clients import connect, request, until, waiting
from tgap.server.limits import Limits


@dataclass(frozen=True)
class Process:
    """A process whose answers wait."""

    number: int
    address: str
    let_go: TextIO  # a line lets one answer go
    log: Path
    parent: subprocess.Popen[str]

    def stop(self, signal_number: int) -> str:
        """Send a signal; the process must end well within ten seconds and without an error. Its log."""
        begun = time.monotonic()
        os.kill(self.number, signal_number)
        return self.end(begun)

    def end(self, begun: float) -> str:
        """Wait for the end after a signal that was sent at a time."""
        last = threading.Timer(60, os.kill, (self.number, signal.SIGKILL))
        last.start()
        assert self.parent.stdout is not None
        code = int(self.parent.stdout.readline())
        last.cancel()
        assert time.monotonic() - begun < 10
        assert code == 0
        return self.log.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parent() -> Iterator[subprocess.Popen[str]]:
    """What makes such processes."""
    command = [sys.executable, "-m", "tests.server.slow_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@pytest.fixture
def process(parent: subprocess.Popen[str], tmp_path: Path) -> Iterator[Process]:
    """One of them, ready."""
    for name in ("in", "out"):
        os.mkfifo(tmp_path / name)
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.write(f"{tmp_path}\n")
    parent.stdin.flush()
    number = int(parent.stdout.readline())
    with (tmp_path / "in").open("w") as let_go, (tmp_path / "out").open() as said:
        address = said.readline().strip()
        wait_until_ready(address)
        yield Process(number, address, let_go, tmp_path / "log", parent)
        with suppress(ProcessLookupError):  # as it should be
            os.kill(number, signal.SIGKILL)


def test_answers_that_were_begun_are_finished(process: Process) -> None:
    with ThreadPoolExecutor(2) as pool:
        asked = [
            pool.submit(httpx.post, f"{process.address}/api/v1/predict", json={**QUESTION, "top": top}, timeout=60)
            for top in (3, 4)  # the second one waits in the queue
        ]
        until(lambda: waiting(process.address) == 2)
        begun = time.monotonic()
        os.kill(process.number, signal.SIGINT)  # the tests below send SIGTERM
        until(lambda: not reachable(process.address))  # it stops, and both still wait
        assert not any(future.done() for future in asked)
        process.let_go.write("\n\n")
        process.let_go.flush()
        replies = [future.result() for future in asked]
        assert [reply.status_code for reply in replies] == [200, 200]
        assert [len(reply.json()["answers"]) for reply in replies] == [3, 4]
        _check_log(process.end(begun))


def reachable(address: str) -> bool:
    try:
        connect(address).close()
    except ConnectionRefusedError:
        return False
    return True


def test_it_ends_soon_whatever_clients_do(process: Process) -> None:
    address = process.address
    with ThreadPoolExecutor(4) as pool:
        stalled = [connect(address) for _ in range(20)]
        for client in stalled[:5]:
            client.sendall(b"GET /health HTTP/1.1\r\nhost: loc")
        for client in stalled[5:10]:
            client.sendall(request("/api/v1/predict", QUESTION)[:-10])
        for client in stalled[10:15]:
            client.sendall(b"GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n" * 300)  # and never reads
        asked = [
            pool.submit(httpx.post, f"{address}/api/v1/predict", json={**QUESTION, "top": top}, timeout=60)
            for top in (3, 4)
        ]
        questions = [{**QUESTION, "top": top} for top in range(1, 50)]
        asked.append(pool.submit(httpx.post, f"{address}/api/v1/bulk", json={"questions": questions}, timeout=60))
        until(lambda: waiting(address) == 3)
        log = process.stop(signal.SIGTERM)
        codes = [_code(future) for future in asked]
        assert codes[1] == "stopping"  # it waited for a turn that did not come
        for client in stalled:
            client.close()
    lines = [json.loads(line) for line in log.splitlines()]
    assert lines[-1]["message"] == "stopped"
    assert lines[-1]["every_turn_finished"] is False


def test_it_ends_even_where_the_event_loop_is_held_up(process: Process) -> None:
    with connect(process.address) as client:
        client.sendall(b"GET /stuck HTTP/1.1\r\nhost: localhost\r\n\r\n")
        until(lambda: not answers(process.address))
        log = process.stop(signal.SIGTERM)
    assert json.loads(log.splitlines()[-1])["message"] == "stopped"


def test_there_is_room_between_the_steps_of_a_stop() -> None:
    """In the process of the other tests all times are shorter; this is about those that are served with."""
    limits = Limits()
    assert limits.stop_seconds + 2 < limits.leave_seconds <= 8  # refusals and the last turn have a second each


def answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health", timeout=0.5).status_code == 200
    except httpx.TimeoutException:
        return False


def _code(asked: Future[httpx.Response]) -> str:
    """The error's code of an answer; the connection's own where it broke."""
    try:
        reply = asked.result()
    except httpx.TransportError:
        return "broken"
    return str(json.loads(reply.text.splitlines()[0])["error"]["code"])


def _check_log(log: str) -> None:
    lines = [json.loads(line) for line in log.splitlines()]  # every line is an object
    asked = [line for line in lines if line.get("path") == "/api/v1/predict"]
    assert len(asked) == 2
    for line in asked:
        assert {"time", "level", "id", "method", "status", "milliseconds", "bytes", "client"} <= set(line)
        assert (line["status"], line["method"], line["client"]) == (200, "POST", "127.0.0.1")
        assert line["milliseconds"] > 0
