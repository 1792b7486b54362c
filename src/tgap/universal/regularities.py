"""What usually follows what: the counts behind an answer, in the terms in which a sentence can say them.

"In this graph, 41 % of the entities that did r to the subject one to three days before were the answer, n = 212": the
share is hits over trials of the statistics, of the nearest event of each type between subject and answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.universal.event_index import SIZES, class_of
from tgap.universal.statistics import Profile


class Regularity(NamedTuple):
    """Of the partners whose nearest event of a relation lay so far from the question, how many were the answer."""

    relation: int  # from the subject to the partner; inverses have their own
    first: int  # displacement of the event from the question, in time units, both ends included
    last: int
    hits: int
    trials: int
    lift: float  # log of the backed-off chance over the base rate of the relation that is asked

    @property
    def share(self) -> float:
        """Hits over trials; 0 where nothing was counted."""
        return self.hits / self.trials if self.trials else 0.0


def regularities(profile: Profile, relation: NDArray[np.int32], displacement: NDArray[np.int64]) -> list[Regularity]:
    """One for each relation among the events of a pair, from its nearest event; the most telling first."""
    found = []
    for kind in np.unique(relation).tolist():
        mine = displacement[relation == kind]
        b = class_of(int(mine[np.abs(mine).argmin()]), profile.unit)
        hits, misses = profile.counts.near_hits[kind, b], profile.counts.near_misses[kind, b]
        first, last = _bounds(b, profile.unit)
        found.append(Regularity(kind, first, last, int(hits), int(hits + misses), float(profile.near.lift[kind, b])))
    return sorted(found, key=lambda one: (-one.lift, one.relation))


def _bounds(b: int, unit: int) -> tuple[int, int]:
    """The displacements of a class; the outermost have no end, 2**30 stands for it."""
    size = abs(b - (SIZES - 1))
    if size == 0:
        return 0, 0
    near = 1 if size == 1 else unit << (size - 1)
    far = 2**30 if size == SIZES - 1 else (unit << size) - 1
    return (near, far) if b >= SIZES else (-far, -near)
