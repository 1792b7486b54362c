"""Before anything is answered: the right host, the right page, the right token, a body of bearable size.

And on every answer the headers that keep a browser strict.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tgap.server.errors import ApiError
from tgap.server.page import VERSIONED

# The page needs its own scripts and styles and nothing else; pictures it makes itself come as blob and data addresses.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/@\s]+)(:\d{1,5})?")
_PROTECTED = ("/api", "/metrics")  # the page itself and the health routes hold nothing that is worth a token


class GuardMiddleware:
    """Refuses what should not get in."""

    def __init__(self, app: ASGIApp, token: str | None, hosts: Iterable[str] | None, body_bytes: int) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._hosts = None if hosts is None else frozenset(hosts)
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def strict(message: Message) -> None:
            if message["type"] == "http.response.start":
                freshness = _freshness(scope["path"], message["status"])
                message["headers"] = [*message.get("headers", []), *_HEADERS, (b"cache-control", freshness)]
            await send(message)

        if scope["method"] == "HEAD":  # routes know GET; the server leaves the body out by itself
            scope = {**scope, "method": "GET"}
        headers = Headers(scope=scope)
        refusal = self._refusal(scope["path"], headers)
        if refusal is not None:
            await refusal.response()(scope, receive, strict)
            return
        await self._app(scope, _Body(receive, self._body_bytes).receive, strict)

    def _refusal(self, path: str, headers: Headers) -> ApiError | None:
        if self._hosts is not None and host_name(headers.get("host", "")) not in self._hosts:
            own = " or ".join(sorted(self._hosts))
            return ApiError(400, "wrong_host", f"this server answers only under its own name; open it as {own}")
        if path.startswith(_PROTECTED) and _foreign(headers):
            return ApiError(403, "foreign_page", "another web page asked for this; ask from the explorer or a program")
        if self._token is not None and path.startswith(_PROTECTED) and not self._admitted(headers):
            return ApiError(
                401,
                "unauthorized",
                "a token is needed: send the header Authorization: Bearer TOKEN",
                {"WWW-Authenticate": 'Bearer realm="tgap"'},
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._body_bytes:
            return ApiError(413, "too_large", _too_large(self._body_bytes))
        return None

    def _admitted(self, headers: Headers) -> bool:
        """Whether the token is right; the comparison takes as long whatever part of it is."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("latin-1", "replace"), self._token or b"")
        return right and kind.lower() == "bearer"


class _Body:
    """Counts what is received, because a length need not be told beforehand."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._received = 0

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._received += len(message.get("body", b""))
            if self._received > self._most:
                raise HTTPException(413, _too_large(self._most))
        return message


def _too_large(most: int) -> str:
    return f"the body is larger than {most:,} bytes; send less at once"


def host_name(header: str) -> str:
    """Host without its port: ``localhost``, ``127.0.0.1``, ``[::1]``; nothing where the header holds anything else."""
    found = _HOST.fullmatch(header)
    return found.group(1).lower() if found else ""


def _foreign(headers: Headers) -> bool:
    """Whether a browser says that a page of another origin asks. Programs say nothing, and a page of ours is no other.

    Such a page could not read the answer, but it could keep the server busy.
    """
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return True
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower()


def _freshness(path: str, status: int) -> bytes:
    """The page is asked for again each time, its versioned files never; answers belong to nobody else's cache."""
    if path.startswith(_PROTECTED):
        return b"no-store"
    return b"public, max-age=31536000, immutable" if path.startswith(VERSIONED) and status == 200 else b"no-cache"
