"""Reliability of probabilities: bins beside what was right, and the rising map from the one to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST = 0.01  # answers below this probability are not counted
EDGES = (LEAST, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the bins
_NARROW = (LEAST, 0.015, 0.02, 0.03, 0.04, 0.05, *(0.025 * step for step in range(3, 41)))  # bins of the map
_ENOUGH = 30  # answers that a bin of the map needs; with fewer it joins the next

Float64Array = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Bin:
    """Answers given a probability from ``low`` to ``high``."""

    low: float
    high: float
    answers: int
    mean: float  # mean probability
    right: float  # share that was right


@dataclass(frozen=True)
class Reliability:
    """Bins that hold answers, and the expected calibration error over all answers and over first answers alone."""

    bins: tuple[Bin, ...]
    error: float
    first_error: float


def reliability(probability: Float64Array, right: BoolArray, first: BoolArray) -> Reliability:
    """Bins by probability, and their distance from what was right."""
    bins = bins_of(probability, right)
    return Reliability(bins, _error(bins), _error(bins_of(probability[first], right[first])))


def bins_of(probability: Float64Array, right: BoolArray) -> tuple[Bin, ...]:
    """Bins that hold answers."""
    found = []
    for low, high in zip((0.0, *EDGES[1:-1]), EDGES[1:], strict=True):  # a calibrated probability may lie below 1 %
        inside = (probability >= low) & ((probability < high) | (high == EDGES[-1]))
        if count := int(inside.sum()):
            shown = max(low, LEAST)
            found.append(Bin(shown, high, count, float(probability[inside].mean()), float(right[inside].mean())))
    return tuple(found)


def _error(bins: Sequence[Bin]) -> float:
    total = sum(found.answers for found in bins)
    return sum(abs(found.mean - found.right) * found.answers for found in bins) / total if total else 0.0


def isotonic(probability: Float64Array, right: BoolArray) -> Knots:
    """Rising knots: means of narrow bins, those with few answers joined to the next, falling neighbours pooled."""
    number = np.searchsorted(np.array(_NARROW[1:-1]), probability, side="right")
    counts, total, hits = (np.bincount(number, weights=part) for part in (None, probability, right))
    blocks: list[Float64Array] = []  # answers, sum of their probabilities, number right
    few = np.zeros(3)
    for part in np.stack([counts, total, hits], axis=1):
        few = few + part
        if few[0] >= _ENOUGH:
            blocks.append(few)
            few = np.zeros(3)
    if few[0]:  # too few at the top join those below
        blocks.append(few + (blocks.pop() if blocks else 0))
    pooled: list[Float64Array] = []
    for block in blocks:
        pooled.append(block)
        while len(pooled) > 1 and _rate(pooled[-1]) <= _rate(pooled[-2]):
            pooled.append(pooled.pop() + pooled.pop())
    return tuple((float(given / size), float(good / size)) for size, given, good in pooled)


def _rate(block: Float64Array) -> float:
    """Part that was right."""
    return float(block[2] / block[0])


def apply(knots: Sequence[tuple[float, float]], probability: Float64Array) -> Float64Array:
    """Straight lines between the knots; below the first in proportion, above the last level."""
    given, wanted = np.array(knots).T
    lines = np.interp(probability, given, wanted)
    below = probability < given[0]
    return np.where(below, probability * (wanted[0] / given[0]), lines)
