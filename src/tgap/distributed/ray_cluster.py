"""A Ray cluster: one of one's own on this machine, or one that is running.

Everything is closed unless somebody opens it: an own cluster listens on the loopback interface only, has no dashboard
and a token of its own; usage statistics are off; a running cluster is spoken to with token authentication unless the
user turns that off. A cluster that does not answer is an error in bounded time: Ray itself would wait on.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from tgap.distributed.group import LOOPBACK
from tgap.errors import ConfigError, DependencyError, Option, WorkerError

LOCAL = "local"
ANSWER_SECONDS = 30.0
RESTARTS = 10  # of lost workers, in one command
_PROBE = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False, logging_level='ERROR')"


def require_ray() -> None:
    """An error with the remedy where Ray is not installed."""
    if find_spec("ray") is None:
        raise DependencyError(
            Option("ray"), " needs Ray, which is not installed; install it with: pip install 'tgap[ray]'"
        )


@contextmanager
def connected(address: str, workers: int, threads: int) -> Iterator[Any]:
    """The module ``ray``, connected inside the block; the cluster must have room for the workers."""
    require_ray()
    _close_doors(address)
    import ray  # noqa: PLC0415  an extra

    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        ray.init(address=LOCAL, num_cpus=workers * threads, include_dashboard=False, **quiet)
    else:
        _require_answer(address)
        ray.init(address=address, **quiet)
    try:
        _require_room(int(ray.cluster_resources().get("CPU", 0)), workers, threads)
        yield ray
    finally:
        ray.shutdown()


def node_address() -> str:
    """Address of the node that this process runs on."""
    import ray  # noqa: PLC0415

    return str(ray.util.get_node_ip_address())


def _close_doors(address: str) -> None:
    """What Ray reads when it is loaded; what the user has set stays."""
    closed = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_TRAIN_V2_ENABLED": "1"}
    closed["RAY_AIR_NEW_OUTPUT"] = "0"  # Ray Tune would print; our own display tells how it goes
    if address == LOCAL:
        closed["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    if address == LOCAL or address.startswith((f"{LOOPBACK}:", "localhost:")):
        closed["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # Ray's way to say: this node is 127.0.0.1
    for name, value in closed.items():
        os.environ.setdefault(name, value)


def _require_answer(address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ConfigError(
            Option("ray"), f" {address!r} is no address; give HOST:PORT as ray start shows it, or {LOCAL}"
        )
    try:
        socket.create_connection((host, int(port)), ANSWER_SECONDS).close()
    except OSError as error:
        raise WorkerError(f"no Ray cluster at {address}: {error}; start one with: ray start --head") from error
    try:
        done = subprocess.run(  # noqa: S603  our own program
            [sys.executable, "-c", _PROBE, address], capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise WorkerError(
            f"{address} does not answer as a Ray cluster does within {ANSWER_SECONDS:g} s; see whether the head is "
            "alive, and whether RAY_AUTH_TOKEN is its token"
        ) from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1][:200]
        raise WorkerError(
            f"the Ray cluster at {address} refuses: {reason}; give its token by RAY_AUTH_TOKEN, or set "
            "RAY_AUTH_MODE=disabled for a cluster that has none"
        )


def _require_room(cores: int, workers: int, threads: int) -> None:
    if cores < workers * threads:
        raise ConfigError(
            f"the cluster has {cores} cores; ",
            Option("workers"),
            f" {workers} with ",
            Option("threads"),
            f" {threads} needs {workers * threads}: give fewer of them, or start more nodes",
        )
