"""Keyed hash that decides samples and ties: a function of seed, query, step and edge, and of nothing else.

splitmix64's finaliser; see docs/model.md, Sampling. No generator is drawn from, so the choice for a query depends
neither on the batch it is in nor on the order of evaluation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel


@kernel(inline="always")
def mix(x: np.uint64) -> np.uint64:
    """One round of splitmix64."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel()
def query_keys(
    seed: int, subject: NDArray[np.int64], relation: NDArray[np.int64], time: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """[B] key of each query."""
    keys = np.empty(len(subject), np.uint64)
    for b in range(len(subject)):
        key = mix(mix(np.uint64(seed)) + np.uint64(subject[b]))
        keys[b] = mix(mix(key + np.uint64(relation[b])) + np.uint64(time[b]))
    return keys


@kernel(inline="always")
def step_key(key: np.uint64, step: int) -> np.uint64:
    """Key of a query in step t."""
    return mix(key + np.uint64(step))


@kernel(inline="always")
def edge_hash(key: np.uint64, edge: int) -> np.uint64:
    """Hash of an edge under a step's key."""
    return mix(key + np.uint64(2) * np.uint64(edge))


@kernel(inline="always")
def entity_hash(key: np.uint64, entity: int) -> np.uint64:
    """Hash of an entity under a step's key."""
    return mix(key + np.uint64(2) * np.uint64(entity) + np.uint64(1))
