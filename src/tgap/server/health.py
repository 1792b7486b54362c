"""Routes for those who run the server: alive, ready, metrics."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import PlainTextResponse, Response

from tgap.asking.record import Record
from tgap.server.errors import ErrorReply
from tgap.server.metrics import Metrics
from tgap.server.work_queue import WorkQueue


class StatusReply(Record):
    """Alive, or ready."""

    status: Literal["ok", "ready"]


def system_routes(metrics: Metrics, queue: WorkQueue) -> APIRouter:
    """Routes that ask the server about itself."""
    router = APIRouter(tags=["system"])

    @router.get("/health", response_model=StatusReply)
    async def health() -> dict[str, str]:
        """The process is alive."""
        return {"status": "ok"}

    @router.get("/ready", response_model=StatusReply, responses={503: {"model": ErrorReply}})
    async def readiness() -> dict[str, str]:
        """The model has answered once, so questions are answered at full speed."""
        with queue.place():
            return {"status": "ready"}

    @router.get("/metrics", response_class=PlainTextResponse)
    def exposition() -> Response:
        """Metrics in the text format of Prometheus."""
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return router
