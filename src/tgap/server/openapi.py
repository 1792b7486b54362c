"""The OpenAPI description. Schemas of the large documents are read off their dataclasses, so the two cannot differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

import tgap
from tgap.explain.schema import VERSION as EXPLANATION
from tgap.explain.schema import Document, ProfileTable, Question
from tgap.predict import Prediction
from tgap.predict.prediction import VERSION as PREDICTION
from tgap.predict.support import VERSION as SUPPORT
from tgap.predict.support import Support
from tgap.predict.what_if import VERSION as WHAT_IF
from tgap.server.questions import Examples, HeldOut
from tgap.server.schemas import BulkQuestion
from tgap.server.service import PROFILE_VERSION

_PLACE = "#/components/schemas/"
_NULL = {"type": "null"}
_FACTS = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
_DOCUMENTS = (
    (Document, EXPLANATION),
    (Prediction, PREDICTION),
    (Support, SUPPORT),
    (ProfileTable, None),
    (Examples, None),
    (HeldOut, None),
)
Schema = dict[str, Any]


def document_reply(name: str, words: str, media: str = "application/json") -> dict[int | str, dict[str, Any]]:
    """``responses`` of a route that answers with one of the large documents."""
    return {200: {"description": words, "content": {media: {"schema": {"$ref": _PLACE + name}}}}}


def describe(app: FastAPI, example: Question | None, fact: Sequence[str]) -> Schema:
    """The whole description; ``example`` is a question that this server can answer, ``fact`` a training fact."""
    document = get_openapi(
        title="tgap",
        version=tgap.__version__,
        summary="Answers to questions about facts that change over time, with the walk that led there",
        description="Errors have one shape: `error.code` for programs, `error.message` for people.",
        routes=app.routes,
    )
    schemas = document["components"]["schemas"]
    schemas.update(_documents())
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{}, {"token": []}]  # a token only where the server was started with one
    if example is not None:
        _add_examples(document, asdict(example), fact)
    return document


def _documents() -> dict[str, Schema]:
    found: dict[str, Schema] = {}
    for kind, version in _DOCUMENTS:
        schema = TypeAdapter(kind).json_schema(mode="serialization", ref_template=_PLACE + "{model}")
        found.update(schema.pop("$defs", {}))
        found[kind.__name__] = schema
        if version is not None:
            _require(schema, "schema", {"const": version})
    _require(found["Question"], "asks", {"enum": ["subject", "object"]})
    found["Counterfactual"] = _object(
        schema={"const": WHAT_IF},
        facts=_FACTS,
        added=_FACTS,
        before={"$ref": _PLACE + "Prediction"},
        after={"$ref": _PLACE + "Prediction"},
        changes={"type": "boolean"},
    )
    bulk = TypeAdapter(BulkQuestion).json_schema(mode="validation", ref_template=_PLACE + "{model}")
    found["BulkQuestion"] = bulk
    found["Reason"] = _object(
        answer={"type": "string"},
        sentence={"type": ["string", "null"]},
        kind={"type": ["string", "null"]},
        strongest={"anyOf": [{"$ref": _PLACE + "EvidenceRow"}, _NULL]},
    )
    found["BulkEntry"] = _object(
        reason={"anyOf": [{"$ref": _PLACE + "Reason"}, _NULL]},
        index={"type": "integer"},
        prediction={"anyOf": [{"$ref": _PLACE + "Prediction"}, _NULL]},
        error={"anyOf": [{"$ref": _PLACE + "ErrorDetails"}, _NULL]},
    )
    found["SweepPoint"] = _object(
        time={"type": "string"},
        instant={"type": "integer"},
        best={"$ref": _PLACE + "Answer"},
        answers={"type": "array", "items": {"$ref": _PLACE + "Answer"}},
    )
    found["SweepEntry"] = _object(
        index={"type": "integer"},
        point={"anyOf": [{"$ref": _PLACE + "SweepPoint"}, _NULL]},
        error={"anyOf": [{"$ref": _PLACE + "ErrorDetails"}, _NULL]},
    )
    relation = {"allOf": [{"$ref": _PLACE + "ProfileTable"}, _object(relation={"type": "string"})]}
    found["RelationProfiles"] = _object(
        schema={"const": PROFILE_VERSION},
        dataset={"type": "string"},
        split={"type": "string"},
        side={"enum": ["tail", "head"]},
        profiles={"type": "array", "items": relation},
    )
    return found


def _object(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _require(schema: Schema, field: str, kind: Schema) -> None:
    schema["properties"] = {field: kind, **schema["properties"]}
    schema["required"] = [field, *schema["required"]]


def _add_examples(document: Schema, question: dict[str, Any], fact: Sequence[str]) -> None:
    """A question that works, in the dataset's own names."""
    named = question["subject"] or question["object"]
    sweep = {name: question[name] for name in ("subject", "relation", "object")}
    bodies = {
        "/api/v1/sweep": {
            **sweep,
            "since": question["time"],
            "until": question["time"],
            "points": 2,
            "answers": [named],
        },
        "/api/v1/report": {**question, "edges": 5, "paths": 3},
        "/api/v1/predict": {**question, "top": 5},
        "/api/v1/explain": {**question, "edges": 5, "paths": 3},
        "/api/v1/support": {**question, "count": 5},
        "/api/v1/counterfactual": {**question, "top": 5, "facts": [list(fact)]},
        "/api/v1/bulk": {"questions": [question]},
    }
    for path, body in bodies.items():
        document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["example"] = body
    values = {"entity": named, "q": named[:4], "relation": question["relation"], "time": question["time"]}
    for path in ("/api/v1/search", "/api/v1/facts", "/api/v1/entity", "/api/v1/profile"):
        for parameter in document["paths"][path]["get"]["parameters"]:
            if parameter["name"] in values and (parameter["required"] or parameter["name"] == "q"):
                parameter["example"] = values[parameter["name"]]
