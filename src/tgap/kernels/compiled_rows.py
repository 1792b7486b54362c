"""What both compiled kernels do with table rows: find the bucket of a displacement, multiply two rows head by head."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.simd import Index, Vector, fold, item, load16, zero16
from tgap.kernels.structure import BucketTable

FloatArray = NDArray[np.floating]


@kernel(_nrt=False, inline="always")
def bucket_of(size: Index, buckets: BucketTable) -> Index:
    """``DisplacementBuckets.bucket`` for one size."""
    if size < len(buckets.near):
        return np.int64(item(buckets.near, size))
    if size >= buckets.exact:
        size = buckets.exact + np.searchsorted(buckets.bounds, size, side="right")
    return min(size, buckets.number - 1)


@kernel(_nrt=False, inline="always")
def dot_rows(
    left: FloatArray, at_left: Index, right: FloatArray, at_right: Index, n: int, lanes: tuple[int, ...]
) -> Vector:
    """Dot products of two rows in lane layout, one for each head."""
    even = zero16(left)
    odd = zero16(left)
    for c in range(0, n - 16, 32):
        even = even + load16(left, at_left + c) * load16(right, at_right + c)
        odd = odd + load16(left, at_left + c + 16) * load16(right, at_right + c + 16)
    if n % 32:
        even = even + load16(left, at_left + n - 16) * load16(right, at_right + n - 16)
    return fold(even + odd, lanes)
