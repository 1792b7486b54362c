"""Stored facts by name and date: those of an entity around a date, the timeline with how much happened when."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Facts
from tgap.explain.naming import Names, sign_of
from tgap.server import limits
from tgap.server.ticks import tick_levels

_BINS = 180  # bars of an entity's activity


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
        self, entity: str, instant: int, limit: int, partner: str | None = None, relation: str | None = None
    ) -> dict[str, Any]:
        """The ``limit`` facts of an entity that lie nearest to an instant, in the order of time."""
        mine = self._of(entity)
        if partner is not None:
            mine = np.intersect1d(mine, self._of(partner))
        if relation is not None:
            mine = mine[self._facts.relation[mine] == self._dataset.relations.id(relation)]
        distance = np.abs(self._facts.time[mine] - instant)
        nearest = np.sort(mine[np.argsort(distance, kind="stable")[:limit]])
        return {
            "entity": entity,
            "time": self._names.date(instant),
            "total": len(mine),
            "facts": [self._row(int(place), instant) for place in nearest],
        }

    def entity(self, entity: str) -> dict[str, Any]:
        """An entity's activity over time, its partners and its relations, those of most facts first."""
        index, mine, line = self._dataset.entities.id(entity), self._of(entity), self._dataset.timeline
        facts = self._facts[mine]
        step = max(1, -(-line.length // _BINS))
        others = np.where(facts.subject == index, facts.object, facts.subject)
        acting = facts.subject == index
        return {
            "entity": entity,
            "total": len(mine),
            "acting": int(acting.sum()),
            "first": line.format(int(facts.time[0])) if len(mine) else None,
            "last": line.format(int(facts.time[-1])) if len(mine) else None,
            "step": step,
            "activity": np.bincount(facts.time // step, minlength=-(-line.length // step)).tolist(),
            "partners": [
                {"name": self._names.entity(other), "facts": count} for other, count in _most(others[others != index])
            ],
            "relations": [
                {"relation": self._names.label(relation), "facts": count} for relation, count in _most(facts.relation)
            ],
        }

    def _of(self, entity: str) -> NDArray[np.int64]:
        """Places of an entity's facts, in the order of time."""
        index = self._dataset.entities.id(entity)
        return np.flatnonzero((self._facts.subject == index) | (self._facts.object == index)).astype(np.int64)

    def timeline(self, points: int) -> dict[str, Any]:
        """Evenly spread instants with their texts, how many facts lie from each to the next, and ticks for an axis."""
        line = self._dataset.timeline
        step = max(1, -(-line.length // points))
        instants = range(0, line.length, step)
        counts = np.bincount(self._facts.time // step, minlength=len(instants))
        return {
            "unit": line.unit,
            "first": line.format(0),
            "last": line.format(line.span),
            "span": line.span,
            "step": step,
            "iso_dates": line.unit == "day" and line.style == "%Y-%m-%d",
            "ticks": tick_levels(line),
            "texts": [line.format(instant) for instant in instants],
            "facts": counts.tolist(),
        }

    def _row(self, place: int, instant: int) -> dict[str, Any]:
        fact = self._facts[place]
        return {
            "subject": self._names.entity(fact.subject),
            "relation": self._names.label(fact.relation),
            "object": self._names.entity(fact.object),
            "time": self._names.date(fact.time),
            "displacement": fact.time - instant,
            "relative_time": self._names.relative_time(fact.time - instant),
            "sign": sign_of(fact.time - instant),
            "split": list(self._dataset.parts)[self._split[place]],
        }


def _most(values: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Values and how often each occurs, the commonest first."""
    found, counts = np.unique(values, return_counts=True)
    order = np.argsort(-counts, kind="stable")[: limits.MOST_PARTNERS]
    return list(zip(found[order].tolist(), counts[order].tolist(), strict=True))
