"""Processes of this machine that work for one command."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading


def threads_each(workers: int, threads: int | None) -> int:
    """Threads of each of some processes: as wanted, else the cores divided among them."""
    if threads is not None:
        return threads
    allowed = getattr(os, "sched_getaffinity", None)
    cores = len(allowed(0)) if allowed is not None else os.cpu_count() or 1
    return max(1, cores // workers)


def begin_helper(threads: int) -> None:
    """What a helping process does first: the one that started it alone hears Ctrl-C, and they end together."""
    from tgap.kernels import set_threads  # noqa: PLC0415  brings torch along

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    set_threads(threads, whole_process=True)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "only helpers come here"
    parent.join()
    os._exit(1)
