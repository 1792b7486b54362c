"""A real process with real signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.server.live import wait_until_ready
from tests.server.test_answers import QUESTION


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.server.slow_process"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as found:
        yield found
        found.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_answers_that_were_begun_are_finished(process: subprocess.Popen[str], number: int) -> None:
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    wait_until_ready(address)
    with ThreadPoolExecutor(2) as pool:
        asked = [
            pool.submit(httpx.post, f"{address}/api/v1/predict", json={**QUESTION, "top": top}, timeout=30)
            for top in (3, 4)  # the second one waits in the queue
        ]
        assert process.stdout.readline().strip() == "begun"
        while "tgap_lane_waiting 2.0" not in httpx.get(f"{address}/metrics").text:
            pass
        process.send_signal(number)
        replies = [future.result() for future in asked]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert [len(reply.json()["answers"]) for reply in replies] == [3, 4]
    _, log = process.communicate(timeout=30)
    assert process.returncode == 0
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{address}/health")
    _check_log(log)


def _check_log(log: str) -> None:
    lines = [json.loads(line) for line in log.splitlines()]
    asked = [line for line in lines if line.get("path") == "/api/v1/predict"]
    assert len(asked) == 2
    for line in asked:
        assert {"time", "level", "id", "method", "status", "milliseconds", "bytes", "client"} <= set(line)
        assert (line["status"], line["method"], line["client"]) == (200, "POST", "127.0.0.1")
        assert line["milliseconds"] >= 1000
