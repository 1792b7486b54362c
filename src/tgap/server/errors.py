"""Errors as the API tells them: one JSON shape, ``{"error": {"code", "message", ...}}``, with the right status."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ConfigDict, ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from tgap.asking.record import Record
from tgap.errors import OptionError, TgapError, UnknownNameError

_log = logging.getLogger("tgap.server")
_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    408: "slow_body",
    413: "too_large",
    415: "wrong_media_type",
}


class ErrorDetails(Record):
    """What went wrong."""

    model_config = ConfigDict(extra="allow")

    code: str
    message: str


class ErrorReply(Record):
    """The one shape of every error.

    ``unknown_name`` errors also have ``field``, ``kind`` (entity or relation), ``given`` and ``suggestions``; ``busy``
    errors have ``waiting``, the number of requests before this one.
    """

    error: ErrorDetails


class ApiError(Exception):
    """An error with its status, a code for programs and a sentence for people."""

    def __init__(
        self, status: int, code: str, message: str, headers: dict[str, str] | None = None, **details: object
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers or {}
        self.details = details

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        return {"error": {"code": self.code, "message": self.message, **self.details}}

    def response(self) -> Response:
        """The error as an answer."""
        body = json.dumps(self.to_dict(), ensure_ascii=False).encode("utf-8", "backslashreplace")
        return Response(body, self.status, self.headers, "application/json")


class BusyError(ApiError):
    """All places are taken; the client should come back."""

    def __init__(self, waiting: int, seconds: int = 1) -> None:
        message = f"{waiting} requests are waiting already; try again in a moment"
        super().__init__(503, "busy", message, {"Retry-After": str(seconds)}, waiting=waiting)


class WarmingUpError(ApiError):
    """The model has not answered once yet; the client should come back."""

    def __init__(self, seconds: int = 2) -> None:
        message = "the model is warming up; try again in a moment"
        super().__init__(503, "warming_up", message, {"Retry-After": str(seconds)})


class StoppingError(ApiError):
    """The server ends and cannot answer any more."""

    def __init__(self) -> None:
        super().__init__(503, "stopping", "the server is stopping; ask again once it is back", {"Retry-After": "5"})


class TimeoutApiError(ApiError):
    """The answer took longer than this server allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(504, "timeout", f"no answer within {seconds:g} seconds; ask for less or try again")


def from_tgap(error: TgapError) -> ApiError:
    """A mistake in the question, as the API tells it."""
    if isinstance(error, UnknownNameError):
        return ApiError(
            422,
            "unknown_name",
            str(error),
            field=error.field,
            kind=error.kind,
            given=error.given,
            suggestions=list(error.suggestions),
        )
    if isinstance(error, OptionError):
        problems = [{"place": place, "problem": problem} for place, problem in error.problems]
        return ApiError(422, "invalid_request", str(error), problems=problems)
    return ApiError(422, "bad_question", str(error))


def internal_error() -> ApiError:
    """Our own bug; the log has the traceback, the client does not."""
    return ApiError(500, "internal", "the server made a mistake; its log tells more")


def as_api_error(error: Exception) -> ApiError:
    """Whatever went wrong, as the API tells it; our own bugs go to the log, too."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, ValidationError):
        return invalid(error.errors())
    if isinstance(error, TgapError):
        return from_tgap(error)
    _log.error("a part of an answer failed", exc_info=error)
    return internal_error()


def add_handlers(app: FastAPI) -> None:
    """Give every error of the app the one shape."""

    @app.exception_handler(ApiError)
    async def api_error(_: Request, error: ApiError) -> Response:
        return error.response()

    @app.exception_handler(TgapError)
    async def tgap_error(_: Request, error: TgapError) -> Response:
        return from_tgap(error).response()

    @app.exception_handler(RequestValidationError)
    async def validation_error(_: Request, error: RequestValidationError) -> Response:
        return invalid(error.errors()).response()

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        code = _CODES.get(error.status_code, "error")
        words = {
            404: f"there is nothing at {request.url.path}; /api/v1/openapi.json lists all routes",
            405: f"{request.url.path} does not take {request.method}; /api/v1/openapi.json tells what it takes",
        }.get(error.status_code, str(error.detail))
        return ApiError(error.status_code, code, words, dict(error.headers or {})).response()


def invalid(found: Sequence[Mapping[str, Any]]) -> ApiError:
    """What pydantic found wrong with a request, by place. Values are not repeated: they may be anything."""
    problems = [
        {"place": ".".join(str(part) for part in problem["loc"]), "problem": str(problem["msg"])} for problem in found
    ]
    if any(problem["type"] == "json_invalid" for problem in found):
        return ApiError(400, "bad_json", "the body is not valid JSON", problems=problems)
    first = problems[0]
    if first["place"] == "body":
        first["problem"] = "expected a JSON object, sent with the header Content-Type: application/json"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    place = f"{first['place']}: " if first["place"] else ""
    return ApiError(422, "invalid_request", f"{place}{first['problem']}{more}", problems=problems)
