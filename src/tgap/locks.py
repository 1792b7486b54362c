"""Locks on files, so that only one process at a time does what must not be done twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from tgap.errors import TgapError


@contextmanager
def one_process(
    path: Path, refusal: TgapError | None = None, *, seconds: float = 0, nested: bool = False
) -> Iterator[None]:
    """Hold the lock at ``path``; it ends with the process, even a killed one.

    Where another process still holds it after ``seconds``, ``refusal`` is raised; without a refusal it is waited for.
    ``nested``: blocks of one process may lie in each other.
    """
    lock = FileLock(path, timeout=-1 if refusal is None else seconds, is_singleton=nested)
    try:
        lock.acquire()
    except Timeout:
        assert refusal is not None, "without a refusal a lock has no time limit"
        raise refusal from None
    try:
        yield
    finally:
        lock.release()
