"""create_app: the service, its routes, its guards and the page, put together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from tgap.asking.model import Model
from tgap.server.access import AccessMiddleware
from tgap.server.disconnect import DisconnectMiddleware
from tgap.server.errors import ErrorReply, StoppingError, add_handlers
from tgap.server.guard import GuardMiddleware
from tgap.server.health import system_routes
from tgap.server.limits import Limits
from tgap.server.metrics import Metrics
from tgap.server.models import Models
from tgap.server.openapi import describe
from tgap.server.operations import offered, operation_routes
from tgap.server.page import add_page
from tgap.server.work_queue import WorkQueue, encode

_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": words}
    for status, words in {
        400: "No valid JSON, or a wrong host",
        401: "A token is needed",
        403: "Another web page asks",
        408: "The body came too slowly",
        413: "The body is too large",
        422: "Something in the request is wrong",
        503: "Too many requests wait, the model warms up or the server stops; see Retry-After",
        504: "It took too long",
    }.items()
}
_LOOK = 2.0  # seconds between looks at the datasets
_LAST_TURN = 1.0  # seconds that the turn under way may still take once everything else has stopped
_log = logging.getLogger("tgap.server")


def create_app(
    served: Models | Model,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen
    token: str | None = None,
    hosts: Iterable[str] | None = None,
    initialise: Callable[[], object] | None = None,
) -> FastAPI:
    """The web application over one or several models.

    ``token`` must come with every request to the API and the metrics, if given. ``hosts`` are the names under which the
    server may be addressed (None: any), which keeps foreign web pages from reaching it by a name of their own.
    ``initialise`` is called once in the computing thread.
    """
    models = Models.of(served) if isinstance(served, Model) else served
    queue = WorkQueue(limits, initialise)
    metrics = Metrics(queue)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(work) for work in (_warm_up(models, queue), _watch(models))]
        yield
        for task in tasks:
            task.cancel()
        queue.stop()
        app.state.ended = await asyncio.to_thread(queue.close, _LAST_TURN)

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    api = APIRouter(prefix="/api/v1", responses=_ERRORS)
    api.include_router(operation_routes(models, queue))
    app.include_router(api)
    app.include_router(system_routes(metrics, queue))
    description = describe(app, models.first.model, offered())
    app.openapi = lambda: description  # type: ignore[method-assign]
    encoded = encode(description)  # once: it is large, and whoever asks for it often should not cost much
    app.add_api_route(
        "/api/v1/openapi.json", lambda: Response(encoded, media_type="application/json"), include_in_schema=False
    )
    add_page(app)
    add_handlers(app)
    app.state.limits, app.state.queue, app.state.metrics = limits, queue, metrics
    app.state.ended = True  # whether the computing thread had ended when the app did
    app.add_middleware(GuardMiddleware, token=token, hosts=hosts, body_bytes=limits.body_bytes)
    app.add_middleware(DisconnectMiddleware, body_seconds=limits.body_seconds)
    app.add_middleware(AccessMiddleware, metrics=metrics, routes=("/", *description["paths"]))
    return app


async def _watch(models: Models) -> None:
    """Look now and then whether facts were appended to a dataset that is served."""
    while True:
        await asyncio.sleep(_LOOK)
        await asyncio.to_thread(models.refresh)


async def _warm_up(models: Models, queue: WorkQueue) -> None:
    try:
        await queue.warm_up(models.warm)
    except StoppingError:
        return
    except Exception:
        _log.exception("a model could not answer its first question; the server stays not ready")
        raise
