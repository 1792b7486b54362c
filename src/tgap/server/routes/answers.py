"""Routes that walk the graph: predict, explain, what-if, bulk, displacement profile. All go through the lane."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.responses import Response

from tgap.server import limits
from tgap.server.lane import Deadline, Lane, encode, time_limit
from tgap.server.openapi import document_reply
from tgap.server.schemas import BulkRequest, ExplainRequest, Name, PredictRequest, Side, WithoutRequest
from tgap.server.service import Service

Profiled = Annotated[int, Query(ge=1, le=limits.MOST_PROFILED, description="Most test questions to look at")]


def answer_routes(service: Service, lane: Lane) -> APIRouter:
    """Routes over a service; computation waits its turn in the lane."""
    router = APIRouter(tags=["answers"])

    @router.post("/predict", responses=document_reply("Prediction", "The best answers, best first"))
    async def predict(asked: PredictRequest) -> Response:
        """Answer a question."""
        return _json(await lane.answer(_key("predict", asked), lambda _: service.predict(asked)))

    @router.post("/explain", responses=document_reply("Document", "Why an answer has its probability"))
    async def explain(asked: ExplainRequest) -> Response:
        """Show the walk that led to an answer: strongest edges, heaviest paths, attention over time."""
        return _json(await lane.answer(_key("explain", asked), lambda _: service.explain(asked)))

    @router.post("/without", responses=document_reply("Prediction", "The best answers without those facts"))
    async def without(asked: WithoutRequest) -> Response:
        """Answer a question as if some training facts had not happened."""
        return _json(await lane.answer(_key("without", asked), lambda _: service.without(asked)))

    @router.post("/bulk", responses=document_reply("Bulk", "One entry a question, in the order of the request"))
    async def bulk(asked: BulkRequest) -> Response:
        """Answer many questions. One that cannot be answered says so in its place and spoils no other.

        Questions take turns with those of other clients; together they have the time of one request.
        """
        questions = asked.questions
        order = sorted(range(len(questions)), key=lambda place: str(questions[place].time))  # features go by date
        results: list[dict[str, Any]] = [{}] * len(questions)
        with lane.place(), time_limit(lane.limits.seconds):
            async with asyncio.timeout(lane.limits.seconds):
                for place in order:
                    results[place] = await lane.run(partial(service.predict_or_tell, questions[place]))
        return _json(encode({"results": results}))

    @router.get("/profile", responses=document_reply("RelationProfiles", "Attention by displacement"))
    async def profile(relation: Annotated[Name, Query()], side: Side = "tail", limit: Profiled = 50) -> Response:
        """How far in time attention looks for test questions of a relation (a fixed sample of at most ``limit``)."""

        def compute(deadline: Deadline) -> dict[str, Any]:
            return service.profile(relation, side, limit, deadline)

        return _json(await lane.answer(f"profile {side} {limit} {relation}", compute))

    return router


def _key(kind: str, asked: BaseModel) -> str:
    return f"{kind} {asked.model_dump_json()}"


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")
