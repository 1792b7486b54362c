"""TemporalGraph: every index leads where it says, for random facts and for the odd ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiny import from_facts, lonely_entity, one_edge, parallel_copies
from tgap.errors import DataError
from tgap.graph import TemporalGraph

ENTITIES, RELATIONS = 6, 3
MANY = settings(max_examples=60, deadline=None)
fact = st.tuples(
    st.integers(0, ENTITIES - 1), st.integers(0, RELATIONS - 1), st.integers(0, ENTITIES - 1), st.integers(-3, 9)
)
facts_lists = st.lists(fact, max_size=30)
NONE = [np.empty(0, np.int64)] * 4


def columns(facts: list[tuple[int, int, int, int]]) -> list[NDArray[np.int64]]:
    return list(np.array(facts, np.int64).reshape(-1, 4).T)


@MANY
@given(facts=facts_lists)
def test_the_edges_are_the_facts_their_inverses_and_the_loops(facts: list[tuple[int, int, int, int]]) -> None:
    graph = from_facts(ENTITIES, RELATIONS, facts)
    wanted = [(s, r, o, t) for s, r, o, t in facts] + [(o, r + RELATIONS, s, t) for s, r, o, t in facts]
    wanted += [(i, 2 * RELATIONS, i, 0) for i in range(ENTITIES)]
    got = zip(*(part.tolist() for part in (graph.source, graph.relation, graph.neighbour, graph.time)), strict=True)
    assert sorted(got) == sorted(wanted)
    assert graph.num_edges == 2 * len(facts) + ENTITIES
    assert graph.num_facts == len(set(facts))


@MANY
@given(facts=facts_lists)
def test_rows_and_pairs(facts: list[tuple[int, int, int, int]]) -> None:
    graph = from_facts(ENTITIES, RELATIONS, facts)
    np.testing.assert_array_equal(graph.source, np.repeat(np.arange(ENTITIES), graph.degree))
    order = np.lexsort((graph.relation, graph.time, graph.neighbour, graph.source))
    np.testing.assert_array_equal(order, np.sort(order))  # rows are sorted by neighbour, time, relation

    size = np.diff(graph.pair_edge)
    assert (size > 0).all()
    np.testing.assert_array_equal(np.repeat(graph.pair_source, size), graph.source)
    np.testing.assert_array_equal(np.repeat(graph.pair_neighbour, size), graph.neighbour)
    ends = list(zip(graph.pair_source.tolist(), graph.pair_neighbour.tolist(), strict=True))
    assert len(set(ends)) == len(ends)
    np.testing.assert_array_equal(graph.pair_source, np.repeat(np.arange(ENTITIES), np.diff(graph.pair_row)))
    np.testing.assert_array_equal(graph.pair_source[graph.pair_twin], graph.pair_neighbour)
    np.testing.assert_array_equal(graph.pair_neighbour[graph.pair_twin], graph.pair_source)
    np.testing.assert_array_equal(size[graph.pair_twin], size)


@MANY
@given(facts=facts_lists)
def test_a_fact_knows_its_edges_and_is_found_from_both_ends(facts: list[tuple[int, int, int, int]]) -> None:
    graph = from_facts(ENTITIES, RELATIONS, facts)
    assert sorted(graph.fact_edge.tolist()) == np.flatnonzero(graph.fact >= 0).tolist()
    for number in range(graph.num_facts):
        mine = graph.fact_edge[graph.fact_row[number] : graph.fact_row[number + 1]]
        assert (graph.fact[mine] == number).all()
        assert graph.relation[mine[0]] < RELATIONS  # the plain direction comes first
    s, r, o, t = columns(facts)
    found = graph.find_facts(s, r, o, t)
    np.testing.assert_array_equal(graph.find_facts(o, r + RELATIONS, s, t), found)
    first = graph.fact_edge[graph.fact_row[found]]
    got = [graph.source[first], graph.relation[first], graph.neighbour[first], graph.time[first]]
    np.testing.assert_array_equal(np.array(got), np.array([s, r, o, t]))


@MANY
@given(facts=facts_lists, asked=st.lists(fact, min_size=1, max_size=10))
def test_facts_that_are_not_there_are_not_found(
    facts: list[tuple[int, int, int, int]], asked: list[tuple[int, int, int, int]]
) -> None:
    graph = from_facts(ENTITIES, RELATIONS, facts)
    found = graph.find_facts(*columns(asked))
    assert (found >= 0).tolist() == [one in facts for one in asked]


@pytest.mark.parametrize("facts", [[], [(0, 0, 1, 2)], [(0, 0, 1, 0), (1, 0, 0, 0)]])
def test_senseless_questions_for_facts_find_nothing(facts: list[tuple[int, int, int, int]]) -> None:
    graph = from_facts(2, 1, facts)
    senseless = [(-1, 0, 1, 2), (7, 0, 1, 2), (0, 2, 0, 0), (0, 0, 1, -2), (0, 5, 1, 2), (0, -1, 1, 2), (0, 0, 1, 99)]
    assert graph.find_facts(*columns(senseless)).tolist() == [-1] * len(senseless)
    assert len(graph.find_facts(*NONE)) == 0


def test_numbers_beyond_32_bits_find_nothing() -> None:
    graph = one_edge()  # (0, 0, 1) at 2
    far = [(0, 0, 1, 2 + 2**32), (2**32, 0, 1, 2), (0, 0, 1 - 2**32, 2)]
    assert graph.find_facts(*columns(far)).tolist() == [-1, -1, -1]


@MANY
@given(facts=facts_lists, seed=st.integers(0, 1000))
def test_the_order_of_facts_does_not_matter(facts: list[tuple[int, int, int, int]], seed: int) -> None:
    shuffled = [facts[k] for k in np.random.default_rng(seed).permutation(len(facts))]
    one, two = from_facts(ENTITIES, RELATIONS, facts), from_facts(ENTITIES, RELATIONS, shuffled)
    for name, value in vars(one).items():
        np.testing.assert_array_equal(getattr(two, name), value, err_msg=name)


def test_copies_are_edges_of_their_own_and_one_fact() -> None:
    graph = parallel_copies()
    assert graph.num_facts == 3
    assert np.bincount(graph.fact[graph.fact >= 0]).tolist() == [6, 4, 2]
    pair = np.flatnonzero((graph.pair_source == 0) & (graph.pair_neighbour == 1))
    assert np.diff(graph.pair_edge)[pair].tolist() == [3]


def test_a_fact_about_one_entity_is_an_edge_and_its_inverse_beside_the_loop() -> None:
    graph = from_facts(1, 1, [(0, 0, 0, 5)])
    assert graph.relation.tolist() == [2, 0, 1]  # the loop has time 0
    assert graph.pair_twin.tolist() == [0]


def test_an_empty_graph_has_its_loops() -> None:
    graph = TemporalGraph.build(3, 2, *NONE)
    assert (graph.num_edges, graph.num_facts) == (3, 0)
    assert graph.relation.tolist() == [4, 4, 4]
    assert graph.degree.tolist() == [1, 1, 1]
    nobody = TemporalGraph.build(0, 0, *NONE)
    assert (nobody.num_edges, nobody.num_facts) == (0, 0)


def test_an_entity_without_facts_has_its_loop() -> None:
    graph = lonely_entity()
    assert graph.degree[2] == 1
    assert graph.neighbour[graph.row[2]] == 2


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ((2, 0, 0, 0), "subject id 2 is out of range; expected 0 to 1"),
        ((-1, 0, 0, 0), "subject id -1 is"),
        ((0, 0, 5, 0), "object id 5 is out of range; expected 0 to 1"),
        ((0, 3, 0, 0), "relation id 3 is out of range; expected 0 to 2"),
        ((0, -4, 0, 0), "relation id -4 is"),
        ((0, 0, 1, 2**30), r"time 1073741824 is 2\*\*30 units or more from 0; choose a coarser time unit"),
        ((0, 0, 1, -(2**30)), "time -1073741824 is"),
        ((0, 0, 1, 2**40), "coarser"),
    ],
)
def test_facts_out_of_range_are_refused(fact: tuple[int, int, int, int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_facts(2, 3, [(0, 0, 1, 4), fact])


def test_times_just_within_the_bound_are_taken_and_found() -> None:
    far = [(0, 0, 1, 2**30 - 1), (1, 0, 0, 1 - 2**30)]
    graph = from_facts(2, 1, far)
    assert graph.find_facts(*columns(far)).tolist() == [0, 1]
    assert int(graph.time.max()) - int(graph.time.min()) < 2**31


def test_the_callers_arrays_stay_as_they_are() -> None:
    given = columns([(3, 1, 0, 7), (0, 0, 1, 2), (3, 1, 0, 7)])
    before = [column.copy() for column in given]
    TemporalGraph.build(4, 2, *given)
    for column, copy in zip(given, before, strict=True):
        np.testing.assert_array_equal(column, copy)


def test_memory_stays_below_fifty_bytes_an_edge() -> None:
    random = np.random.default_rng(0)
    count = 20_000
    graph = TemporalGraph.build(
        2000, 50, random.integers(0, 2000, count), random.integers(0, 50, count), random.integers(0, 2000, count),
        random.integers(0, 365, count),
    )  # fmt: skip
    assert graph.nbytes < 50 * graph.num_edges
    assert graph.nbytes == sum(value.nbytes for value in vars(graph).values() if isinstance(value, np.ndarray))
