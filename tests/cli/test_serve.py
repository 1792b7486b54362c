from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.asking.run_folder import make_run
from tests.server.live import wait_until_ready
from tgap.cli.main import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("serve") / "run")


@pytest.fixture
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "tgap.cli.main", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        yield process, found.group()
        process.kill()


def test_serve_answers_and_stops(served: tuple[subprocess.Popen[str], str]) -> None:
    process, address = served
    wait_until_ready(address)
    card = httpx.get(f"{address}/api/v1/model").json()
    assert card["dataset"]["name"] == "world"
    assert card["settings"]["model"]["dimension"] == 8
    question = httpx.get(f"{address}/api/v1/questions/examples").json()["questions"][0]
    question.pop("asks")
    found = httpx.post(f"{address}/api/v1/explain", json=question, timeout=60).json()
    assert found["schema"] == "tgap.explanation/3"
    assert httpx.get(address).headers["content-type"].startswith("text/html")
    assert httpx.get(address, headers={"host": "evil.example"}).status_code == 400
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=60)
    assert process.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]  # every line is an object
    assert any(line.get("path") == "/api/v1/explain" and line["status"] == 200 for line in lines)
    assert [line["message"] for line in lines if line["logger"] == "tgap.server"] == ["loading", "listening", "stopped"]
    assert lines[-1]["every_turn_finished"] is True


def test_another_host_needs_a_token(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TGAP_TOKEN", raising=False)
    assert run(["serve", "nowhere", "--host", "0.0.0.0"]) == 2
    assert "TGAP_TOKEN" in capsys.readouterr().err


@pytest.mark.parametrize("token", ["", " secret", "größer"])
def test_tokens_that_no_header_can_carry(capsys: pytest.CaptureFixture[str], token: str) -> None:
    assert run(["serve", "nowhere", "--token", token]) == 2
    assert "token" in capsys.readouterr().err


def test_a_port_in_use_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert run(["serve", "nowhere", "--port", str(taken.getsockname()[1])]) == 2
    error = capsys.readouterr().err
    assert "already in use" in error
    assert "--port" in error


def test_unknown_hosts_and_runs_are_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "nowhere", "--host", "no such host", "--insecure"]) == 2
    assert "--host" in capsys.readouterr().err
    assert run(["serve", "nowhere", "--port", "0"]) == 2
    assert "no run 'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "prometheus_client"])
def test_without_the_extra_the_command_says_how_to_install_it(package: str) -> None:
    script = (
        "import importlib.util, sys\n"
        "find = importlib.util.find_spec\n"
        f"importlib.util.find_spec = lambda name, *rest: None if name == {package!r} else find(name, *rest)\n"
        "from tgap.cli.main import run\n"
        "sys.exit(run(['serve', 'nowhere']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "pip install 'tgap[serve]'" in done.stderr
    assert "Traceback" not in done.stderr
