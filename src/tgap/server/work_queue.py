"""The work queue: one thread that computes, and a bounded crowd that waits for it.

A forward pass already uses all cores through the kernels' own threads, so a second one beside it would only make both
late. The event loop stays free for everything that is quick.

Work comes in turns, one after the other. What somebody waits for in front of a screen is *prompt*; bulk requests and
studies are *patient*: they are cut into many turns, and one of these comes only where nothing prompt waits, or after
``_PROMPT_IN_A_ROW`` prompt ones, so that neither holds the other up. Work whose caller is gone is never begun.

A request gets a place only if the turns before it, at their measured length, leave time for an answer before the
time-out; else the client is told when to come back: after half of the crowd has had its turn, so that the queue never
runs dry and few come in vain.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

from tgap.server.cache import AnswerCache
from tgap.server.errors import BusyError, StoppingError, TimeoutApiError, WarmingUpError
from tgap.server.limits import Limits

Result = TypeVar("Result")
Document = dict[str, Any]
_NEWEST = 0.05  # weight of the newest turn in the running mean of their lengths
_ENOUGH = 20  # turns before the mean is relied upon
_PROMPT_IN_A_ROW = 4  # prompt turns before a patient one may come in between


class _Turn:
    """Work that waits, and the future through which its caller hears of it."""

    def __init__(self, work: Callable[[], Any], future: asyncio.Future[Any]) -> None:
        self.work = work
        self.future = future


class WorkQueue:
    """Runs work in its turn; ``initialise`` is called once in the computing thread.

    All methods but ``close`` are called in the event loop's thread.
    """

    def __init__(self, limits: Limits, initialise: Callable[[], object] | None = None) -> None:
        self.limits = limits
        self.ready = False  # the model has answered once; before that its kernels may still be compiled
        self.waiting = 0  # requests that compute or wait for it
        self.refused = 0
        self.turn = 0.0  # seconds of one prompt turn, a running mean
        self.cache = AnswerCache(limits.cache_megabytes)
        self._turns = 0
        self._prompt: deque[_Turn] = deque()
        self._patient: deque[_Turn] = deque()
        self._in_a_row = 0
        self._current: Future[Any] | None = None
        self._stopped = False
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="tgap-work", initializer=initialise)

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place in the queue, or an error when all are taken or the model is not ready."""
        if self._stopped:
            raise StoppingError
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

    async def run(self, work: Callable[[], Result], *, patient: bool = False) -> Result:
        """Do ``work`` in the computing thread. Cancelled before its turn, it is never done and holds nobody up."""
        if self._stopped:
            raise StoppingError
        queue = self._patient if patient else self._prompt
        turn = _Turn(work, asyncio.get_running_loop().create_future())
        queue.append(turn)
        self._begin_next()
        try:
            result: Result = await turn.future
            return result
        finally:
            if turn in queue:
                queue.remove(turn)

    async def answer(self, key: str, compute: Callable[[], Document]) -> bytes:
        """The encoded answer to the question ``key``: kept, or computed in its turn and within the time."""
        kept = self.cache.get(key)
        if kept is not None:
            return kept
        with self.place():
            async with time_limit(self.limits.seconds):
                return await self.run(lambda: self._computed(key, compute))

    async def answer_in_turns(self, key: str, work: Generator[object, None, Document]) -> bytes:
        """The same for long ``work``: a generator that gives up its turn at every ``yield``."""
        kept = self.cache.get(key)
        if kept is not None:
            return kept
        with self.place():
            async with time_limit(self.limits.seconds):
                while (document := await self.run(lambda: _advance(work), patient=True)) is None:
                    pass
        answer = encode(document)
        self.cache.put(key, answer)
        return answer

    async def warm_up(self, work: Callable[[], object]) -> None:
        """Do the first ``work``; then the queue is ready."""
        await self.run(work)
        self._turns = 0  # the first time is never like the others
        self.ready = True

    def stop(self) -> None:
        """Turn away whatever waits, and whatever comes; only the turn that is being computed is finished."""
        self._stopped = True
        for queue in (self._prompt, self._patient):
            while queue:
                turn = queue.popleft()
                if not turn.future.done():
                    turn.future.set_exception(StoppingError())

    def close(self, seconds: float) -> bool:
        """Wait for the turn that is being computed, at most so long; whether it has ended."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        under_way = [] if self._current is None else [self._current]
        return not wait(under_way, timeout=seconds).not_done

    def _begin_next(self) -> None:
        """Let the next turn begin if none is under way."""
        if self._current is not None:
            return
        turn = self._next()
        if turn is None:
            return
        loop = asyncio.get_running_loop()
        patient = self._in_a_row == 0
        self._current = self._executor.submit(self._timed, turn.work, patient)
        self._current.add_done_callback(lambda done: self._report(loop, turn, done))

    def _report(self, loop: asyncio.AbstractEventLoop, turn: _Turn, done: Future[Any]) -> None:
        """In the computing thread: a turn has ended."""
        with suppress(RuntimeError):  # the loop has been closed: nobody waits any more
            loop.call_soon_threadsafe(self._ended, turn, done)

    def _next(self) -> _Turn | None:
        """Prompt turns first; after some in a row a patient one, which sets the count back."""
        prompt = self._prompt and (self._in_a_row < _PROMPT_IN_A_ROW or not self._patient)
        self._in_a_row = self._in_a_row + 1 if prompt else 0
        queue = self._prompt if prompt else self._patient
        return queue.popleft() if queue else None

    def _ended(self, turn: _Turn, done: Future[Any]) -> None:
        """Tell the caller, if it is still there, and go on."""
        self._current = None
        error = done.exception()
        if not turn.future.done():
            if error is None:
                turn.future.set_result(done.result())
            else:
                turn.future.set_exception(error)
        self._begin_next()

    def _timed(self, work: Callable[[], Result], patient: bool) -> Result:
        begun = time.perf_counter()
        try:
            return work()
        finally:
            if not patient:
                self._turns += 1
                self.turn += max(_NEWEST, 1 / self._turns) * (time.perf_counter() - begun - self.turn)

    def _computed(self, key: str, compute: Callable[[], Document]) -> bytes:
        if key in self.cache:  # somebody asked the same while this request waited
            kept = self.cache.get(key)
            if kept is not None:
                return kept
        answer = encode(compute())
        self.cache.put(key, answer)
        return answer


def _advance(work: Generator[object, None, Document]) -> Document | None:
    """One turn of long work; its result once it has ended."""
    try:
        next(work)
    except StopIteration as ended:
        document: Document = ended.value
        return document
    return None


@asynccontextmanager
async def time_limit(seconds: float) -> AsyncIterator[None]:
    """What runs out of time inside ends as the API's own error."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise TimeoutApiError(seconds) from None


def encode(document: Document) -> bytes:
    """A document as it is sent."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
