"""Buckets of displacement sizes: table look-up, compiled look-up and the definition agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracle import bucket
from tgap.jit import kernel
from tgap.kernels import buckets as module
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.compiled_rows import bucket_of
from tgap.kernels.structure import BucketTable

KINDS = [(1, 1), (1, 8), (2, 1), (3, 2), (4, 3), (5, 8), (16, 5), (100, 8), (4096, 8)]


@kernel()
def compiled_buckets(sizes: NDArray[np.int64], buckets: BucketTable, out: NDArray[np.int64]) -> None:
    for k in range(len(sizes)):
        out[k] = bucket_of(sizes[k], buckets)


def wanted(sizes: list[int], span: int, exact: int, octave: int) -> list[int]:
    """By definition, sizes beyond the span in its bucket."""
    return [bucket(min(size, span), exact, octave) for size in sizes]


@pytest.mark.parametrize(("exact", "octave"), KINDS)
@pytest.mark.parametrize("span", [0, 1, 2, 7, 50, 365, 4500])
def test_buckets_are_those_of_the_definition(
    exact: int, octave: int, span: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    buckets = DisplacementBuckets.of(span, exact, octave)
    sizes = sorted(
        {*range(12), exact - 1, exact, exact + 1, span - 1, span, span + 1, 2 * span, *range(0, span, span // 20 + 1)}
    )
    sizes = [size for size in sizes if size >= 0]
    expected = wanted(sizes, span, exact, octave)
    table = np.array(sizes, np.int64)
    assert buckets.count == bucket(span, exact, octave) + 1
    assert buckets.bucket(table).tolist() == expected
    out = np.empty_like(table)
    compiled_buckets(table, buckets.table, out)
    assert out.tolist() == expected
    monkeypatch.setattr(module, "_NEAR", 5)  # most sizes are searched for then
    compiled_buckets(table, DisplacementBuckets.of(span, exact, octave).table, out)
    assert out.tolist() == expected


@settings(max_examples=40, deadline=None)
@given(span=st.integers(0, 3000), exact=st.integers(1, 300), octave=st.integers(1, 12), size=st.integers(0, 6000))
def test_a_bucket_at_random(span: int, exact: int, octave: int, size: int) -> None:
    buckets = DisplacementBuckets.of(span, exact, octave)
    assert buckets.bucket(np.array([size])).tolist() == wanted([size], span, exact, octave)


@pytest.mark.parametrize(("exact", "octave"), KINDS)
def test_buckets_grow_with_size_and_none_is_empty(exact: int, octave: int) -> None:
    span = 3000
    buckets = DisplacementBuckets.of(span, exact, octave)
    got = buckets.bucket(np.arange(span + 1))
    assert set(np.diff(got).tolist()) <= {0, 1}
    assert np.unique(got).tolist() == list(range(buckets.count))


def test_sizes_of_64_bits_fall_into_the_last_bucket() -> None:
    buckets = DisplacementBuckets.of(1000, 16, 4)
    assert buckets.bucket(np.array([2**31, 2**40, 2**63 - 1])).tolist() == [buckets.count - 1] * 3
