"""Word between the driver of a command and its workers on a Ray cluster: news one way, the wish to stop the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from tgap.errors import Option, TgapError, WorkerError
from tgap.training.events import Listener, Started, Stepped, Stopped, Validated
from tgap.training.interruption import Interruption

_SECONDS = 0.5  # between two words about the same thing
_LOST_SECONDS = 30.0  # without a word from the cluster; after 60 Ray ends the process itself


class News(NamedTuple):
    """A call that somebody in the driver is to hear."""

    name: str
    arguments: tuple[Any, ...]


class Mailbox:
    """An actor that both sides can reach."""

    def __init__(self) -> None:
        self._news: list[News] = []
        self._stop = 0
        self._failure: TgapError | None = None

    def put(self, news: News) -> None:
        """A worker tells."""
        self._news.append(news)

    def take(self) -> list[News]:
        """The driver hears."""
        taken, self._news = self._news, []
        return taken

    def stop(self, number: int) -> None:
        """The user wants an end: number of the signal."""
        self._stop = number

    def stopping(self) -> int:
        """Number of the signal, or 0."""
        return self._stop

    def fail(self, error: TgapError) -> None:
        """A worker has met what starting it anew cannot mend."""
        self._failure = self._failure or error

    def failure(self) -> TgapError | None:
        """The first such error."""
        return self._failure


def open_mailbox(ray: Any) -> Any:
    """A new mailbox, as a handle that can be sent to workers. It takes no core."""
    return ray.remote(num_cpus=0)(Mailbox).remote()


def run_with_mail(ray: Any, mailbox: Any, hearer: object, interruption: Interruption, work: Callable[[], Any]) -> Any:
    """What ``work`` gives; meanwhile ``hearer`` hears the news, and the user's wish to stop is passed on.

    The work is done in a thread of its own, because Ray's takes signals for itself in the main one.
    """
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:  # noqa: BLE001  handed to the thread that waits
            outcome.append(error)

    running = threading.Thread(target=run, name="on-ray", daemon=True)
    running.start()
    told = False
    while running.is_alive():
        running.join(_SECONDS)
        _hear(ray, mailbox, hearer)
        if interruption.requested and not told:
            mailbox.stop.remote(interruption.signal_number)
            told = True
    (found,) = outcome
    failure: TgapError | None = ray.get(mailbox.failure.remote())
    if failure is not None:
        raise failure
    if isinstance(found, Exception):
        reason = " ".join(str(found).split())[:200]
        raise WorkerError(
            f"the work on the cluster failed ({reason}); the same command, or ", Option("resume"), ", goes on"
        ) from found
    return found


def _hear(ray: Any, mailbox: Any, hearer: object) -> None:
    try:
        news = ray.get(mailbox.take.remote(), timeout=_LOST_SECONDS)
    except ray.exceptions.RayError as error:
        raise WorkerError(
            f"the Ray cluster was lost ({type(error).__name__}); when it is back, the same command, or ",
            Option("resume"),
            ", goes on",
        ) from error
    for one in news:
        getattr(hearer, one.name)(*one.arguments)


class MailedInterruption(Interruption):
    """Stops when the mailbox says so. A step never waits for the answer."""

    def __init__(self, ray: Any, mailbox: Any) -> None:
        super().__init__()
        self._ray, self._mailbox = ray, mailbox
        self._asked = mailbox.stopping.remote()
        self._at = time.monotonic()

    @property
    def requested(self) -> bool:
        """Whether the newest answer is yes."""
        if not super().requested and self._ray.wait([self._asked], timeout=0)[0]:
            if number := self._ray.get(self._asked):
                self.request(number)
            elif time.monotonic() - self._at >= _SECONDS:
                self._asked, self._at = self._mailbox.stopping.remote(), time.monotonic()
        return super().requested


class MailedListener(Listener):
    """Sends on what a display shows."""

    def __init__(self, mailbox: Any) -> None:
        self._mailbox = mailbox
        self._told = {"on_step": 0.0, "on_validating": 0.0}
        self._queries = 0  # of steps that were not told

    def on_start(self, event: Started) -> None:
        """Send it."""
        self._send("on_start", event)

    def on_step(self, event: Stepped) -> None:
        """Send it, but not too often; the queries of those between are added to it."""
        self._queries += event.queries
        if self._due("on_step"):
            self._send("on_step", Stepped(event.at, event.loss, event.rate, self._queries))
            self._queries = 0

    def on_validating(self, done: int, total: int) -> None:
        """Send it, but not too often."""
        if self._due("on_validating"):
            self._send("on_validating", done, total)

    def on_validation(self, event: Validated) -> None:
        """Send it."""
        self._send("on_validation", event)

    def on_stop(self, event: Stopped) -> None:
        """Send it."""
        self._send("on_stop", event)

    def _due(self, name: str) -> bool:
        now = time.monotonic()
        if now - self._told[name] < _SECONDS:
            return False
        self._told[name] = now
        return True

    def _send(self, name: str, *arguments: Any) -> None:
        self._mailbox.put.remote(News(name, arguments))
