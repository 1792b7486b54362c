"""How answers stand at instants through time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tgap.asking.answers import standings
from tgap.asking.question import Question, read_time
from tgap.data.time import When
from tgap.errors import QueryError
from tgap.explain.schema import Answer, plain

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.asking.operations.sweep import SweepOptions


@dataclass(frozen=True)
class SweepPoint:
    """The answers at one instant."""

    time: str
    instant: int
    best: Answer
    answers: tuple[Answer, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True)
class Sweep:
    """Answers followed through time."""

    points: tuple[SweepPoint, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True)
class SweepEntry:
    """One line of a sweep that is sent line by line."""

    index: int
    point: SweepPoint | None
    error: dict[str, Any] | None


def sweep_points(model: Model, options: SweepOptions) -> list[Callable[[], SweepPoint]]:
    """What computes each point, in the order of time."""
    line = model.dataset.timeline
    first, last = (read_time(model.dataset, time) for time in (options.since, options.until))
    if first > last:
        raise QueryError(f"the sweep begins after its end: {options.since!r} to {options.until!r}; swap them")
    instants = np.unique(np.linspace(first, last, num=options.points).round().astype(np.int64)).tolist()
    followed = [model.entity_id(name, "answers") for name in options.answers]

    def ask(time: When) -> Question:
        parts = (options.subject, options.relation, options.object, time)
        return model.question(*parts, as_of=options.as_of, past_only=options.past_only, window=options.window)

    def point(instant: int) -> SweepPoint:
        time = line.format(instant)
        question = ask(time)
        best, *others = standings(model.under(question.setting), question, followed)
        return SweepPoint(time, instant, best, tuple(others))

    ask(options.since)  # wrong names are told before a line is sent
    return [partial(point, instant) for instant in instants]
