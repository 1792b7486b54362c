"""From an app to a listening process: the socket, the signals, the graceful stop."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import math
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn
from fastapi import FastAPI

from tgap.errors import ConfigError, Option
from tgap.server.limits import Limits
from tgap.server.log import say
from tgap.server.protocol import BoundedProtocol, bounded_protocol

_BACKLOG = 1024
_TELL = 1  # seconds for the refusals of a server that stops to reach their clients
_UNREAD = 64 * 1024  # bytes that the system may hold of answers which one client has not read


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_of(host: str) -> tuple[str, ...]:
    """The names under which a server on a loopback host may be addressed."""
    own = f"[{host}]" if ":" in host else host.lower()
    return tuple(dict.fromkeys(("127.0.0.1", "localhost", "[::1]", own)))


def listen(host: str, port: int) -> socket.socket:
    """A bound socket, or one line about why there is none. Port 0 takes any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except (socket.gaierror, UnicodeError) as error:
        raise ConfigError(f"host {host!r} is unknown here; choose another with ", Option("host")) from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Inherited by every connection. Left to itself the system takes in megabytes, and a client that sends requests
        # and reads nothing would have many of them answered in vain.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
        bound.bind(address)
    except OSError as error:
        bound.close()
        reason = (error.strerror or str(error)).lower()
        raise ConfigError(
            f"cannot listen on {host}:{port}: {reason}; choose another with ", Option("port"), " or ", Option("host")
        ) from error
    return bound


def address_of(bound: socket.socket) -> str:
    """The web address of a socket."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def configuration(app: FastAPI) -> uvicorn.Config:
    """How the web server runs an app: our own log and limits, no boasting headers."""
    limits: Limits = app.state.limits
    return uvicorn.Config(
        app,
        http=bounded_protocol(limits),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        lifespan="on",
        timeout_graceful_shutdown=math.ceil(limits.stop_seconds) + _TELL,
    )


def serve(app: FastAPI, bound: socket.socket, started: Callable[[], None]) -> None:
    """Answer until SIGINT or SIGTERM; then take no more requests and finish those begun, as long as that is allowed.

    A computation that takes longer than stopping may ends with the process, which is then left at once: an ordinary
    exit would wait for its thread.
    """
    bound.listen(_BACKLOG)
    asyncio.run(Server(app, started).serve(sockets=[bound]))
    if not app.state.ended:
        _leave()
    say("stopped", every_turn_finished=True)


def _leave() -> None:
    """End the process as it is, without an error: the stop was asked for."""
    say("stopped", every_turn_finished=False)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


class Server(uvicorn.Server):
    """Sweeps stalled connections away, and ends quietly: a stop that was asked for is no error."""

    def __init__(self, app: FastAPI, started: Callable[[], None] = lambda: None) -> None:
        super().__init__(configuration(app))
        self._state = app.state
        app.state.metrics.connections.set_function(lambda: len(self.server_state.connections))
        self._started_call = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept, and say so."""
        await super().startup(sockets=sockets)
        if self.started:
            self._started_call()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second; connections are looked at in every tenth."""
        if counter % 10 == 0:
            for connection in list(self.server_state.connections):
                if isinstance(connection, BoundedProtocol):
                    connection.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what was begun; after a while whoever still waits for a turn is told that there will be none."""
        asyncio.get_running_loop().call_later(self._state.limits.stop_seconds, self._state.queue.stop)
        await super().shutdown(sockets=sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let both signals begin the graceful stop, without raising them again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield  # a server in a thread is stopped by its owner
            return
        # Not through the loop, which may be held up by what must be stopped.
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin the graceful stop, and see to it that it ends."""
        if not self.should_exit:
            latest = threading.Timer(self._state.limits.leave_seconds, _leave)
            latest.daemon = True  # where all has ended before, nothing waits for it
            latest.start()
        super().handle_exit(sig, frame)
