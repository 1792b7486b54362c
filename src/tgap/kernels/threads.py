"""Threads of the compiled kernels: fixed chunks of work in a small pool, so that results never depend on timing.

Kernels release the GIL and take the number of their chunk. A call gives every chunk to one thread and waits; gradients
that several chunks add to have a buffer for each chunk, reduced in order. Same number of threads, same bits.

Denormal numbers are flushed to zero in these threads: mass fades by products over T steps, and arithmetic on numbers
below 1e-38 is about twenty times slower than on others. Where the caller flushes them too, it takes the first chunk of
a call itself: a thread that has to be woken begins a tenth of a millisecond later.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

import torch

from tgap.errors import ConfigError
from tgap.kernels.memory import keep_freed_memory

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_threads: int = 0
_LEAST, _TENTH = 3e-308, 0.1  # their product is no normal number


def set_threads(count: int | None, whole_process: bool = False) -> int:
    """Use ``count`` threads for kernels and torch (None: all cores of this process); returns the number.

    ``whole_process``: flush denormal numbers in the calling thread too, and in those that torch starts from it, and
    keep freed memory. For programs of our own: other code in the process might count on denormals.
    """
    wanted = _cores() if count is None else count
    if wanted < 1:
        raise ConfigError(f"the number of threads is {count}; expected at least 1")
    with _lock:
        _start(wanted)
    if whole_process:
        torch.set_flush_denormal(True)
        keep_freed_memory()
    return wanted


@contextmanager
def flush_denormals() -> Iterator[None]:
    """Flush denormal numbers in the calling thread, as the kernels' threads do; afterwards it is as it was.

    For work inside somebody's program: the first chunk of every kernel call then runs in the caller.
    """
    before = _caller_flushes()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def num_threads() -> int:
    """Threads in use; the first call starts one per core unless ``set_threads`` came before."""
    if not _threads:
        with _lock:
            if not _threads:  # another thread may have started the pool
                _start(_cores())
    return _threads


def _cores() -> int:
    """Cores that this process may use, where the system tells (Linux), else all of them."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def _start(count: int) -> None:
    """A pool of ``count`` threads in place of the one before."""
    global _pool, _threads  # noqa: PLW0603 - one pool a process
    if _pool is not None:
        _pool.shutdown()
    _pool = ThreadPoolExecutor(count, thread_name_prefix="tgap", initializer=torch.set_flush_denormal, initargs=(True,))
    _threads = count
    torch.set_num_threads(count)


def run_chunks(kernel: Callable[[int], None], chunks: int) -> None:
    """Call ``kernel(0)`` .. ``kernel(chunks - 1)`` side by side and wait for all."""
    num_threads()
    assert _pool is not None, "num_threads makes the pool"
    own = 1 if chunks and _caller_flushes() else 0  # chunks that the caller takes
    others = [_pool.submit(kernel, chunk) for chunk in range(own, chunks)]
    try:
        for chunk in range(own):
            kernel(chunk)
    finally:
        wait(others)
    for future in others:
        future.result()


def _caller_flushes() -> bool:
    """Whether this thread flushes denormals, as those of the pool do: by what it makes of one, 30 nanoseconds."""
    return _LEAST * _TENTH == 0.0
