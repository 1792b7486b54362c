"""Routes that walk the graph: predict, explain, what-if, bulk, displacement profile. All go through the work queue."""

# No postponed annotations here: the framework reads them, and one names a type that is made inside the function.

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel
from starlette.responses import Response

from tgap.server import limits
from tgap.server.lines import Lines
from tgap.server.models import Models
from tgap.server.openapi import document_reply
from tgap.server.schemas import (
    BulkRequest,
    CounterfactualRequest,
    ExplainRequest,
    Name,
    PredictRequest,
    Side,
    SupportRequest,
    SweepRequest,
)
from tgap.server.service import Service
from tgap.server.work_queue import WorkQueue

Profiled = Annotated[int, Query(ge=1, le=limits.MOST_PROFILED, description="Most test questions to look at")]

_REPORT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The page", "content": {"text/html": {"schema": {"type": "string"}}}}
}


def answer_routes(models: Models, queue: WorkQueue) -> APIRouter:
    """Routes over the models; computation waits its turn in the queue."""
    router = APIRouter(tags=["answers"])
    Chosen = Annotated[tuple[str, Service], Depends(models.choose)]

    @router.post("/predict", responses=document_reply("Prediction", "The best answers, best first"))
    async def predict(asked: PredictRequest, chosen: Chosen) -> Response:
        """Answer a question."""
        _, service = chosen
        return _json(await queue.answer(_key(chosen, "predict", asked), lambda: service.predict(asked)))

    @router.post("/explain", responses=document_reply("Document", "Why an answer has its probability"))
    async def explain(asked: ExplainRequest, chosen: Chosen) -> Response:
        """Show the walk that led to an answer: strongest edges, heaviest paths, attention over time."""
        _, service = chosen
        return _json(await queue.answer(_key(chosen, "explain", asked), lambda: service.explain(asked)))

    @router.post("/support", responses=document_reply("Support", "How an answer stands, and the nearest facts"))
    async def support(asked: SupportRequest, chosen: Chosen) -> Response:
        """The training facts of subject and answer that lie nearest in time, whatever the method: no reasons."""
        _, service = chosen
        return _json(await queue.answer(_key(chosen, "support", asked), lambda: service.support(asked)))

    @router.post("/counterfactual", responses=document_reply("Counterfactual", "As it is, and as it would be"))
    async def counterfactual(asked: CounterfactualRequest, chosen: Chosen) -> Response:
        """Answer a question as it is, and as if some training facts had not happened, or other facts had."""
        _, service = chosen
        return _json(await queue.answer(_key(chosen, "counterfactual", asked), lambda: service.counterfactual(asked)))

    @router.post("/bulk", responses=document_reply("BulkEntry", "A line for each question", "application/x-ndjson"))
    async def bulk(asked: BulkRequest, chosen: Chosen) -> Response:
        """Answer many questions, one JSON object a line, each as soon as it is there, in the order of their times.

        ``index`` is the place of a line's question in the request. One that cannot be answered says so in its line.
        A question that wants its ``reason`` also gets the sentence for its best answer and the strongest event.
        Each waits its turn behind what other clients ask, and has the time of one request for it.
        """
        return Lines(queue, ("prediction", "reason"), chosen[1].bulk(asked.questions))

    @router.post("/sweep", responses=document_reply("SweepEntry", "A line for each instant", "application/x-ndjson"))
    async def sweep(asked: SweepRequest, chosen: Chosen) -> Response:
        """Follow answers through time: how each stands at evenly spread instants, one JSON object a line."""
        return Lines(queue, ("point",), chosen[1].sweep(asked))

    @router.post("/report", responses=_REPORT)
    async def report(asked: ExplainRequest, chosen: Chosen) -> Response:
        """The explanation as an HTML page that stands alone, to keep or to send."""
        _, service = chosen
        page = await queue.answer(_key(chosen, "report", asked), lambda: {"page": service.report(asked)})
        headers = {"Content-Disposition": 'attachment; filename="tgap.html"'}
        return Response(json.loads(page)["page"], media_type="text/html", headers=headers)

    @router.get("/profile", responses=document_reply("RelationProfiles", "Attention by displacement"))
    async def profile(
        chosen: Chosen, relation: Annotated[Name, Query()], side: Side = "tail", limit: Profiled = 50
    ) -> Response:
        """How far in time attention looks for test questions of a relation (a fixed sample of at most ``limit``)."""
        name, service = chosen
        key = f"{name} {service.revision} profile {side} {limit} {relation}"
        return _json(await queue.answer_in_turns(key, service.profile(relation, side, limit)))

    return router


def _key(chosen: tuple[str, Service], kind: str, asked: BaseModel) -> str:
    """What an answer is kept under: it holds for a model as long as nothing is appended to its dataset."""
    name, service = chosen
    return f"{name} {service.revision} {kind} {asked.model_dump_json()}"


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")
