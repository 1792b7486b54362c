"""Routes that walk the graph: predict, explain, what-if, bulk, displacement profile. All go through the work queue."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.responses import Response

from tgap.server import limits
from tgap.server.bulk import BulkResponse
from tgap.server.openapi import document_reply
from tgap.server.schemas import BulkRequest, CounterfactualRequest, ExplainRequest, Name, PredictRequest, Side
from tgap.server.service import Service
from tgap.server.work_queue import WorkQueue

Profiled = Annotated[int, Query(ge=1, le=limits.MOST_PROFILED, description="Most test questions to look at")]


def answer_routes(service: Service, queue: WorkQueue) -> APIRouter:
    """Routes over a service; computation waits its turn in the queue."""
    router = APIRouter(tags=["answers"])

    @router.post("/predict", responses=document_reply("Prediction", "The best answers, best first"))
    async def predict(asked: PredictRequest) -> Response:
        """Answer a question."""
        return _json(await queue.answer(_key("predict", asked), lambda: service.predict(asked)))

    @router.post("/explain", responses=document_reply("Document", "Why an answer has its probability"))
    async def explain(asked: ExplainRequest) -> Response:
        """Show the walk that led to an answer: strongest edges, heaviest paths, attention over time."""
        return _json(await queue.answer(_key("explain", asked), lambda: service.explain(asked)))

    @router.post("/counterfactual", responses=document_reply("Counterfactual", "As it is, and without those facts"))
    async def counterfactual(asked: CounterfactualRequest) -> Response:
        """Answer a question as it is, and as if some training facts had not happened."""
        return _json(await queue.answer(_key("counterfactual", asked), lambda: service.counterfactual(asked)))

    @router.post("/bulk", responses=document_reply("BulkEntry", "A line for each question", "application/x-ndjson"))
    async def bulk(asked: BulkRequest) -> Response:
        """Answer many questions, one JSON object a line, each as soon as it is there, in the order of their times.

        ``index`` is the place of a line's question in the request. One that cannot be answered says so in its line.
        Each waits its turn behind what other clients ask, and has the time of one request for it.
        """
        return BulkResponse(queue, service.predict_or_tell, asked.questions)

    @router.get("/profile", responses=document_reply("RelationProfiles", "Attention by displacement"))
    async def profile(relation: Annotated[Name, Query()], side: Side = "tail", limit: Profiled = 50) -> Response:
        """How far in time attention looks for test questions of a relation (a fixed sample of at most ``limit``)."""
        key = f"profile {side} {limit} {relation}"
        return _json(await queue.answer_in_turns(key, service.profile(relation, side, limit)))

    return router


def _key(kind: str, asked: BaseModel) -> str:
    return f"{kind} {asked.model_dump_json()}"


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")
