"""Frequency: what happened most often will be the answer again, whenever it happened. No training, no sense of time.

The count of (s, r, o) in train decides; the count of all events of s with o, at a thousandth of the weight, only
decides between entities whose counts are equal (larger weights were worse on ICEWS14's validation split).
"""

from __future__ import annotations

import math

from pydantic import Field

from tgap.baselines.history import HistoryScorer
from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.graph import TemporalGraph
from tgap.graph.task import TASKS, find_task
from tgap.learner import Method
from tgap.scorer import Scorer


class FrequencySettings(Settings):
    """Weights of plain counting; ``history`` has the formula."""

    any_relation: float = Field(0.001, ge=0, description="weight of an event whatever its relation")


def _build(dataset: Dataset, config: RunConfig) -> Scorer:
    settings = config.model
    assert isinstance(settings, FrequencySettings), "the table of methods gives every method its own settings"
    known = find_task(config.task).setting
    graph = TemporalGraph.of(dataset, known.context)
    return HistoryScorer("frequency", graph, math.inf, settings.any_relation, known)


METHOD = Method(
    name="frequency",
    title="frequency",
    summary="Counts the subject's events with each entity. No training, no sense of time.",
    settings=FrequencySettings,
    build=_build,
    tasks={task: {} for task in TASKS},
)
