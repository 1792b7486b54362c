"""Routes that read what is stored: model card, names, facts, the timeline, questions to begin with."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from tgap.explain.schema import plain
from tgap.server import limits
from tgap.server.names import Kind
from tgap.server.openapi import document_reply
from tgap.server.questions import Examples
from tgap.server.replies import FactsReply, ModelReply, SearchReply, TimelineReply
from tgap.server.schemas import Name
from tgap.server.service import Service

Part = Annotated[str, Query(max_length=limits.LONGEST_NAME, description="Part of a name; none: the most used names")]
Matches = Annotated[int, Query(ge=1, le=limits.MOST_MATCHES)]
End = Annotated[Name | None, Query(description="Relations of facts with this entity come first")]
When = Annotated[str, Query(min_length=1, max_length=limits.LONGEST_TIME, description="As the dataset writes times")]
FactCount = Annotated[int, Query(ge=1, le=limits.MOST_FACTS)]
Points = Annotated[int, Query(ge=1, le=limits.MOST_POINTS)]
Seed = Annotated[int | None, Query(ge=0, le=2**53, description="The same seed draws the same question")]


def lookup_routes(service: Service) -> APIRouter:
    """Routes over a service. Plain functions: the framework runs them in threads, off the event loop."""
    router = APIRouter(tags=["lookups"])

    @router.get("/model", response_model=ModelReply)
    def model() -> dict[str, Any]:
        """What is served: dataset, settings, measured metrics and their protocol."""
        return service.card

    @router.get("/search", response_model=SearchReply)
    def search(
        kind: Kind = "entity",
        q: Part = "",
        limit: Matches = 10,
        subject: End = None,
        object: End = None,  # noqa: A002
    ) -> dict[str, Any]:
        """Find names by a part of them: much used ones first, beginnings and words' starts before the inside."""
        return {"matches": service.names.search(kind, q, limit, subject, object)}

    @router.get("/facts", response_model=FactsReply)
    def facts(entity: Annotated[Name, Query()], time: When, limit: FactCount = 20) -> dict[str, Any]:
        """Stored facts of an entity, those nearest to a time."""
        return service.facts(entity, time, limit)

    @router.get("/timeline", response_model=TimelineReply)
    def timeline(points: Points = 2000) -> dict[str, Any]:
        """The dataset's time as at most ``points`` instants, with how much happened when."""
        return service.history.timeline(points)

    @router.get("/questions/examples", response_model=None, responses=document_reply("Examples", "Questions"))
    def examples() -> dict[str, Any]:
        """A few questions that show what the dataset is about."""
        document: dict[str, Any] = plain(Examples(service.examples))
        return document

    @router.get("/questions/random", response_model=None, responses=document_reply("HeldOut", "Question and answers"))
    def random(seed: Seed = None) -> dict[str, Any]:
        """A question from a held-out fact, with its true answers."""
        document: dict[str, Any] = plain(service.questions.draw(seed))
        return document

    return router
