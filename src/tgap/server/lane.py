"""The lane: one thread that computes, and a bounded crowd that waits for it.

A forward pass already uses all cores through the kernels' own threads, so a second one beside it would only make both
late. The event loop stays free for everything that is quick.

Whoever gets a place is served in the order of coming. A place is given only if the turns before it, at their measured
length, leave time for an answer before the time-out; else the client is told when to come back: after half of the
crowd has had its turn, so that the lane never runs dry and few come in vain.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from tgap.server.cache import AnswerCache
from tgap.server.errors import BusyError, TimeoutApiError, WarmingUpError
from tgap.server.limits import Limits

Result = TypeVar("Result")
_NEWEST = 0.05  # weight of the newest turn in the running mean of their lengths
_ENOUGH = 20  # turns before the mean is relied upon


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
        self.turn = 0.0  # seconds of one turn, a running mean
        self._turns = 0
        self.cache = AnswerCache(limits.cache_megabytes)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="tgap-lane", initializer=initialise)

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place in the queue, or an error when all are taken or the model is not ready."""
        if not self.ready:
            raise WarmingUpError
        expected = self.waiting * self.turn if self._turns >= _ENOUGH else 0.0
        if self.waiting >= self.limits.waiting or expected > self.limits.seconds:
            self.refused += 1
            raise BusyError(self.waiting, max(1, math.ceil(expected / 2)))
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do ``work`` in the computing thread. Cancelled before its turn, it is never done."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._timed, work)

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
        self._turns = 0  # the first time is never like the others
        self.ready = True

    def close(self) -> None:
        """Finish what is being computed, drop what waits."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _timed(self, work: Callable[[], Result]) -> Result:
        begun = time.perf_counter()
        try:
            return work()
        finally:
            self._turns += 1
            self.turn += max(_NEWEST, 1 / self._turns) * (time.perf_counter() - begun - self.turn)

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
