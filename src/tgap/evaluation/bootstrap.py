"""Bootstrap intervals: how far a metric, or a difference of two scorers, would move with other facts of the same kind.

The facts of a split are drawn again and again with replacement, as many as there are, and every metric is a mean over
the queries of the drawn facts. A fact brings both its queries along: its tail and its head are no independent
observations, so they are never drawn apart. The interval runs between the quantiles that leave (1 - level) / 2 on
either side.

Scorers that answered the same queries are compared on the same draws (a paired bootstrap). What makes a question
hard is hard for both and cancels, so a difference can be sure although the two intervals overlap.

The draws tell about the choice of facts and nothing else: not about the seed of a training, and, since facts of one
story come together and are drawn apart, an interval is rather too narrow than too wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tgap.errors import EvaluationError
from tgap.evaluation.metrics import METRICS, metric_columns
from tgap.evaluation.queries import SplitQueries
from tgap.evaluation.ranks import Ranks
from tgap.scorer import IntArray

Float64Array = NDArray[np.float64]
_CHUNK = 4_000_000  # drawn facts held at once: 32 MB


@dataclass(frozen=True)
class Bootstrap:
    """How to draw."""

    samples: int = 1000  # draws of a whole split
    level: float = 0.95  # share of the draws that an interval covers
    seed: int = 0

    def __post_init__(self) -> None:
        if self.samples < 2:
            raise EvaluationError(f"a bootstrap of {self.samples} samples has no spread; expected at least 2")
        if not 0 < self.level < 1:
            raise EvaluationError(f"an interval of level {self.level} is none; expected a share between 0 and 1")


@dataclass(frozen=True)
class Interval:
    """A value and how far it moves."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference(Interval):
    """One scorer's metric minus another's, on the same queries."""

    above: float  # share of the draws in which it is above 0, draws that tie counting half


Kind = TypeVar("Kind", bound=Interval)
Intervals = dict[str, dict[str, Interval]]  # protocol -> metric
Differences = dict[str, dict[str, Difference]]  # protocol -> metric


def metric_intervals(ranks: Ranks, queries: SplitQueries, bootstrap: Bootstrap) -> Intervals:
    """Interval of every metric under every protocol (mean ties)."""
    values_QK = np.concatenate([metric_columns(ranks.of(name)) for name in ranks.protocols], axis=1)
    means = draw_means(values_QK, queries.fact, bootstrap)
    value = values_QK.mean(axis=0)
    low, high = _bounds(means, bootstrap)
    found = [Interval(*map(float, row)) for row in zip(value, low, high, strict=True)]
    return _by_name(found, ranks.protocols)


def metric_differences(first: Ranks, second: Ranks, queries: SplitQueries, bootstrap: Bootstrap) -> Differences:
    """Interval of ``first`` minus ``second`` for every metric; both ranked the same queries."""
    assert len(first) == len(second) == len(queries), "the ranks belong to other queries"
    protocols = [name for name in first.protocols if name in second.protocols]
    parts = [metric_columns(first.of(name)) - metric_columns(second.of(name)) for name in protocols]
    values_QK = np.concatenate(parts, axis=1)
    means = draw_means(values_QK, queries.fact, bootstrap)
    value = values_QK.mean(axis=0)
    low, high = _bounds(means, bootstrap)
    above = (means > 0).mean(axis=0) + (means == 0).mean(axis=0) / 2
    found = [Difference(*map(float, row)) for row in zip(value, low, high, above, strict=True)]
    return _by_name(found, protocols)


def draw_means(values_QK: Float64Array, cluster_Q: IntArray, bootstrap: Bootstrap) -> Float64Array:
    """[samples, K] means of K columns over queries, the clusters drawn with replacement.

    Of each cluster only the sums and the size are needed, so a draw is a count of clusters times a small table. The
    same seed and number of clusters give the same draws, whatever the values.
    """
    _, cluster = np.unique(cluster_Q, return_inverse=True)
    size = np.bincount(cluster).astype(np.float64)
    sums = np.stack([np.bincount(cluster, weights=column) for column in values_QK.T], axis=1)
    table = np.column_stack([sums, size])  # [C, K+1]
    count = len(size)
    random = np.random.default_rng(bootstrap.seed)
    drawn: list[Float64Array] = []
    step = max(1, _CHUNK // count)
    for begin in range(0, bootstrap.samples, step):
        rows = min(step, bootstrap.samples - begin)
        picks = random.integers(count, size=(rows, count)) + np.arange(rows)[:, None] * count
        times = np.bincount(picks.reshape(-1), minlength=rows * count).reshape(rows, count)
        drawn.append(times.astype(np.float64) @ table)
    totals = np.concatenate(drawn)
    means: Float64Array = totals[:, :-1] / totals[:, -1:]
    return means


def _bounds(means: Float64Array, bootstrap: Bootstrap) -> tuple[Float64Array, Float64Array]:
    outside = (1 - bootstrap.level) / 2
    low, high = np.quantile(means, [outside, 1 - outside], axis=0)
    return low, high


def _by_name(found: Sequence[Kind], protocols: Sequence[str]) -> dict[str, dict[str, Kind]]:
    """A flat list, metric by metric and protocol after protocol, by their names."""
    width = len(METRICS)
    return {
        name: dict(zip(METRICS, found[at * width : (at + 1) * width], strict=True)) for at, name in enumerate(protocols)
    }
