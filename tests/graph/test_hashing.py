"""The keyed hash is splitmix64's, as the definition has it, for every seed, query, step and edge."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tgap.graph.hashing import edge_hash, entity_hash, mix, pair_key, place_hash, query_keys, step_key

MANY = settings(max_examples=60, deadline=None)
word = st.integers(0, 2**64 - 1)
number = st.integers(0, 2**31 - 1)


@MANY
@given(x=word)
def test_mix(x: int) -> None:
    assert int(mix(np.uint64(x))) == oracle.mix(x)


@MANY
@given(
    seed=st.integers(0, 2**62), subject=number, relation=number, time=st.integers(-(2**31), 2**31 - 1),
    step=st.integers(1, 9), index=st.integers(0, 2**40), other=number,
)  # fmt: skip
def test_hashes_of_a_question(
    seed: int, subject: int, relation: int, time: int, step: int, index: int, other: int
) -> None:
    keys = query_keys(seed, np.array([subject, 0]), np.array([relation, 0]), np.array([time, 0]))
    assert keys.dtype == np.uint64
    key = step_key(keys[0], step)
    wanted = oracle.step_key(seed, subject, relation, time, step)
    assert int(key) == wanted
    edge = oracle.Edge(0, other, relation, subject, time, copy=2)
    pair = np.uint64(pair_key(np.uint64(key), other, subject))
    assert int(edge_hash(pair, relation, time, 2)) == oracle.edge_hash(wanted, edge)
    assert int(place_hash(np.uint64(key), index)) == oracle.place_hash(wanted, index)
    assert int(entity_hash(np.uint64(key), index)) == oracle.entity_hash(wanted, index)


def test_a_key_depends_on_every_part_of_the_question_and_on_nothing_else() -> None:
    parts = {"seed": 1, "subject": 2, "relation": 3, "time": 4}

    def key(**changes: int) -> int:
        v = {**parts, **changes}
        alone = query_keys(v["seed"], *(np.array([v[name]]) for name in ("subject", "relation", "time")))
        return int(alone[0])

    changed = {key(), *(key(**{name: 9}) for name in parts), key(subject=3, relation=2), key(time=-4)}
    assert len(changed) == 7
    many = query_keys(1, np.array([7, 2, 5]), np.array([3, 3, 0]), np.array([4, 4, 4]))
    assert int(many[1]) == key()


def test_edges_that_differ_in_anything_have_hashes_of_their_own() -> None:
    key = np.uint64(oracle.step_key(0, 1, 2, 3, 1))
    edges = {
        int(edge_hash(np.uint64(pair_key(key, source, neighbour)), relation, time, copy))
        for source in range(5)
        for neighbour in range(5)
        for relation in range(5)
        for time in range(-5, 5)
        for copy in range(3)
    }
    entities = {int(entity_hash(key, index)) for index in range(500)}
    assert len(edges | entities) == 5 * 5 * 5 * 10 * 3 + 500
