"""NDJSON responses: many results in one response, each sent as a line when it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tgap.server.errors import as_api_error
from tgap.server.work_queue import WorkQueue, encode, time_limit

Work = Callable[[], dict[str, Any]]


class Lines(Response):
    """Results of ``work`` as lines of JSON (NDJSON): ``{"index", ..., "error"}``, either the error or the rest null.

    ``work`` are pairs of an index and what to do, done one after the other in patient turns of the queue. The whole
    request holds one place. It is taken when the answer begins, so that a client which leaves before never holds one.
    What fails, or waits longer for its turn than a request may, says so in its line.
    """

    media_type = "application/x-ndjson"

    def __init__(self, queue: WorkQueue, names: Sequence[str], work: Sequence[tuple[int, Work]]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._queue = queue
        self._names = names  # keys of what ``work`` gives, null where it fails
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  as all responses
        """Send a line as soon as it is there."""
        with self._queue.place():
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            for index, work in self._work:
                line = encode({"index": index, **await self._entry(work)}) + b"\n"
                await send({"type": "http.response.body", "body": line, "more_body": True})
            await send({"type": "http.response.body", "body": b""})

    async def _entry(self, work: Work) -> dict[str, Any]:
        try:
            async with time_limit(self._queue.limits.seconds):
                return {**await self._queue.run(work, patient=True), "error": None}
        except Exception as error:  # noqa: BLE001  whatever is wrong with one is no reason to lose the others
            return {**dict.fromkeys(self._names), **as_api_error(error).to_dict()}
