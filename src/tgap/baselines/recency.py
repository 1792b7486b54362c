"""Recency: what happened close to the query's time will be the answer again. No training.

Weights as in the yardstick of the field's simplest heuristics: an event of the same relation |dt| units away counts
1 / (1 + |dt| / 3), an event of any relation 0.3 of that. On ICEWS14 this reaches a time-filtered MRR of 0.506, more
than several trained methods: whoever reports a result should show it.
"""

from __future__ import annotations

from pydantic import Field

from tgap.baselines.history import HistoryScorer
from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.graph import TemporalGraph
from tgap.graph.task import TASKS, find_task
from tgap.learner import Method
from tgap.scorer import Scorer


class RecencySettings(Settings):
    """Weights of the recency heuristic; ``history`` has the formula."""

    time_scale: float = Field(3.0, gt=0, description="timeline units after which an event counts half")
    any_relation: float = Field(0.3, ge=0, description="weight of an event whatever its relation")


def _build(dataset: Dataset, config: RunConfig) -> Scorer:
    settings = config.model
    assert isinstance(settings, RecencySettings), "the table of methods gives every method its own settings"
    known = find_task(config.task).setting
    graph = TemporalGraph.of(dataset, known.context)
    return HistoryScorer("recency", graph, settings.time_scale, settings.any_relation, known)


METHOD = Method(
    name="recency",
    title="recency",
    summary="Sums the subject's events with each entity, near ones counting more. No training.",
    settings=RecencySettings,
    build=_build,
    tasks={task: {} for task in TASKS},
)
