"""A scorer that waits until it is told to answer, to fill queues and outlast time limits."""

from __future__ import annotations

import threading

import numpy as np

from tests.explain.small_dataset import small_dataset
from tgap.asking.model import Model
from tgap.scorer import FloatArray, QueryBatch, ScoreKind


class SlowScorer:
    """Every score is its entity's id, after ``go`` is set."""

    name = "slow"
    kind = ScoreKind.ORDER
    num_relations = 3

    def __init__(self, num_entities: int) -> None:
        self.num_entities = num_entities
        self.go = threading.Event()
        self.begun = threading.Event()
        self.calls = 0
        self.go.set()

    def score(self, queries: QueryBatch) -> FloatArray:
        self.begun.set()
        assert self.go.wait(120), "nobody let the scorer go"
        self.calls += 1
        return np.tile(np.arange(self.num_entities, dtype=np.float32), (len(queries), 1))

    def hold(self) -> None:
        """From now on every answer waits."""
        self.begun.clear()
        self.go.clear()


def slow_model() -> tuple[SlowScorer, Model]:
    """The scorer and a model that answers with it."""
    dataset = small_dataset()
    scorer = SlowScorer(dataset.num_entities)
    return scorer, Model(scorer, dataset)
