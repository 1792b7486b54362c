"""HTTP connections with bounds: how many there may be, and how long one may take to say what it wants or to listen.

uvicorn itself waits for ever for the rest of a request's head, and for a client that does not read its answer. Here a
sweep, once a second, ends connections that stall. Bodies have their own limit, see ``abandon``.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from tgap.server.limits import Limits

_REFUSAL = b'{"error":{"code":"busy","message":"too many connections are open; try again in a moment"}}'


class BoundedProtocol(H11Protocol):
    """One connection. ``limits`` is set on a subclass by ``bounded_protocol``."""

    limits: Limits

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._idle_since = self.loop.time()  # no request is being answered since then
        self._closing_since: float | None = None
        self._full_since: float | None = None  # the client does not read what was written

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection in, or turn it away where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            head = f"HTTP/1.1 503 Service Unavailable\r\ncontent-length: {len(_REFUSAL)}\r\nretry-after: 1\r\n"
            transport.write(head.encode() + b"content-type: application/json\r\nconnection: close\r\n\r\n" + _REFUSAL)
            transport.close()

    def on_response_complete(self) -> None:
        """An answer was sent; the next request may come."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """More was written than the client has read."""
        self._full_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._full_since = None
        super().resume_writing()

    def sweep(self) -> None:
        """End the connection if it has stalled."""
        now, limits = self.loop.time(), self.limits
        if self.transport.is_closing():
            self._closing_since = self._closing_since or now
        answering = self.cycle is not None and not self.cycle.response_complete
        stalled = (
            (self._closing_since is not None and now - self._closing_since > limits.write_seconds)
            or (self._full_since is not None and now - self._full_since > limits.write_seconds)
            or (not answering and now - self._idle_since > limits.head_seconds)
        )
        if stalled:
            self.transport.abort()


def bounded_protocol(limits: Limits) -> type[BoundedProtocol]:
    """The protocol with these limits, as uvicorn wants it: a class."""
    return type("BoundedProtocol", (BoundedProtocol,), {"limits": limits})
