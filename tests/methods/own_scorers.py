"""Scorers as a user would write them, outside the package; ``test_own`` names them."""

from __future__ import annotations

import numpy as np

from tgap.data import Dataset
from tgap.scorer import FloatArray, QueryBatch, ScoreKind


class Popular:
    """Whoever is often an object is a likely answer."""

    name = "popular"
    kind = ScoreKind.ORDER

    def __init__(self, dataset: Dataset) -> None:
        self.num_entities, self.num_relations = dataset.num_entities, dataset.num_relations
        self._counts = np.bincount(dataset.train.object, minlength=self.num_entities).astype(np.float32)

    def score(self, queries: QueryBatch) -> FloatArray:
        """The same for every query."""
        return np.tile(self._counts, (len(queries), 1))


class NoKind(Popular):
    """Has no idea what its scores are."""

    kind = "order"  # type: ignore[assignment]


class NoScorer:
    """Takes a dataset and cannot answer."""

    def __init__(self, dataset: Dataset) -> None:
        self.name = dataset.name
