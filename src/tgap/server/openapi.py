"""The OpenAPI description. Schemas of replies are read off their types, so the two cannot differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

import tgap
from tgap.asking.operation import Operation
from tgap.asking.operations.bulk import BulkQuestion

if TYPE_CHECKING:
    from tgap.asking.model import Model

_PLACE = "#/components/schemas/"
_JSON = "application/json"
Schema = dict[str, Any]


def schema_name(document: Any) -> str:
    """What a type is called in the description."""
    name: str = document.__name__
    return name


def describe(app: FastAPI, model: Model, operations: Iterable[Operation[Any, Any]]) -> Schema:
    """The whole description, with examples that the model can answer."""
    document = get_openapi(
        title="tgap",
        version=tgap.__version__,
        summary="Answers to questions about facts that change over time, with the walk that led there",
        description="Errors have one shape: `error.code` for programs, `error.message` for people.",
        routes=app.routes,
    )
    schemas = document["components"]["schemas"]
    listed = list(operations)
    for operation in listed:
        _add_schema(schemas, operation.document)
        if operation.entries is not None:
            _add_schema(schemas, operation.line)
    _add_schema(schemas, BulkQuestion, mode="validation")
    _require(schemas["Question"], "asks", {"enum": ["subject", "object"]})
    _require(schemas["ModelCard"], "name", {"type": "string"})  # under which it is served
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{}, {"token": []}]  # a token only where the server was started with one
    _add_examples(document, model, listed)
    return document


def _add_schema(schemas: Schema, kind: Any, mode: Any = "serialization") -> None:
    schema = TypeAdapter(kind).json_schema(mode=mode, ref_template=_PLACE + "{model}")
    for name, part in schema.pop("$defs", {}).items():
        schemas.setdefault(name, part)  # a document by itself also has its version
    version = getattr(kind, "VERSION", None)
    if version is not None:
        _require(schema, "schema", {"const": version})
    schemas[schema_name(kind)] = schema


def _require(schema: Schema, field: str, kind: Schema) -> None:
    schema["properties"] = {field: kind, **schema["properties"]}
    schema["required"] = [field, *schema.get("required", [])]


def _add_examples(document: Schema, model: Model, operations: Iterable[Operation[Any, Any]]) -> None:
    """Questions that work, in the dataset's own names."""
    if not model.example_questions.questions:
        return
    question = asdict(model.example_questions.questions[0])
    named, fact = question["subject"] or question["object"], model.dataset.train[0]
    names = model.names
    stored = [names.entity(fact.subject), names.label(fact.relation), names.entity(fact.object), names.date(fact.time)]
    values = {
        **question,
        "entity": named,
        "q": named[:4],
        "top": 5,
        "without": [stored],
        "answers": [named],
        "points": 2,
        "since": question["time"],
        "until": question["time"],
        "questions": [question],
    }
    for operation in operations:
        assert operation.web is not None, "an operation that is offered"
        path = document["paths"][f"/api/v1/{operation.web.path or operation.title}"]
        fields = operation.options.model_fields
        if operation.web.method == "POST":
            body = {name: values[name] for name in fields if name in values}
            path["post"]["requestBody"]["content"][_JSON]["example"] = body
            for file in (one for one in operation.files if one.media):
                route = document["paths"][f"/api/v1/{operation.title}.{file.name}"]
                route["post"]["requestBody"]["content"][_JSON]["example"] = body
            continue
        for parameter in path["get"].get("parameters", ()):
            name = parameter["name"]
            if name in values and (parameter["required"] or name == "q"):
                parameter["example"] = values[name]
