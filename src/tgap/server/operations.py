"""Routes made from operations: path, parameters, reply and its schema come from the operation's entry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query, Request
from pydantic import ConfigDict
from starlette.responses import Response

from tgap.asking.operation import Operation
from tgap.asking.operations import OPERATIONS
from tgap.asking.options import Options
from tgap.server.errors import ApiError
from tgap.server.models import Models, ModelsReply, ServedModel
from tgap.server.ndjson import Lines
from tgap.server.openapi import schema_name
from tgap.server.work_queue import WorkQueue, encode
from tgap.studies import STUDIES

_JSON = "application/json"


def offered() -> Iterator[Operation[Any, Any]]:
    """The operations that have a route."""
    return (operation for operation in chain(OPERATIONS, STUDIES) if operation.web is not None)


def operation_routes(models: Models, queue: WorkQueue) -> APIRouter:
    """One route per operation, and the list of models."""
    router = APIRouter()

    @router.get("/models", response_model=ModelsReply, tags=["look up"], dependencies=[_only()])
    def served() -> ModelsReply:
        """List the models that are served; the first is meant where a request names none."""
        return models.reply()

    for operation in offered():
        _add_route(router, operation, models, queue)
    return router


def _add_route(router: APIRouter, operation: Operation[Any, Any], models: Models, queue: WorkQueue) -> None:
    web = operation.web
    assert web is not None, "an operation that is offered"
    content = web.media if operation.entries is not None else _JSON
    document = operation.line if operation.entries is not None else operation.document
    reply: dict[int | str, dict[str, Any]] = {
        200: {
            "description": "A line for each part" if operation.entries is not None else "The document",
            "content": {content: {"schema": {"$ref": f"#/components/schemas/{schema_name(document)}"}}},
        }
    }
    if web.at_once:
        endpoint = _stored(operation)
    elif operation.entries is not None:
        endpoint = _lines(operation, queue)
    else:
        endpoint = _computed(operation, queue)
    _sign(endpoint, operation, web.method, models)
    router.add_api_route(
        f"/{web.path or operation.title}",
        endpoint,
        methods=[web.method],
        response_model=None,
        responses=reply,
        name=operation.name,
        operation_id=operation.name,
        summary=operation.summary.rstrip("."),
        description=operation.description or operation.summary,
        tags=["look up" if web.at_once else "ask"],
        dependencies=[_only("model", *(_parameters(web.options or operation.options) if web.method == "GET" else ()))],
    )
    for file in operation.files:
        if file.media:
            _add_file_route(router, operation, file.name, models, queue)


def _sign(endpoint: Callable[..., Any], operation: Operation[Any, Any], method: str, models: Models) -> None:
    """Give an endpoint the signature that the framework reads: what is asked, and of which model."""
    narrower = None if operation.web is None else operation.web.options
    options, kind = narrower or operation.options, inspect.Parameter.KEYWORD_ONLY
    asked = Annotated[_in_query(options), Query()] if method == "GET" else Annotated[options, Body()]
    annotations: dict[str, Any] = {"asked": asked} if options.model_fields else {}
    annotations["chosen"] = Annotated[ServedModel, Depends(models.choose)]
    parameters = [inspect.Parameter(name, kind, annotation=found) for name, found in annotations.items()]
    setattr(endpoint, "__signature__", inspect.Signature(parameters))  # noqa: B010


def _in_query(options: type[Options]) -> type[Options]:
    """Options that are read from a query string, where the model's name stands beside them. See ``_only``."""

    class Parameters(options):  # type: ignore[misc, valid-type]
        model_config = ConfigDict(extra="ignore")

    return Parameters


def _parameters(options: type[Options]) -> Iterator[str]:
    """Options by their names in a query string."""
    return (field.alias or name for name, field in options.model_fields.items())


def _only(*known: str) -> Any:
    """A dependency that refuses query parameters which a route does not have."""

    async def check(request: Request) -> None:
        unknown = [name for name in request.query_params if name not in known]
        if unknown:
            expected = f"expected one of {', '.join(known)}" if known else "this route takes none"
            problems = [{"place": f"query.{name}", "problem": f"unknown parameter; {expected}"} for name in unknown]
            raise ApiError(422, "invalid_request", f"unknown parameter {unknown[0]!r}; {expected}", problems=problems)

    return Depends(check)


def _stored(operation: Operation[Any, Any]) -> Callable[..., Any]:
    """A plain function: the framework runs it in a thread, off the event loop."""

    def endpoint(chosen: ServedModel, asked: Options | None = None) -> Response:
        found = operation.run(chosen.model, asked or operation.options())
        named = {"name": chosen.name} if operation.name == "card" else {}
        return Response(encode({**named, **found.to_dict()}), media_type=_JSON)

    return endpoint


def _computed(operation: Operation[Any, Any], queue: WorkQueue) -> Callable[..., Any]:
    web = operation.web
    assert web is not None, "an operation that is offered"

    async def endpoint(asked: Options, chosen: ServedModel) -> Response:
        key = chosen.key(operation.name, asked.model_dump_json())
        work = lambda: encode(operation.run(chosen.model, asked).to_dict())  # noqa: E731
        return Response(await queue.answer(key, work, patient=web.patient), media_type=_JSON)

    return endpoint


def _lines(operation: Operation[Any, Any], queue: WorkQueue) -> Callable[..., Any]:
    make = operation.entries
    assert make is not None, "an operation that is sent line by line"
    names = tuple(name for name in operation.line.__dataclass_fields__ if name not in ("index", "error"))

    async def endpoint(asked: Options, chosen: ServedModel) -> Response:
        return Lines(queue, names, make(chosen.model, asked))

    return endpoint


def _add_file_route(
    router: APIRouter, operation: Operation[Any, Any], name: str, models: Models, queue: WorkQueue
) -> None:
    """A result as a file that a browser keeps."""
    file = next(one for one in operation.files if one.name == name)

    async def endpoint(asked: Options, chosen: ServedModel) -> Response:
        key = chosen.key(f"{operation.name}.{name}", asked.model_dump_json())
        content = await queue.answer(key, lambda: file.write(operation.run(chosen.model, asked), asked, name))
        headers = {"Content-Disposition": f'attachment; filename="tgap.{name}"'}
        return Response(content, media_type=file.media, headers=headers)

    _sign(endpoint, operation, "POST", models)
    router.add_api_route(
        f"/{operation.title}.{name}",
        endpoint,
        methods=["POST"],
        response_model=None,
        responses={200: {"description": "The file", "content": {file.media: {"schema": {"type": "string"}}}}},
        name=f"{operation.name}_{name}",
        operation_id=f"{operation.name}_{name}",
        summary=file.description.rstrip("."),
        tags=["ask"],
        dependencies=[_only("model")],
    )
