"""What the small answers look like (the large ones are the documents of ``tgap.explain`` and ``tgap.predict``)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class ErrorDetails(BaseModel):
    """What went wrong."""

    model_config = ConfigDict(extra="allow")

    code: str
    message: str


class ErrorReply(BaseModel):
    """The one shape of every error.

    ``unknown_name`` errors also have ``field``, ``kind`` (entity or relation), ``given`` and ``suggestions``; ``busy``
    errors have ``waiting``, the number of requests before this one.
    """

    error: ErrorDetails


class StatusReply(BaseModel):
    """Alive, or ready."""

    status: Literal["ok", "ready"]


class TimelineCard(BaseModel):
    """The time that a dataset covers."""

    unit: str
    first: str
    last: str
    span: int


class DatasetCard(BaseModel):
    """A dataset's sizes."""

    name: str
    entities: int
    relations: int
    facts: dict[str, int]
    timeline: TimelineCard
    checksum: str


class ModelInShort(BaseModel):
    """A model that is served."""

    name: str
    scorer: str
    explains: bool
    dataset: str


class ModelsReply(BaseModel):
    """All models that are served."""

    models: list[ModelInShort]


class ModelReply(BaseModel):
    """The model card."""

    name: str
    version: str
    scorer: str
    explains: bool
    dataset: DatasetCard
    settings: dict[str, Any]
    metrics: dict[str, Any]
    protocol: str


class Match(BaseModel):
    """A name and how many stored facts hold it; ``spans`` are the letters that were meant, as [from, to)."""

    name: str
    facts: int
    spans: list[tuple[int, int]]
    slips: int


class SearchReply(BaseModel):
    """Names, best match first."""

    matches: list[Match]


class FactRow(BaseModel):
    """A stored fact and how far it lies from the time asked about."""

    subject: str
    relation: str
    object: str
    time: str
    displacement: int
    relative_time: str
    sign: Literal["past", "present", "future"]
    split: Literal["train", "valid", "test", "context"]


class FactsReply(BaseModel):
    """Facts of an entity around a time, in the order of time."""

    entity: str
    time: str
    total: int
    facts: list[FactRow]


class Partner(BaseModel):
    """An entity that has facts with another."""

    name: str
    facts: int


class RelationCount(BaseModel):
    """A relation and how many of an entity's facts are of it."""

    relation: str
    facts: int


class EntityReply(BaseModel):
    """An entity: how many facts it has (``acting``: as their subject), when, with whom, in which relations.

    ``activity`` counts its facts in stretches of ``step`` units from the dataset's first instant on.
    """

    entity: str
    total: int
    acting: int
    first: str | None
    last: str | None
    step: int
    activity: list[int]
    partners: list[Partner]
    relations: list[RelationCount]


class Tick(BaseModel):
    """A round instant, in units after the first, and what an axis calls it."""

    instant: int
    text: str


class TimelineReply(BaseModel):
    """Evenly spread instants, ``step`` units apart, with the number of facts from each to the next.

    ``ticks`` are levels of round instants, coarse to fine; with ``iso_dates`` the texts are what date pickers write.
    """

    unit: str
    first: str
    last: str
    span: int
    step: int
    iso_dates: bool
    ticks: list[list[Tick]]
    texts: list[str]
    facts: list[int]
