"""Cancels work whose client has disconnected, so that it gives up its place in the work queue at once.

Requests whose body arrives too slowly end here, too.
"""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_AHEAD = 4  # parts of a body that are received before the app asks for them


class DisconnectMiddleware:
    """Watches the connection while a request is answered; a body must have come within ``body_seconds``."""

    def __init__(self, app: ASGIApp, body_seconds: float) -> None:
        self._app = app
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as long as somebody waits for it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = _Connection(receive, send, self._body_seconds)
        answer = asyncio.create_task(self._answer(scope, connection))
        watch = asyncio.create_task(connection.watch())
        try:
            await asyncio.wait({answer, watch}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() and not connection.answered:
                answer.cancel()  # the client has left
                await asyncio.wait({answer})
                return
            await answer
        finally:  # also where the server stops and cancels this request itself
            watch.cancel()
            answer.cancel()
            await asyncio.wait({answer})

    async def _answer(self, scope: Scope, connection: _Connection) -> None:
        await self._app(scope, connection.receive, connection.send)


class _Connection:
    """Messages of one request, passed on, and watched for the client's leaving."""

    def __init__(self, receive: Receive, send: Send, body_seconds: float) -> None:
        self.answered = False  # the whole answer has been handed over
        self._receive = receive
        self._send = send
        self._messages: asyncio.Queue[Message] = asyncio.Queue(_AHEAD)
        self._body_seconds = body_seconds
        self._body_end: float | None = asyncio.get_running_loop().time() + body_seconds  # None: the body is here

    async def watch(self) -> None:
        """Receive until the client leaves (or the whole answer was sent, which servers tell in the same way)."""
        while (message := await self._receive())["type"] != "http.disconnect":
            await self._messages.put(message)

    async def receive(self) -> Message:
        """The next part of the body. There is nothing after it: who leaves is not answered any more."""
        try:
            async with asyncio.timeout_at(self._body_end):
                message = await self._messages.get()
        except TimeoutError:
            problem = f"the body did not arrive within {self._body_seconds:g} seconds; send it faster or send less"
            raise HTTPException(408, problem) from None
        if not message.get("more_body", False):
            self._body_end = None
        return message

    async def send(self, message: Message) -> None:
        """Pass an answer on."""
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.answered = True
        await self._send(message)
