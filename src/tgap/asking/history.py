"""Stored facts by name and date: those of an entity around a date, the timeline with how much happened when."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tgap.asking.record import Record
from tgap.asking.ticks import Tick, tick_levels
from tgap.data import Dataset, Facts
from tgap.explain.naming import Names, sign_of

_BINS = 180  # bars of an entity's activity
_LISTED = 30  # partners and relations of an entity


class StoredFactRow(Record):
    """A stored fact and how far it is from the time asked about."""

    subject: str
    relation: str
    object: str
    time: str
    displacement: int
    relative_time: str
    sign: Literal["past", "present", "future"]
    split: Literal["train", "valid", "test", "context"]


class EntityFacts(Record):
    """Facts of an entity around a time, in the order of time."""

    entity: str
    time: str
    total: int = Field(description="how many facts there are in all")
    facts: tuple[StoredFactRow, ...]


class PartnerCount(Record):
    """An entity that has facts with another."""

    name: str
    facts: int


class RelationCount(Record):
    """A relation and how many of an entity's facts are of it."""

    relation: str
    facts: int


class EntityHistory(Record):
    """An entity: how many facts it has, when, with whom, in which relations."""

    entity: str
    total: int
    acting: int = Field(description="facts whose subject it is")
    first: str | None
    last: str | None
    step: int = Field(description="units of time per entry of activity")
    activity: tuple[int, ...] = Field(description="facts from the dataset's first instant on, per step")
    partners: tuple[PartnerCount, ...]
    relations: tuple[RelationCount, ...]


class TimelineCounts(Record):
    """Evenly spread instants, ``step`` units apart, with the number of facts from each to the next."""

    unit: str
    first: str
    last: str
    span: int
    step: int
    iso_dates: bool = Field(description="the texts are what date pickers write")
    ticks: tuple[tuple[Tick, ...], ...] = Field(description="levels of round instants for an axis, coarse to fine")
    texts: tuple[str, ...]
    facts: tuple[int, ...]


class History:
    """The facts of all splits in the order of time."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._names = Names(dataset)
        pooled = Facts.concatenate(list(dataset.parts.values()))
        split = np.repeat(np.arange(len(dataset.parts)), [len(facts) for facts in dataset.parts.values()])
        order = np.argsort(pooled.time, kind="stable")
        self._facts = pooled[order]
        self._split = split[order]

    def around(
        self, entity: int, instant: int, limit: int, partner: int | None = None, relation: int | None = None
    ) -> EntityFacts:
        """The ``limit`` facts of an entity that lie nearest to an instant, in the order of time."""
        mine = self._of(entity)
        if partner is not None:
            mine = np.intersect1d(mine, self._of(partner))
        if relation is not None:
            mine = mine[self._facts.relation[mine] == relation]
        distance = np.abs(self._facts.time[mine] - instant)
        nearest = np.sort(mine[np.argsort(distance, kind="stable")[:limit]])
        return EntityFacts(
            entity=self._names.entity(entity),
            time=self._names.date(instant),
            total=len(mine),
            facts=tuple(self._row(int(place), instant) for place in nearest),
        )

    def entity(self, entity: int) -> EntityHistory:
        """An entity's activity over time, its partners and its relations, those of most facts first."""
        mine, line = self._of(entity), self._dataset.timeline
        facts = self._facts[mine]
        step = max(1, -(-line.length // _BINS))
        others = np.where(facts.subject == entity, facts.object, facts.subject)
        acting = facts.subject == entity
        return EntityHistory(
            entity=self._names.entity(entity),
            total=len(mine),
            acting=int(acting.sum()),
            first=line.format(int(facts.time[0])) if len(mine) else None,
            last=line.format(int(facts.time[-1])) if len(mine) else None,
            step=step,
            activity=tuple(np.bincount(facts.time // step, minlength=-(-line.length // step)).tolist()),
            partners=tuple(
                PartnerCount(name=self._names.entity(other), facts=count)
                for other, count in _most(others[others != entity])
            ),
            relations=tuple(
                RelationCount(relation=self._names.label(relation), facts=count)
                for relation, count in _most(facts.relation)
            ),
        )

    def _of(self, entity: int) -> NDArray[np.int64]:
        """Places of an entity's facts, in the order of time."""
        return np.flatnonzero((self._facts.subject == entity) | (self._facts.object == entity)).astype(np.int64)

    def timeline(self, points: int) -> TimelineCounts:
        """Evenly spread instants with their texts, how many facts lie from each to the next, and ticks for an axis."""
        line = self._dataset.timeline
        step = max(1, -(-line.length // points))
        instants = range(0, line.length, step)
        counts = np.bincount(self._facts.time // step, minlength=len(instants))
        return TimelineCounts(
            unit=line.unit,
            first=line.format(0),
            last=line.format(line.span),
            span=line.span,
            step=step,
            iso_dates=line.unit == "day" and line.style == "%Y-%m-%d",
            ticks=tuple(tuple(level) for level in tick_levels(line)),
            texts=tuple(line.format(instant) for instant in instants),
            facts=tuple(counts.tolist()),
        )

    def _row(self, place: int, instant: int) -> StoredFactRow:
        fact = self._facts[place]
        return StoredFactRow(
            subject=self._names.entity(fact.subject),
            relation=self._names.label(fact.relation),
            object=self._names.entity(fact.object),
            time=self._names.date(fact.time),
            displacement=fact.time - instant,
            relative_time=self._names.relative_time(fact.time - instant),
            sign=sign_of(fact.time - instant),
            split=list(self._dataset.parts)[self._split[place]],
        )


def _most(values: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Values and how often each occurs, the commonest first."""
    found, counts = np.unique(values, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:_LISTED]
    return list(zip(found[order].tolist(), counts[order].tolist(), strict=True))
