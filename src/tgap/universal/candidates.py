"""Which entities are ranked by their features: those with most mass of the walk, and usual answers of the relation.

Legend: B queries, C candidates of all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph.resolve import VisibleGraph
from tgap.universal.event_index import EventIndex

_RECENT = 400  # facts before the query's time and after it from which the usual answers of these days are taken


class Candidates(NamedTuple):
    """Candidates query after query, each query's in the order of their ids."""

    row: NDArray[np.int64]  # [B+1]
    entity: NDArray[np.int64]  # [C]

    @property
    def query(self) -> NDArray[np.int64]:
        """[C] the query of each."""
        return np.repeat(np.arange(len(self.row) - 1), np.diff(self.row))


def choose_candidates(
    index: EventIndex,
    visible: VisibleGraph,
    relation: int,
    time: NDArray[np.int64],
    mass: NDArray[np.float32],
    walked: int,
    usual: int,
) -> Candidates:
    """At most ``walked`` entities with the most mass [B, N] of each query, and twice ``usual`` of its relation."""
    entities = mass.shape[1]
    walked = min(walked, entities)
    best = np.argpartition(-mass, walked - 1, axis=1)[:, :walked]
    reached = np.take_along_axis(mass, best, axis=1) > 0
    edges = index.asked(relation)
    edges = edges[visible.mask[edges] != 0]
    ends, times = index.neighbour[edges], index.time[edges]
    always = _most_frequent(ends, usual)
    lists: list[NDArray[np.int64]] = []
    near: dict[int, NDArray[np.int64]] = {}
    for b, when in enumerate(time.tolist()):
        if when not in near:
            middle = int(np.searchsorted(times, when))
            near[when] = _most_frequent(ends[max(middle - _RECENT, 0) : middle + _RECENT], usual)
        lists.append(np.unique(np.concatenate([best[b][reached[b]], always, near[when]])).astype(np.int64))
    row = np.append(0, np.cumsum([len(one) for one in lists])).astype(np.int64)
    return Candidates(row, np.concatenate(lists) if lists else np.empty(0, np.int64))


def _most_frequent(ends: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    found, times = np.unique(ends, return_counts=True)
    return found[np.lexsort((found, -times))[:count]].astype(np.int64)
