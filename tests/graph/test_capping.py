"""Capped rows follow the law of docs/model.md: exact samples, equal or 1 / (1 + |dt|) chances, hidden edges never."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracle import MASK, mix, place_hash
from tests.tiny import from_facts, tiny_graph
from tgap.graph import TemporalGraph, View
from tgap.graph.capping import Cap, capped_adjacency, capped_edge_set, capped_rows
from tgap.graph.resolve import VisibleGraph, visible_graph

MANY = settings(max_examples=80, deadline=None)
ROUNDS = 3000


def hub(leaves: int) -> TemporalGraph:
    """Entity 0 with ``leaves`` facts at days 0, 1, 2, ...; its row has a self-loop more."""
    return from_facts(leaves + 1, 1, [(0, 0, leaf, leaf - 1) for leaf in range(1, leaves + 1)])


def shown(view: VisibleGraph, entity: int) -> list[int]:
    graph = view.graph
    return [edge for edge in range(int(graph.row[entity]), int(graph.row[entity + 1])) if view.mask[edge]]


def displacement(graph: TemporalGraph, edge: int, time: int) -> int:
    return 0 if graph.fact[edge] < 0 else abs(int(graph.time[edge]) - time)


def drawn(view: VisibleGraph, entity: int, time: int, cap: Cap) -> list[int]:
    """What a row keeps, from the law as it is written, with whole numbers of any size and a sort."""
    key = mix(cap.seed)
    for part in (time, cap.step, entity):
        key = mix((key + part) & MASK)
    edges = shown(view, entity)
    n, m = len(edges), cap.most
    if m == 0 or n <= m:
        return edges
    if cap.near:
        uniform = {edge: ((place_hash(key, edge) >> 11) + 0.5) / 2**53 for edge in edges}
        race = {edge: -math.log(uniform[edge]) * (1 + displacement(view.graph, edge, time)) for edge in edges}
        return sorted(sorted(edges, key=lambda edge: race[edge])[:m])
    return [edges[(k * n + key % n) // m] for k in range(m)]


def kept(view: VisibleGraph, entity: int, time: int, cap: Cap) -> list[int]:
    return [int(edge) for edge in capped_rows(view, np.array([entity]), time, cap)[1]]


@MANY
@given(
    seed=st.integers(0, 10**6),
    time=st.integers(-40, 40),
    most=st.integers(0, 14),
    near=st.booleans(),
    step=st.integers(0, 3),
    hidden=st.sampled_from([0.0, 0.2, 0.7, 1.0]),
)
def test_rows_keep_what_the_law_says(seed: int, time: int, most: int, near: bool, step: int, hidden: float) -> None:
    graph, random = tiny_graph(seed, facts=50), np.random.default_rng(seed)
    entities = np.sort(random.permutation(graph.num_entities)[: random.integers(1, graph.num_entities + 1)])
    cap = Cap(most, near, seed, step)
    facts = random.choice(graph.num_facts, int(hidden * graph.num_facts), replace=False)
    view = visible_graph(graph, View.all().without(facts))
    row, edge = capped_rows(view, entities, time, cap)
    for k, entity in enumerate(entities.tolist()):
        assert edge[row[k] : row[k + 1]].tolist() == drawn(view, entity, time, cap)


def frequencies(view: VisibleGraph, cap: Cap, time: int = 3) -> NDArray[np.float64]:
    """Share of seeds in which each edge of entity 0 is kept; the number kept is always the same."""
    degree = int(view.graph.degree[0])
    wanted = min(cap.most, int(view.degree[0]))
    samples = [kept(view, 0, time, cap._replace(seed=seed)) for seed in range(ROUNDS)]
    assert {len(sample) for sample in samples} == {wanted}
    return np.bincount(np.concatenate(samples), minlength=degree)[:degree] / ROUNDS


def assert_close_to_law(found: NDArray[np.float64], chance: NDArray[np.float64] | float) -> None:
    """Within five standard deviations of a share of ROUNDS draws."""
    assert (np.abs(found - chance) <= 5 * np.sqrt(chance * (1 - chance) / ROUNDS) + 1e-9).all(), (found, chance)


@pytest.mark.parametrize(("leaves", "most"), [(9, 8), (9, 3), (9, 1), (99, 40), (10, 10)])
def test_every_edge_of_a_row_is_kept_equally_often(leaves: int, most: int) -> None:
    found = frequencies(visible_graph(hub(leaves), View.all()), Cap(most, False, 0))
    assert_close_to_law(found, most / (leaves + 1))


@pytest.mark.parametrize("most", [2, 4, 6])
def test_every_visible_edge_is_kept_equally_often(most: int) -> None:
    graph = hub(11)
    view = visible_graph(graph, View.all().without([0, 1, 2, 7, 10]))
    found = frequencies(view, Cap(most, False, 0))
    visible = view.mask[: graph.degree[0]] == 1
    assert (found[~visible] == 0).all()
    assert_close_to_law(found[visible], most / 7)


def chances(weight: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Chance of each item to be among ``most`` draws without replacement, each proportional to weight."""
    total = np.zeros(len(weight))
    for order in permutations(range(len(weight)), most):
        chance, left = 1.0, weight.sum()
        for item in order:
            chance *= weight[item] / left
            left -= weight[item]
        total[list(order)] += chance
    return total


@pytest.mark.parametrize("most", [1, 2, 4])
def test_near_edges_are_drawn_in_proportion_to_their_nearness(most: int) -> None:
    graph, time = hub(8), 2
    view = visible_graph(graph, View.all().without([4, 6]))
    edges = np.array(shown(view, 0))
    weight = np.array([1 / (1 + displacement(graph, edge, time)) for edge in edges])
    found = frequencies(view, Cap(most, True, 0), time)
    assert_close_to_law(found[edges], chances(weight, most))
    assert found.sum() == pytest.approx(most)  # hidden edges are never kept


@pytest.mark.parametrize("near", [False, True])
def test_samples_differ_by_time_step_entity_and_seed_and_by_nothing_else(near: bool) -> None:
    graph = from_facts(62, 1, [(centre, 0, leaf, 5) for centre in (0, 1) for leaf in range(2, 62)])
    view = visible_graph(graph, View.all())

    def ranks(entity: int, time: int, seed: int = 0, step: int = 0) -> tuple[int, ...]:
        """Kept edges, counted from the start of the row; times are as far from all facts as from one another."""
        return tuple(edge - int(graph.row[entity]) for edge in kept(view, entity, time, Cap(8, near, seed, step)))

    assert len({ranks(0, time) for time in range(40)}) > 20
    assert len({ranks(0, 5, step=step) for step in range(40)}) > 20
    assert len({ranks(0, 5, seed=seed) for seed in range(40)}) > 20
    assert ranks(0, 5) != ranks(1, 5)
    assert ranks(0, -7, 3, 2) == ranks(0, -7, 3, 2)
    both = capped_rows(view, np.array([0, 1]), 5, Cap(8, near, 0, 0))[1]
    assert both.tolist() == kept(view, 0, 5, Cap(8, near, 0, 0)) + kept(view, 1, 5, Cap(8, near, 0, 0))


def test_over_times_too_every_edge_is_kept_equally_often() -> None:
    view = visible_graph(hub(9), View.all())
    samples = [kept(view, 0, time, Cap(8, False, 1)) for time in range(-ROUNDS // 2, ROUNDS // 2)]
    assert_close_to_law(np.bincount(np.concatenate(samples), minlength=10) / ROUNDS, 0.8)


@MANY
@given(seed=st.integers(0, 10**6), most=st.integers(1, 9), near=st.booleans())
def test_roads_are_the_kept_rows(seed: int, most: int, near: bool) -> None:
    graph, random = tiny_graph(seed, facts=40), np.random.default_rng(seed)
    entities = np.sort(random.permutation(graph.num_entities)[: random.integers(0, graph.num_entities + 1)])
    cap = Cap(most, near, seed, 1)
    view = visible_graph(graph, View.all().without(range(0, graph.num_facts, 4)))
    row, edge = capped_rows(view, entities, 5, cap)
    seen = capped_adjacency(view, entities, 5, cap)
    lengths = np.zeros(graph.num_entities, np.int64)
    lengths[entities] = np.diff(row)
    np.testing.assert_array_equal(np.diff(seen.row), lengths)
    np.testing.assert_array_equal(seen.degree, lengths)
    np.testing.assert_array_equal(seen.edge, edge)
    np.testing.assert_array_equal(seen.relation, graph.relation[edge])
    np.testing.assert_array_equal(seen.time, graph.time[edge])
    assert seen.mask.all()
    assert not seen.symmetric
    # Pairs: the edges of a row grouped by neighbour, no neighbour twice in a row.
    size = np.diff(seen.pair_edge)
    np.testing.assert_array_equal(seen.pair_count, size)
    assert (size > 0).all()
    np.testing.assert_array_equal(np.repeat(seen.pair_neighbour, size), graph.neighbour[edge])
    np.testing.assert_array_equal(seen.pair_edge[seen.pair_row], seen.row)
    owner = np.repeat(np.arange(graph.num_entities), np.diff(seen.pair_row))
    assert len(set(zip(owner.tolist(), seen.pair_neighbour.tolist(), strict=True))) == len(owner)


@MANY
@given(seed=st.integers(0, 10**6), most=st.integers(0, 9), signs=st.sampled_from([1, 3]), origin=st.integers(-2, 14))
def test_gathered_edges_are_the_kept_rows_seen_from_their_far_ends(
    seed: int, most: int, signs: int, origin: int
) -> None:
    graph, random = tiny_graph(seed, facts=40), np.random.default_rng(seed)
    entities = random.permutation(graph.num_entities)[:5]
    view, cap = visible_graph(graph, View.all()), Cap(most, False, seed)
    fewer = visible_graph(graph, View.all().without([0, 3]))
    (row, edge), (other, rest) = (
        capped_rows(seen, chosen, 5, cap) for seen, chosen in ((view, entities), (fewer, entities[:2]))
    )
    row, edge = np.concatenate([row, row[-1] + other[1:]]), np.concatenate([edge, rest])
    parts = [(view, entities), (fewer, entities[:2])]
    found = capped_edge_set(parts, graph.inverse(graph.relation).astype(np.int32), origin, 5, cap, signs)
    assert found.source_index is not None
    assert found.source_sign is not None
    incoming = found.incoming
    dt = np.array([0 if graph.fact[e] < 0 else int(graph.time[e]) - origin for e in edge], np.int64)
    np.testing.assert_array_equal(incoming.pair_row, row)
    np.testing.assert_array_equal(incoming.time, dt)
    np.testing.assert_array_equal(incoming.relation, graph.inverse(graph.relation[edge]))
    np.testing.assert_array_equal(found.source_index[incoming.pair_source], graph.neighbour[edge])
    np.testing.assert_array_equal(found.source_sign[incoming.pair_source], np.sign(dt) + 1 if signs > 1 else 0 * dt)
    assert len(found.source_index) == len(set(zip(found.source_sign, found.source_index, strict=True)))
    assert (np.diff(found.source_sign) >= 0).all()  # the maps of a sign are applied to a stretch of rows
