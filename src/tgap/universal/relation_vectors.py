"""Vectors of relations, computed from their statistics with respect to the relation that is asked.

One row per relation r (inverses and the self-loop included) goes through a small shared network. What it reads: L of
all events and of the nearest ones and the share of events by displacement class; whether r is the relation itself, its
inverse or the self-loop; how many subjects and objects of the asked relation have an event of r at all.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor, nn

from tgap.universal.event_index import CLASSES
from tgap.universal.statistics import Floats, Profile

INPUTS = 3 * CLASSES + 12


def relation_inputs(profile: Profile) -> Floats:
    """[2R+1, INPUTS]; the last row is the self-loop's."""
    count = len(profile.roles)
    rows = np.zeros((count + 1, INPUTS), np.float32)
    trials = profile.counts.hits + profile.counts.misses
    share = trials / max(float(trials.sum()), 1.0)
    rows[:count, :CLASSES] = np.clip(profile.event.lift, -4, 7) / 3
    rows[:count, CLASSES : 2 * CLASSES] = np.clip(profile.near.lift, -4, 7) / 3
    rows[:count, 2 * CLASSES : 3 * CLASSES] = np.log(share + 1e-6) / 7 + 1
    rest = rows[:, 3 * CLASSES :]
    kind = profile.roles[:, 3]
    rest[:count, 0], rest[:count, 1], rest[count, 2] = kind == 0, kind == 1, 1
    half = count // 2
    inverse = (np.arange(count) + half) % count
    rest[:count, 3:5] = profile.roles[:, :2]
    rest[:count, 5:7] = profile.roles[inverse, :2]
    rest[:count, 7] = profile.roles[:, 2] / 7 + 1
    reliable = trials.sum(1)
    rest[:count, 8] = reliable / (reliable + 20)
    rest[:, 9:11] = profile.shares[1:]
    rest[:, 11] = profile.roles[profile.relation, 2] / 7 + 1
    return rows


class RelationVectors(nn.Module):
    """The shared network."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(INPUTS, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, width)
        )

    def forward(self, rows: Tensor) -> Tensor:
        """[2R+1, d]."""
        vectors: Tensor = self.network(rows)
        return vectors
