"""Around every request: a number to find it by, a line in the log, its metrics, and the last net for our own bugs."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tgap.server.errors import StoppingError, internal_error
from tgap.server.metrics import Metrics

_access = logging.getLogger("tgap.server.access")
_log = logging.getLogger("tgap.server")
_LEFT = 499  # what logs by custom say of a client that left before it was answered
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class AccessMiddleware:
    """Counts, times and logs. Query strings stay out of the log: they hold what people ask."""

    def __init__(self, app: ASGIApp, metrics: Metrics, routes: Collection[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._routes = frozenset(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        number = uuid.uuid4().hex[:12]
        sent = {"status": 0, "bytes": 0}  # no status at all: the client left before it was answered

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent["status"] = message["status"]
                message["headers"] = [*message.get("headers", []), (b"x-request-id", number.encode())]
            elif message["type"] == "http.response.body":
                sent["bytes"] += len(message.get("body", b""))
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, counted)
        except asyncio.CancelledError:  # the server stops and cannot wait for this request any longer
            if sent["status"]:
                raise
            await StoppingError().response()(scope, receive, counted)
        except Exception:
            _log.exception("request failed", extra={"fields": {"id": number}})
            if sent["status"]:
                raise  # too late for another answer: the connection must break
            await internal_error().response()(scope, receive, counted)
        finally:
            self._metrics.in_flight.dec()
            self._note(scope, number, sent, time.perf_counter() - begun)

    def _note(self, scope: Scope, number: str, sent: dict[str, int], seconds: float) -> None:
        route = scope["path"] if scope["path"] in self._routes else "other"  # never grows with what clients invent
        method = scope["method"] if scope["method"] in _METHODS else "other"
        status = sent["status"] or _LEFT
        self._metrics.requests.labels(route, method, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        client = scope.get("client")
        _access.info(
            "request",
            extra={
                "fields": {
                    "id": number,
                    "method": scope["method"],
                    "path": scope["path"],
                    "status": status,
                    "milliseconds": round(1000 * seconds, 1),
                    "bytes": sent["bytes"],
                    "client": client[0] if client else None,
                }
            },
        )
