"""Vectors of displacements, computed from the size in units of the data: one table for seconds, days and years.

A displacement of a units lies at level log2(1 + a). There is one learned node per level; between two levels the vector
is drawn in a straight line, beyond the last it is that of the last. So a table of 13 nodes serves any span, and days
and years share what they have in common.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgap.kernels.buckets import DisplacementBuckets
from tgap.universal.event_index import SIZES

SPAN = 2**30 - 1  # the largest difference that a graph holds
EXACT, OCTAVE = 16, 3


class DisplacementVectors(nn.Module):
    """Nodes of |dt| and, apart, of dt."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.size = nn.Parameter(torch.empty(SIZES, width))
        self.signed = nn.Parameter(torch.empty(2 * SIZES - 1, width))

    def forward(self, unit: int) -> tuple[Tensor, Tensor]:
        """Tables [D, d] by size and [2D-1, d] by signed size, as the kernels look them up."""
        low, share = (torch.from_numpy(array) for array in _levels(unit))
        share = share.to(self.size.dtype)
        after, before = self.signed[SIZES - 1 :], self.signed[:SIZES].flip(0)
        size, later, earlier = (
            nodes[low] * (1 - share)[:, None] + nodes[low + 1] * share[:, None] for nodes in (self.size, after, before)
        )
        return size, torch.cat([earlier[1:].flip(0), later])


def buckets() -> DisplacementBuckets:
    """The buckets of sizes that every graph shares."""
    return DisplacementBuckets.of(SPAN, EXACT, OCTAVE)


@lru_cache(maxsize=64)
def _levels(unit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The node below each bucket, and the share of the next one."""
    found = buckets()
    sizes = np.concatenate([np.arange(found.exact), found.bounds])[: found.count].astype(np.float64)
    scaled = np.where(sizes > 0, np.maximum(sizes / unit, 1.0), 0.0)
    level = np.minimum(np.log2(1 + scaled), SIZES - 1.001)
    low = np.floor(level).astype(np.int64)
    return low, (level - low).astype(np.float32)
