"""From an app to a listening process: the socket, the signals, the graceful stop."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn
from fastapi import FastAPI

from tgap.errors import ConfigError

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_BACKLOG = 1024


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """A bound socket, or one line about why there is none. Port 0 takes any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except (socket.gaierror, UnicodeError) as error:
        raise ConfigError(f"host {host!r} is unknown here; choose another with --host") from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        reason = (error.strerror or str(error)).lower()
        raise ConfigError(f"cannot listen on {host}:{port}: {reason}; choose another with --port or --host") from error
    return bound


def address_of(bound: socket.socket) -> str:
    """The web address of a socket."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def configuration(app: FastAPI, patience: float) -> uvicorn.Config:
    """How the web server runs an app: our own log, no boasting headers, patience at the end."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        lifespan="on",
        timeout_graceful_shutdown=int(patience) + 1,
    )


def serve(app: FastAPI, bound: socket.socket, patience: float, started: Callable[[], None]) -> None:
    """Answer until SIGINT or SIGTERM; then take no more requests, finish those begun (at most ``patience`` seconds)."""
    server = _Server(configuration(app, patience))
    server.started_call = started
    bound.listen(_BACKLOG)
    asyncio.run(server.serve(sockets=[bound]))


class _Server(uvicorn.Server):
    """Ends quietly: a stop that was asked for is no error, so signals are not raised again afterwards."""

    started_call: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept, and say so."""
        await super().startup(sockets=sockets)
        if self.started:
            self.started_call()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let both signals begin the graceful stop; a second one ends it at once."""
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)
