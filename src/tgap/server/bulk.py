"""Many questions in one request: answers come line by line, and those that are there are never lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tgap.server.errors import ApiError
from tgap.server.work_queue import WorkQueue, encode, time_limit


class BulkResponse(Response):
    """Answers ``questions`` with ``answer``, one JSON object a line (NDJSON), in patient turns of the queue.

    The whole request holds one place. It is taken when the answer begins, so that a client which leaves before never
    holds one; a question that waits longer for its turn than a request may gets an error in its line.
    """

    media_type = "application/x-ndjson"

    def __init__(self, queue: WorkQueue, answer: Callable[[Any], dict[str, Any]], questions: Sequence[Any]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._queue = queue
        self._answer = answer
        self._questions = questions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  as all responses
        """Send a line as soon as it is there."""
        with self._queue.place():
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            for index in self._order():
                line = encode({"index": index, **await self._entry(self._questions[index])}) + b"\n"
                await send({"type": "http.response.body", "body": line, "more_body": True})
            await send({"type": "http.response.body", "body": b""})

    def _order(self) -> list[int]:
        """By time, since features are computed for a time and kept for a while."""

        def time(index: int) -> str:
            question = self._questions[index]
            return str(question.get("time")) if isinstance(question, dict) else ""

        return sorted(range(len(self._questions)), key=time)

    async def _entry(self, question: Any) -> dict[str, Any]:
        try:
            async with time_limit(self._queue.limits.seconds):
                return await self._queue.run(partial(self._answer, question), patient=True)
        except ApiError as error:  # it had no turn in time, or the server stops
            return {"prediction": None, **error.to_dict()}
