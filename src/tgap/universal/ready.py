"""From a dataset in memory to something that answers, in seconds, and how long each step took."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from tgap.data import Dataset
from tgap.graph.task import COMPLETION, find_task
from tgap.universal.scorer import UniversalScorer
from tgap.universal.weights_file import shipped_model


@dataclass(frozen=True)
class Ready:
    """A scorer and the seconds that each step to it took."""

    scorer: UniversalScorer
    seconds: Mapping[str, float]


def prepare(dataset: Dataset, task: str = COMPLETION.name) -> Ready:
    """A scorer for a dataset from the shipped weights.

    Statistics are counted when a relation is first asked for, so they are part of the first answer about it.
    """
    begin = time.perf_counter()
    model = shipped_model(task)
    loaded = time.perf_counter()
    made = UniversalScorer(model, dataset, find_task(task).setting)
    return Ready(made, {"weights": loaded - begin, "graph": time.perf_counter() - loaded})


def scorer(dataset: Dataset, task: str = COMPLETION.name) -> UniversalScorer:
    """The scorer of ``prepare``."""
    return prepare(dataset, task).scorer
