"""Routes that read what is stored: model card, names, facts, the timeline, questions to begin with."""

# No postponed annotations here: the framework reads them, and one names a type that is made inside the function.

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from tgap.explain.schema import plain
from tgap.server import limits
from tgap.server.models import Models
from tgap.server.names import Kind
from tgap.server.openapi import document_reply
from tgap.server.questions import Examples
from tgap.server.replies import EntityReply, FactsReply, ModelReply, ModelsReply, SearchReply, TimelineReply
from tgap.server.schemas import Name
from tgap.server.service import Service

Part = Annotated[str, Query(max_length=limits.LONGEST_NAME, description="Part of a name; none: the most used names")]
Matches = Annotated[int, Query(ge=1, le=limits.MOST_MATCHES)]
End = Annotated[Name | None, Query(description="Relations of facts with this entity come first")]
When = Annotated[str, Query(min_length=1, max_length=limits.LONGEST_TIME, description="As the dataset writes times")]
FactCount = Annotated[int, Query(ge=1, le=limits.MOST_FACTS)]
Points = Annotated[int, Query(ge=1, le=limits.MOST_POINTS)]
Seed = Annotated[int | None, Query(ge=0, le=2**53, description="The same seed draws the same question")]


def lookup_routes(models: Models) -> APIRouter:
    """Routes over the models. Plain functions: the framework runs them in threads, off the event loop."""
    router = APIRouter(tags=["lookups"])
    Asked = Annotated[tuple[str, Service], Depends(models.choose)]

    @router.get("/models", response_model=ModelsReply)
    def served() -> dict[str, Any]:
        """The models that are served; the first is meant where a request names none."""
        return {"models": models.cards()}

    @router.get("/model", response_model=ModelReply)
    def card(asked: Asked) -> dict[str, Any]:
        """What is served: dataset, settings, measured metrics and their protocol."""
        return {"name": asked[0], **asked[1].card}

    @router.get("/search", response_model=SearchReply)
    def search(
        asked: Asked,
        kind: Kind = "entity",
        q: Part = "",
        limit: Matches = 10,
        subject: End = None,
        object: End = None,  # noqa: A002
    ) -> dict[str, Any]:
        """Find names by a part of them: much used ones first, beginnings and words' starts before the inside."""
        return {"matches": asked[1].names.search(kind, q, limit, subject, object)}

    @router.get("/facts", response_model=FactsReply)
    def facts(
        asked: Asked,
        entity: Annotated[Name, Query()],
        time: When,
        limit: FactCount = 20,
        partner: Annotated[Name | None, Query(description="Only facts with this entity")] = None,
        relation: Annotated[Name | None, Query(description="Only facts of this relation")] = None,
    ) -> dict[str, Any]:
        """Stored facts of an entity, those nearest to a time."""
        return asked[1].facts(entity, time, limit, partner, relation)

    @router.get("/entity", response_model=EntityReply)
    def entity(asked: Asked, entity: Annotated[Name, Query()]) -> dict[str, Any]:
        """When an entity was active, with whom and in which relations."""
        return asked[1].entity(entity)

    @router.get("/timeline", response_model=TimelineReply)
    def timeline(asked: Asked, points: Points = 2000) -> dict[str, Any]:
        """The dataset's time as at most ``points`` instants, with how much happened when."""
        return asked[1].history.timeline(points)

    @router.get("/questions/examples", response_model=None, responses=document_reply("Examples", "Questions"))
    def examples(asked: Asked) -> dict[str, Any]:
        """A few questions that show what the dataset is about."""
        document: dict[str, Any] = plain(Examples(asked[1].examples))
        return document

    @router.get("/questions/random", response_model=None, responses=document_reply("HeldOut", "Question and answers"))
    def random(asked: Asked, seed: Seed = None) -> dict[str, Any]:
        """A question from a held-out fact, with its true answers."""
        document: dict[str, Any] = plain(asked[1].questions.draw(seed))
        return document

    return router
