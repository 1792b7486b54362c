"""How a cluster is reached: closed doors, clear words where there is none, and never an endless wait."""

from __future__ import annotations

import os
import socket
import time
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from tgap.cli.main import cli
from tgap.distributed import ray_cluster
from tgap.errors import ConfigError, DependencyError, WorkerError


def test_doors_are_closed_unless_the_user_opens_them() -> None:
    with patch.dict(os.environ, {"RAY_AUTH_MODE": "disabled"}, clear=True):
        ray_cluster._close_doors("10.0.0.1:6379")
        assert os.environ["RAY_AUTH_MODE"] == "disabled"
        assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
        assert "RAY_AUTH_TOKEN" not in os.environ
    with patch.dict(os.environ, {}, clear=True):
        ray_cluster._close_doors("local")
        assert os.environ["RAY_AUTH_MODE"] == "token"
        assert len(os.environ["RAY_AUTH_TOKEN"]) == 64
        assert os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"


def test_without_ray_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda _name: None)
    with (
        patch.dict(os.environ),
        pytest.raises(DependencyError, match=r"pip install 'tgap\[ray\]'"),
        ray_cluster.connected("local", 1, 1),
    ):
        raise AssertionError("connected without Ray")


@pytest.mark.parametrize(
    "command",
    [["train", "--dataset", "world"], ["tune", "--dataset", "world"], ["complete", "world", "--ask", "x.csv"]],
)
def test_without_ray_nothing_is_written(command: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda _name: None)
    out = tmp_path / "out"
    result = CliRunner().invoke(cli, [*command, "--out", str(out), "--ray", "local"])
    assert result.exit_code == 2
    assert "pip install 'tgap[ray]'" in result.stderr
    assert result.stdout == ""
    assert not out.exists()


def test_what_is_no_address_and_where_nobody_is() -> None:
    with pytest.raises(ConfigError, match="'somewhere' is no address; give HOST:PORT"):
        ray_cluster._require_answer("somewhere")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        with pytest.raises(WorkerError, match=r"no Ray cluster at 127\.0\.0\.1:\d+: .*refused"):
            ray_cluster._require_answer(f"127.0.0.1:{taken.getsockname()[1]}")


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'tgap[ray]'")
def test_a_head_that_never_answers_is_an_error_in_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "ANSWER_SECONDS", 3.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        with pytest.raises(WorkerError, match="does not answer as a Ray cluster does within 3 s"):
            ray_cluster._require_answer(f"127.0.0.1:{silent.getsockname()[1]}")
        assert time.monotonic() - begun < 20


def test_a_cluster_without_room_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="the cluster has 3 cores; `workers` 2 with `threads` 2 needs 4"):
        ray_cluster._require_room(3, 2, 2)
