"""The lane: one thread that computes, and a bounded crowd that waits for it.

A forward pass already uses all cores through the kernels' own threads, so a second one beside it would only make both
late. The event loop stays free for everything that is quick.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from tgap.server.cache import AnswerCache
from tgap.server.errors import BusyError, TimeoutApiError
from tgap.server.limits import Limits

Result = TypeVar("Result")


class Deadline:
    """When a request has taken too long. Long work asks it now and then, because a thread cannot be stopped."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Give up if the time is over."""
        if time.monotonic() > self._end:
            raise TimeoutApiError(self.seconds)


class Lane:
    """Runs work in its turn; ``initialise`` is called once in the computing thread."""

    def __init__(self, limits: Limits, initialise: Callable[[], object] | None = None) -> None:
        self.limits = limits
        self.ready = False  # the model has answered once; before that its kernels may still be compiled
        self.waiting = 0  # requests that compute or wait for it
        self.refused = 0
        self.cache = AnswerCache(limits.cache_megabytes)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="tgap-lane", initializer=initialise)

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place in the queue, or ``BusyError`` when all are taken or the model is not ready."""
        if not self.ready:
            raise BusyError("the model is warming up; try again in a moment", seconds=2)
        if self.waiting >= self.limits.waiting:
            self.refused += 1
            raise BusyError(f"{self.waiting} requests are waiting already; try again in a moment")
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do ``work`` in the computing thread. Cancelled before its turn, it is never done."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    async def answer(self, key: str, compute: Callable[[Deadline], dict[str, Any]]) -> bytes:
        """The encoded answer to the question ``key``: kept, or computed in its turn and within the time."""
        kept = self.cache.get(key)
        if kept is not None:
            return kept
        with self.place(), time_limit(self.limits.seconds) as deadline:
            async with asyncio.timeout(self.limits.seconds):
                return await self.run(lambda: self._computed(key, compute, deadline))

    async def warm_up(self, work: Callable[[], object]) -> None:
        """Do the first ``work``; then the lane is ready."""
        await self.run(work)
        self.ready = True

    def close(self) -> None:
        """Finish what is being computed, drop what waits."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _computed(self, key: str, compute: Callable[[Deadline], dict[str, Any]], deadline: Deadline) -> bytes:
        if key in self.cache:  # somebody asked the same while this request waited
            kept = self.cache.get(key)
            if kept is not None:
                return kept
        answer = encode(compute(deadline))
        self.cache.put(key, answer)
        return answer


@contextmanager
def time_limit(seconds: float) -> Iterator[Deadline]:
    """A deadline; what runs out of time inside ends as the API's own error."""
    try:
        yield Deadline(seconds)
    except TimeoutError:
        raise TimeoutApiError(seconds) from None


def encode(document: dict[str, Any]) -> bytes:
    """A document as it is sent."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
