"""Stored facts by name and date: those of an entity around a date, the timeline with how much happened when."""

from __future__ import annotations

from typing import Any

import numpy as np

from tgap.data import Dataset, Facts
from tgap.explain.naming import Names, sign_of
from tgap.server.ticks import tick_levels


class History:
    """The facts of all splits in the order of time."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._names = Names(dataset)
        pooled = Facts.concatenate(list(dataset.splits.values()))
        split = np.repeat(np.arange(len(dataset.splits)), [len(facts) for facts in dataset.splits.values()])
        order = np.argsort(pooled.time, kind="stable")
        self._facts = pooled[order]
        self._split = split[order]

    def around(self, entity: str, instant: int, limit: int) -> dict[str, Any]:
        """The ``limit`` facts of an entity that lie nearest to an instant, in the order of time."""
        index = self._dataset.entities.id(entity)
        mine = np.flatnonzero((self._facts.subject == index) | (self._facts.object == index))
        distance = np.abs(self._facts.time[mine] - instant)
        nearest = np.sort(mine[np.argsort(distance, kind="stable")[:limit]])
        return {
            "entity": entity,
            "time": self._names.date(instant),
            "total": len(mine),
            "facts": [self._row(int(place), instant) for place in nearest],
        }

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
            "words": self._names.words(fact.time - instant),
            "sign": sign_of(fact.time - instant),
            "split": list(self._dataset.splits)[self._split[place]],
        }
