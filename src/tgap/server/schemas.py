"""What requests look like. Answers are the documents of docs/json-schema.md; ``openapi`` describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from tgap.server import limits

Name = Annotated[str, Field(min_length=1, max_length=limits.LONGEST_NAME)]
Time = Annotated[
    Annotated[str, Field(min_length=1, max_length=limits.LONGEST_TIME)] | Annotated[int, Field(ge=-(10**9), le=10**9)],
    Field(description="The time that is asked about, as the dataset writes it"),
]
Side = Literal["tail", "head"]


class SightRequest(BaseModel):
    """What may be seen while answering: everything that is known, unless it is limited."""

    model_config = ConfigDict(extra="forbid")

    past_only: bool = Field(default=False, description="See only what lies strictly before the time asked about")
    as_of: Time | None = Field(default=None, description="See nothing later than this")


class QuestionRequest(SightRequest):
    """A question as somebody writes it, a fact with a hole: null or "?" stands where the answer goes."""

    subject: Name | None = Field(default=None, description='An entity, or null or "?" where it is asked for')
    relation: Name = Field(description="A relation, in the direction of the fact whichever side is asked for")
    object: Name | None = Field(default=None, description='An entity, or null or "?" where it is asked for')
    time: Time


class PredictRequest(QuestionRequest):
    """A question, and how many answers are wanted. Given both sides, the object is asked for."""

    answer: Name | None = Field(default=None, description="An answer to tell of even where it is not among the best")
    top: int = Field(default=10, ge=1, le=limits.MOST_ANSWERS, description="Answers to list")


class ExplainRequest(QuestionRequest):
    """A question and the answer to explain: by default the best one, or the object where both sides are given."""

    answer: Name | None = Field(default=None, description="The answer to explain")
    effects: int = Field(
        default=20, ge=0, le=limits.MOST_DELETED, description="Facts to take away one at a time; 0: measure nothing"
    )
    flips: bool = Field(default=True, description="Look for the smallest set of facts that would change the answer")
    sufficient: bool = Field(default=True, description="Look how few facts are enough")
    hide_asked: bool = Field(default=True, description="Hide the asked fact where it stands in train, as training does")
    chains: int = Field(default=5, ge=1, le=limits.MOST_PATHS, description="Heaviest chains to the answer")
    edges: int = Field(default=5, ge=1, le=limits.MOST_EDGES, description="Strongest edges a step")
    paths: int = Field(default=5, ge=1, le=limits.MOST_PATHS, description="Heaviest walks to the answer")
    bundles: int = Field(
        default=0, ge=0, le=limits.MOST_EDGES, description="Heaviest bundles of edges a step, for a picture; 0: none"
    )


class SupportRequest(QuestionRequest):
    """A question and the answer to find facts for: by default the best one, or the object where both are given."""

    answer: Name | None = Field(default=None, description="The answer to find facts for")
    count: int = Field(default=8, ge=1, le=limits.MOST_FACTS, description="Facts to list")


class CounterfactualRequest(PredictRequest):
    """A question as if some training facts had not happened, or others had, and the answer to look at."""

    hide_asked: bool = Field(
        default=True, description="Hide the asked fact where it stands in train, as explanations do"
    )
    facts: list[tuple[Name, Name, Name, Name]] = Field(
        default=[], max_length=limits.MOST_DELETED, description="Facts to take away: subject, relation, object, time"
    )
    added: list[tuple[Name, Name, Name, Name]] = Field(
        default=[], max_length=limits.MOST_ADDED, description="Facts to add that did not happen, likewise"
    )


class BulkQuestion(PredictRequest):
    """A question among many."""

    reason: bool = Field(default=False, description="Also say why the best answer (or the given one) is what it is")


class SweepRequest(SightRequest):
    """A question without its time, answers to follow, and the stretch of time to follow them through."""

    subject: Name | None = Field(default=None, description='An entity, or null or "?" where it is asked for')
    relation: Name = Field(description="A relation, in the direction of the fact whichever side is asked for")
    object: Name | None = Field(default=None, description='An entity, or null or "?" where it is asked for')
    since: Time
    until: Time
    points: int = Field(default=31, ge=2, le=limits.MOST_SWEPT, description="Instants to look at, evenly spread")
    answers: list[Name] = Field(min_length=1, max_length=limits.MOST_FOLLOWED, description="Answers to follow")


class BulkRequest(BaseModel):
    """Many questions at once. Each is looked at by itself, so that a wrong one spoils no other."""

    model_config = ConfigDict(extra="forbid")

    questions: list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/BulkQuestion"})]] = Field(
        min_length=1, max_length=limits.MOST_QUESTIONS
    )
