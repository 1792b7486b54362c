"""How the processes of a training find each other: torch's process group over gloo.

Processes of one machine meet in a file of a private folder and talk over the loopback interface alone. Under torchrun
they meet where it says, on a cluster at an address of rank 0's machine that rank 0 makes known. Whoever does not come
in time is named; nobody waits forever.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import torch.distributed as dist
from torch.distributed import FileStore, Store, TCPStore  # type: ignore[attr-defined]
from torch.distributed.rendezvous import rendezvous

from tgap.errors import WorkerError
from tgap.training.workers import Group

LOOPBACK = "127.0.0.1"
ARRIVAL = timedelta(minutes=2)  # until all are there
ANSWER = timedelta(minutes=10)  # for one exchange; the first step may compile kernels


@contextmanager
def local_group(meeting: Path, rank: int, size: int, arrival: timedelta = ARRIVAL) -> Iterator[Group]:
    """The group of some processes of this machine, which all name the same file."""
    _stay_on_loopback()
    with _joined(FileStore(str(meeting), size), rank, size, arrival) as group:
        yield group


@contextmanager
def torchrun_group(arrival: timedelta = ARRIVAL) -> Iterator[Group]:
    """The group that torchrun has started this process for."""
    try:
        store, rank, size = next(iter(rendezvous("env://", timeout=arrival)))
    except (RuntimeError, ValueError) as error:
        raise WorkerError(f"the other workers cannot be reached: {' '.join(str(error).split())[:160]}") from error
    with _joined(store, rank, size, arrival) as group:
        yield group


Meeting = tuple[str, int]  # address and port where processes of a cluster meet


def open_meeting(address: str) -> tuple[Store, Meeting]:
    """Rank 0 opens a meeting at an address of its machine, and only there: torch alone would listen on all of them."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.bind((address, 0))
    listening.listen()
    port: int = listening.getsockname()[1]
    store = TCPStore(address, port, None, True, ARRIVAL, wait_for_workers=False, master_listen_fd=listening.detach())
    return store, (address, port)


@contextmanager
def cluster_group(store: Store | None, meeting: Meeting, rank: int, size: int) -> Iterator[Group]:
    """The group of processes that have met; rank 0 has the store already."""
    address, port = meeting
    if address == LOOPBACK:
        _stay_on_loopback()
    with _joined(store or TCPStore(address, port, None, False, ARRIVAL), rank, size, ARRIVAL) as group:
        yield group


def _stay_on_loopback() -> None:
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo0" if sys.platform == "darwin" else "lo")


@contextmanager
def _joined(store: Store, rank: int, size: int, arrival: timedelta) -> Iterator[Group]:
    _await_all(store, rank, size, arrival)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=ANSWER)
    try:
        yield Group()
    finally:
        dist.destroy_process_group()


def _await_all(store: Store, rank: int, size: int, arrival: timedelta) -> None:
    store.set(f"tgap/{rank}", "here")
    for other in range(size):
        try:
            store.wait([f"tgap/{other}"], arrival)
        except RuntimeError as error:
            raise WorkerError(
                f"worker {other} of {size} did not come within {arrival.total_seconds():g} s; see whether its "
                "process or machine is alive and can reach this one, then start again"
            ) from error
