"""Compiled look-up of a displacement's bucket."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def bucket_of(size: int, exact: int, bounds: NDArray[np.int64], buckets: int) -> int:
    """``Clock.bucket`` for one size."""
    if size >= exact:
        size = exact + np.searchsorted(bounds, size, side="right")
    return min(size, buckets - 1)
