"""Keyed hash that decides samples and ties: a function of seed, query, step and fact, and of nothing else.

splitmix64's finaliser; see docs/model.md, Sampling. No generator is drawn from, so the choice for a query depends
neither on the batch it is in nor on the order of evaluation. An edge enters by what it says, not by its place in the
graph, so the choice does not depend on which other facts there are either.
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
def pair_key(key: np.uint64, source: int, neighbour: int) -> np.uint64:
    """Key of all edges from one entity to another under a step's key."""
    return mix(key + (np.uint64(source) << np.uint64(32)) + np.uint64(neighbour))


@kernel(inline="always")
def edge_hash(pair: np.uint64, relation: int, time: int, copy: int) -> np.uint64:
    """Hash of an edge under its pair's key; ``copy`` counts the copies of a fact that is there more than once."""
    return mix(pair + (np.uint64(relation) << np.uint64(32)) + np.uint64(time)) + np.uint64(copy)


@kernel(inline="always")
def place_hash(key: np.uint64, edge: int) -> np.uint64:
    """Hash of an edge by its place in the graph: for caps, whose sample of a row changes with the row anyway."""
    return mix(key + np.uint64(2) * np.uint64(edge))


@kernel(inline="always")
def entity_hash(key: np.uint64, entity: int) -> np.uint64:
    """Hash of an entity under a step's key."""
    return mix(key + np.uint64(2) * np.uint64(entity) + np.uint64(1))
