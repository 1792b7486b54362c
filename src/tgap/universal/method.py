"""The universal model as a method: shipped weights, any dataset, no training."""

from __future__ import annotations

from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.graph.task import TASKS
from tgap.learner import Method
from tgap.scorer import Scorer


class UniversalSettings(Settings):
    """There is nothing to set: the weights are shipped and belong to no dataset."""


def _build(dataset: Dataset, config: RunConfig) -> Scorer:
    from tgap.universal.ready import scorer  # noqa: PLC0415  torch and compiled kernels, only where they are used

    return scorer(dataset, config.task)


METHOD = Method(
    name="universal",
    title="universal",
    summary="Walks and ranks by statistics of the graph itself, with shipped weights. No training, no known names.",
    settings=UniversalSettings,
    build=_build,
    tasks={task: {} for task in TASKS},
)
