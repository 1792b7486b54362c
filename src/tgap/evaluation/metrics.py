"""The five metrics of a list of ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

METRICS = ("mrr", "hits1", "hits3", "hits10", "mean_rank")


@dataclass(frozen=True)
class Metrics:
    """Means over queries. Hits are shares from 0 to 1; a mean rank of 1 is perfect."""

    mrr: float  # mean of 1 / rank
    hits1: float  # share of ranks <= 1: answers that stand alone at the top
    hits3: float  # share of ranks <= 3
    hits10: float  # share of ranks <= 10
    mean_rank: float

    @classmethod
    def of(cls, ranks: NDArray[np.float64]) -> Metrics:
        """Metrics of at least one rank.

        >>> Metrics.of(np.array([1.0, 4.0]))
        Metrics(mrr=0.625, hits1=0.5, hits3=0.5, hits10=1.0, mean_rank=2.5)
        """
        return cls.grouped(ranks, np.zeros(len(ranks), dtype=np.int64), 1)[0]

    @classmethod
    def grouped(cls, ranks: NDArray[np.float64], group: NDArray[np.int64], count: int) -> list[Metrics]:
        """Metrics of each of ``count`` groups; every group has a member."""
        size = np.bincount(group, minlength=count)
        assert size.all(), "metrics of no ranks at all"
        means = [np.bincount(group, weights=column, minlength=count) / size for column in metric_columns(ranks).T]
        return [cls(*map(float, row)) for row in zip(*means, strict=True)]


def metric_columns(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """[Q, 5] what each query contributes to each of ``METRICS``: a metric is the mean of its column."""
    return np.column_stack([1.0 / ranks, ranks <= 1, ranks <= 3, ranks <= 10, ranks])
