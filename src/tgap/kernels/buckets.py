"""How a displacement becomes a row of a table: its sign and the bucket of its size (docs/model.md, Time)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tgap.kernels.structure import BucketTable

_NEAR = 2**16  # sizes below are looked up by kernels, others searched for


@dataclass(frozen=True)
class DisplacementBuckets:
    """Buckets of displacement sizes up to ``span`` units.

    >>> DisplacementBuckets.of(span=364, exact=4096, octave=8).count
    365
    """

    exact: int  # sizes below have a bucket of their own
    bounds: NDArray[np.int64]  # first sizes of the further buckets
    count: int  # D

    @classmethod
    def of(cls, span: int, exact: int, octave: int) -> DisplacementBuckets:
        """Buckets for displacements of at most ``span`` units."""
        bounds: list[int] = []
        power = 1
        while span >= exact and (not bounds or bounds[-1] <= span):
            bound = int(np.ceil(exact * 2 ** (power / octave)))
            if not bounds or bound > bounds[-1]:
                bounds.append(bound)
            power += 1
        inner = np.array([bound for bound in bounds if bound <= span], dtype=np.int64)
        last = span if span < exact else exact + len(inner)
        return cls(exact=exact, bounds=inner, count=last + 1)

    def bucket(self, size: NDArray[np.int64]) -> NDArray[np.int64]:
        """Bucket of each size >= 0."""
        beyond = self.exact + np.searchsorted(self.bounds, size, side="right")
        return np.minimum(np.where(size < self.exact, size, beyond), self.count - 1)

    @cached_property
    def table(self) -> BucketTable:
        """For kernels."""
        last = int(self.bounds[-1]) if len(self.bounds) else self.count - 1  # all sizes from here on share a bucket
        near = self.bucket(np.arange(min(last + 1, _NEAR))).astype(np.int32)
        return BucketTable(near, self.bounds, self.exact, self.count)
