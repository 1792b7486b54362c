"""Randomness that never changes: the same numbers from the same seed in every version of Python and numpy.

Splits and the synthetic world are part of a dataset's identity (shipped weights and metrics refer to them), and
neither library promises its streams for ever. splitmix64 is a dozen lines and good enough for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from tgap.data.facts import Int64Array

T = TypeVar("T")
_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


class RandomStream:
    """A stream of random numbers from a seed."""

    def __init__(self, seed: int) -> None:
        self._state = _mix(seed & _MASK)

    def bits(self) -> int:
        """64 random bits."""
        self._state = (self._state + _STEP) & _MASK
        return _mix(self._state)

    def unit(self) -> float:
        """A number from 0 up to but not including 1."""
        return (self.bits() >> 11) / (1 << 53)

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + int(self.unit() * (high - low + 1))

    def happens(self, share: float) -> bool:
        """True with this probability."""
        return self.unit() < share

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, each equally likely."""
        return items[self.between(0, len(items) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a random order."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.between(0, last)
            result[last], result[other] = result[other], result[last]
        return result


def random_order(count: int, seed: int) -> Int64Array:
    """A random order of 0..count-1, vectorised."""
    keys = _mix_array(np.arange(count, dtype=np.uint64) + np.uint64(_mix(seed & _MASK)))
    return np.argsort(keys, kind="stable")


def _mix(value: int) -> int:
    value = (value + _STEP) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def _mix_array(value: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    value = value + np.uint64(_STEP)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
