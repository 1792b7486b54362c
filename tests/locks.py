"""A run's lock held by somebody else: another thread is locked out like another process."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from tgap.runs.folder import RunFolder


@contextmanager
def locked_elsewhere(folder: RunFolder) -> Iterator[None]:
    """Hold the lock of a run in another thread inside the block."""
    with ThreadPoolExecutor(1) as elsewhere:
        held = ExitStack()
        elsewhere.submit(held.enter_context, folder.locked()).result()
        try:
            yield
        finally:
            elsewhere.submit(held.close).result()
