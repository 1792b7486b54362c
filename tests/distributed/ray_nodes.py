"""A small Ray cluster for tests: two nodes of one core each on the loopback interface, with a token of its own."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped, unused-ignore]

_CLOSED = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # nodes are 127.0.0.1
    "RAY_AUTH_TOKEN": secrets.token_hex(16),  # one for all clusters: Ray reads it once in a process
    "OMP_NUM_THREADS": "1",
}
_NODE = {"num_cpus": 1, "object_store_memory": 80_000_000}
_started: list[subprocess.Popen[str]] = []  # by any test; none outlives its cluster


class Nodes:
    """The cluster. Commands are given its address and token by the environment."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster: Any = Cluster(initialize_head=True, head_node_args={**_NODE, "include_dashboard": False})
        self._cluster.add_node(**_NODE)
        self.address: str = self._cluster.address

    def lose_head(self) -> None:
        """The head's processes are killed."""
        self._cluster.head_node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)

    def processes(self, title: str) -> list[psutil.Process]:
        """Workers of the cluster whose title has this in it."""
        found = []
        for process in psutil.process_iter():
            try:
                if (
                    title in " ".join(process.cmdline())
                    and process.environ().get("RAY_AUTH_TOKEN") == _CLOSED["RAY_AUTH_TOKEN"]
                ):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def end(self) -> None:
        self._cluster.shutdown()


@contextmanager
def ray_nodes() -> Iterator[Nodes]:
    """A cluster that ends with the block."""
    before = dict(os.environ)
    os.environ.update(_CLOSED)
    nodes = Nodes()
    try:
        yield nodes
    finally:
        for process in _started:
            process.kill()
        nodes.end()
        os.environ.clear()
        os.environ.update(before)


def start(*words: str | Path) -> subprocess.Popen[str]:
    """A command of ours as a process of its own."""
    line = [sys.executable, "-m", "tgap", *map(str, words)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    _started.append(process)
    return process


def run(*words: str | Path) -> str:
    """What a command prints; it must go well."""
    process = start(*words)
    shown, _ = process.communicate(timeout=240)
    assert process.returncode == 0, shown
    return shown
