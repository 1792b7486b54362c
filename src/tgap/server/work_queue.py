"""The work queue: one thread that computes, and a bounded crowd that waits for it.

A forward pass already uses all cores through the kernels' own threads, so a second one beside it would only make both
late. The event loop stays free for everything that is quick.

Work comes in turns, one after the other. What somebody waits for in front of a screen is *prompt*; bulk requests and
studies are *patient*: they are cut into many turns, and go on only where nothing prompt waits, or once prompt turns
have had ``_PROMPT_SHARE`` times as long as the patient work before. That is looked at between turns and, within a
patient one, before every forward pass (``pauses.py``): prompt turns are then done there and then. So neither holds the
other up, however long their turns are. Work whose caller is gone is never begun, and ends before its next forward pass.

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
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

from tgap.pauses import pausing
from tgap.server.cache import AnswerCache
from tgap.server.errors import BusyError, StoppingError, TimeoutApiError, WarmingUpError
from tgap.server.limits import Limits

Result = TypeVar("Result")
Document = dict[str, Any]
_NEWEST = 0.05  # weight of the newest turn in the running mean of their lengths
_ENOUGH = 20  # turns before the mean is relied upon
_PROMPT_SHARE = 4  # seconds of prompt work for every second of patient work, while both wait


class _Turn:
    """Work that waits, and the future through which its caller hears of it."""

    def __init__(self, work: Callable[[], Any], prompt: bool) -> None:
        self.work = work
        self.prompt = prompt
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.since = 0.0  # when what is not yet accounted for began
        self.took = 0.0  # seconds, without those of other turns that came in between


class _AbandonedError(Exception):
    """Nobody waits for this work any more; nobody hears of it."""


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
        self._owed = 0.0  # seconds of prompt work before patient work may go on
        self._last_prompt = False  # the last turn was a prompt one
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
        turn = _Turn(work, not patient)
        queue.append(turn)
        self._begin_next()
        try:
            result: Result = await turn.future
            return result
        finally:
            with suppress(ValueError):  # it has been begun
                queue.remove(turn)

    async def answer(self, key: str, compute: Callable[[], bytes], *, patient: bool = False) -> bytes:
        """The encoded answer to the question ``key``: cached, or computed in its turn and within the time."""
        cached = self.cache.get(key)
        if cached is not None:
            return cached
        with self.place():
            async with time_limit(self.limits.seconds):
                return await self.run(lambda: self._computed(key, compute), patient=patient)

    async def warm_up(self, work: Callable[[], object]) -> None:
        """Do the first ``work``; then the queue is ready."""
        await self.run(work)
        self._turns = 0  # the first time is never like the others
        self.ready = True

    def stop(self) -> None:
        """Turn away whatever waits, and whatever comes; the turn that is being computed ends at its next pause."""
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
        prompt = self._prompt and (not self._patient or self._owed > 0 or not self._last_prompt)
        queue = self._prompt if prompt else self._patient
        if not queue:
            return
        loop, turn = asyncio.get_running_loop(), queue.popleft()
        self._current = self._executor.submit(self._do, turn)
        self._current.add_done_callback(lambda _: _call_in(loop, self._ended))

    def _ended(self) -> None:
        """A turn has ended, and its caller has been told: go on."""
        self._current = None
        self._begin_next()

    # In the computing thread.

    def _do(self, turn: _Turn) -> None:
        """Do a turn's work and tell its caller."""
        turn.since = time.perf_counter()
        try:
            with pausing(lambda: self._pause(turn)):
                result, error = turn.work(), None
        except BaseException as raised:  # noqa: BLE001  whatever it is, it is the caller's to hear
            result, error = None, raised
        self._account(turn)
        self._last_prompt = turn.prompt
        if turn.prompt:
            self._turns += 1
            self.turn += max(_NEWEST, 1 / self._turns) * (turn.took - self.turn)
        _call_in(turn.loop, lambda: _tell(turn, result, error))

    def _pause(self, turn: _Turn) -> None:
        """Before a forward pass of a turn: end it where it is in vain, let prompt turns through where it is patient."""
        if turn.future.done():
            raise _AbandonedError
        if self._stopped:
            raise StoppingError
        if turn.prompt:
            return
        self._account(turn)
        while self._owed > 0:
            try:
                self._do(self._prompt.popleft())
            except IndexError:
                break
        turn.since = time.perf_counter()

    def _account(self, turn: _Turn) -> None:
        """Count the time since the turn began or was last accounted for."""
        now = time.perf_counter()
        took, turn.since = now - turn.since, now
        turn.took += took
        self._owed = max(0.0, self._owed - took) if turn.prompt else _PROMPT_SHARE * took

    def _computed(self, key: str, compute: Callable[[], bytes]) -> bytes:
        if key in self.cache:  # somebody asked the same while this request waited
            kept = self.cache.get(key)
            if kept is not None:
                return kept
        answer = compute()
        self.cache.put(key, answer)
        return answer


def _call_in(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    """From the computing thread: do something in the loop's."""
    with suppress(RuntimeError):  # the loop has been closed: nobody waits any more
        loop.call_soon_threadsafe(call)


def _tell(turn: _Turn, result: object, error: BaseException | None) -> None:
    """Tell the caller, if it is still there."""
    if turn.future.done():
        return
    if error is None:
        turn.future.set_result(result)
    else:
        turn.future.set_exception(error)


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
