"""Subgraphs grow by the added edges and their ends, and SGNN's edge set holds exactly their edges."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiny import tiny_graph
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import visible_graph
from tgap.graph.subgraph import Subgraphs, compact_edge_set, find_entries, visible_adjacency, whole_edge_set
from tgap.kernels.structure import EdgeSet

MANY = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 10**6)
SUBJECTS = np.array([3, 0, 3])
TIMES = np.array([5, 2, -4])


def additions(graph: TemporalGraph, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Some edges for each of three queries; the second may get none."""
    random = np.random.default_rng(seed)
    lists = [random.choice(graph.num_edges, size, replace=False) for size in (6, random.integers(0, 3), 9)]
    return np.concatenate([[0], np.cumsum([len(some) for some in lists])]), np.concatenate(lists)


def part(row: NDArray[np.int64], values: NDArray[np.integer], query: int) -> list[int]:
    found: list[int] = values[row[query] : row[query + 1]].tolist()
    return found


def grown(graph: TemporalGraph, seed: int, steps: int) -> tuple[Subgraphs, list[set[int]], list[set[int]]]:
    """Subgraphs after some steps, and the entities and edges they should have."""
    subgraphs = Subgraphs.start(SUBJECTS)
    entities: list[set[int]] = [{int(subject)} for subject in SUBJECTS]
    edges: list[set[int]] = [set(), set(), set()]
    for step in range(steps):
        row, added = additions(graph, seed + step)
        subgraphs = subgraphs.grow(graph, row, added)
        for query in range(3):
            for edge in part(row, added, query):
                edges[query].add(edge)
                entities[query] |= {int(graph.source[edge]), int(graph.neighbour[edge])}
    return subgraphs, entities, edges


def test_the_start_is_the_subject_alone() -> None:
    start = Subgraphs.start(SUBJECTS)
    assert start.entity.tolist() == [3, 0, 3]
    assert start.query.tolist() == [0, 1, 2]
    assert start.edge_row.tolist() == [0, 0, 0, 0]
    assert len(start.edge) == 0
    assert start.origin.tolist() == [-1, -1, -1]


@MANY
@given(seed=seeds, steps=st.integers(1, 4))
def test_subgraphs_hold_the_added_edges_once_and_their_ends(seed: int, steps: int) -> None:
    graph = tiny_graph(seed)
    subgraphs, entities, edges = grown(graph, seed, steps)
    for query in range(3):
        mine = part(subgraphs.row, subgraphs.entity, query)
        assert len(set(mine)) == len(mine)
        assert set(mine) == entities[query]
        assert part(subgraphs.edge_row, subgraphs.edge, query) == sorted(edges[query])
    np.testing.assert_array_equal(subgraphs.query, np.repeat([0, 1, 2], np.diff(subgraphs.row)))


@MANY
@given(seed=seeds)
def test_every_entity_knows_where_it_stood_before(seed: int) -> None:
    graph = tiny_graph(seed)
    before, _, _ = grown(graph, seed, 2)
    after = before.grow(graph, *additions(graph, seed + 7))
    stayed = after.origin >= 0
    np.testing.assert_array_equal(after.entity[stayed], before.entity[after.origin[stayed]])
    np.testing.assert_array_equal(after.query[stayed], before.query[after.origin[stayed]])
    assert sorted(after.origin[stayed].tolist()) == list(range(len(before.entity)))
    for query in range(3):
        fresh = set(after.entity[(after.query == query) & ~stayed].tolist())
        assert not fresh & set(part(before.row, before.entity, query))


def test_growing_leaves_the_subgraphs_before_alone() -> None:
    graph = tiny_graph(3)
    start = Subgraphs.start(SUBJECTS)
    start.grow(graph, *additions(graph, 1))
    assert start.entity.tolist() == [3, 0, 3]
    assert start.row.tolist() == [0, 1, 2, 3]


def test_adding_nothing_changes_nothing() -> None:
    graph = tiny_graph(3)
    before, _, _ = grown(graph, 3, 2)
    after = before.grow(graph, np.zeros(4, np.int64), np.empty(0, np.int64))
    np.testing.assert_array_equal(after.entity, before.entity)
    np.testing.assert_array_equal(after.edge, before.edge)
    np.testing.assert_array_equal(after.origin, np.arange(len(before.entity)))


def flat(edges: EdgeSet, signs: int) -> list[tuple[int, int, int, int, int]]:
    """(source, target, relation, dt, sign) of every visible edge of a set; sources as its index names them."""
    incoming = edges.incoming
    found = []
    for target in range(edges.num_targets):
        for pair in range(incoming.pair_row[target], incoming.pair_row[target + 1]):
            assert incoming.pair_target[pair] == target
            for edge in range(incoming.pair_edge[pair], incoming.pair_edge[pair + 1]):
                if not incoming.mask[edge]:
                    continue
                relation = int(incoming.relation[edge])
                dt = 0 if relation == edges.loop else int(incoming.time[edge]) - edges.origin
                sign = int(np.sign(dt)) + 1 if signs > 1 else 0
                source = int(incoming.pair_source[pair])
                if edges.source_index is not None and edges.source_sign is not None:
                    assert edges.source_sign[source] == sign
                    source = int(edges.source_index[source])
                found.append((source, target, relation, dt, sign))
    return sorted(found)


@MANY
@given(seed=seeds, count=st.integers(0, 40), signs=st.sampled_from([1, 3]), sources=st.sampled_from([5, 4000]))
def test_senders_are_numbered_in_order_of_sign_and_source(seed: int, count: int, signs: int, sources: int) -> None:
    """The few senders of many sources are sorted, the many of few are looked up: the numbers are the same."""
    random = np.random.default_rng(seed)
    source, dt = random.integers(0, sources, count), random.integers(-2, 3, count)
    row, relation = np.array([0, count]), random.integers(0, 3, count).astype(np.int32)
    edges = compact_edge_set(row, source, relation, dt, signs, sources, 9)
    sign = np.sign(dt) + 1 if signs > 1 else np.zeros_like(dt)
    senders = sorted(set(zip(sign.tolist(), source.tolist(), strict=True)))
    assert edges.source_sign is not None
    assert edges.source_index is not None
    assert list(zip(edges.source_sign.tolist(), edges.source_index.tolist(), strict=True)) == senders
    wanted = [senders.index(pair) for pair in zip(sign.tolist(), source.tolist(), strict=True)]
    assert edges.incoming.pair_source.tolist() == wanted
    assert edges.incoming.time.tolist() == dt.tolist()
    assert_sources_lead_back(edges)


def assert_sources_lead_back(edges: EdgeSet) -> None:
    """The pairs listed under a source row are those that name it."""
    incoming = edges.incoming
    assert sorted(incoming.source_pair.tolist()) == list(range(len(incoming.pair_source)))
    for source in range(len(incoming.source_row) - 1):
        pairs = incoming.source_pair[incoming.source_row[source] : incoming.source_row[source + 1]]
        assert (incoming.pair_source[pairs] == source).all()


@MANY
@given(seed=seeds, signs=st.sampled_from([1, 3]))
def test_the_edge_set_of_subgraphs(seed: int, signs: int) -> None:
    graph = tiny_graph(seed)
    subgraphs, _, edges = grown(graph, seed, 2)
    place = {key: q for q, key in enumerate(zip(subgraphs.query.tolist(), subgraphs.entity.tolist(), strict=True))}
    wanted = []
    for query in range(3):
        for edge in edges[query]:
            relation = int(graph.relation[edge])
            dt = 0 if graph.fact[edge] < 0 else int(graph.time[edge] - TIMES[query])
            ends = place[query, int(graph.source[edge])], place[query, int(graph.neighbour[edge])]
            wanted.append((*ends, relation, dt, int(np.sign(dt)) + 1 if signs > 1 else 0))
    got = subgraphs.edge_set(graph, TIMES, signs)
    assert got.num_targets == len(subgraphs.entity)
    assert got.num_edges == sum(len(some) for some in edges)
    assert flat(got, signs) == sorted(wanted)
    assert_sources_lead_back(got)


def test_the_edge_set_of_subgraphs_without_edges() -> None:
    graph = tiny_graph(0)
    got = Subgraphs.start(SUBJECTS).edge_set(graph, TIMES, 3)
    assert (got.num_targets, got.num_edges) == (3, 0)
    assert flat(got, 3) == []


@MANY
@given(seed=seeds, origin=st.integers(-1, 13))
def test_the_edge_set_of_the_whole_graph_is_its_visible_edges(seed: int, origin: int) -> None:
    graph = tiny_graph(seed)
    view = visible_graph(graph, View.all().without(range(0, graph.num_facts, 3)))
    got = whole_edge_set(view, graph.inverse(graph.relation).astype(np.int32), origin)
    wanted = []
    for edge in np.flatnonzero(view.mask):
        dt = 0 if graph.fact[edge] < 0 else int(graph.time[edge]) - origin
        ends = int(graph.source[edge]), int(graph.neighbour[edge])
        wanted.append((*ends, int(graph.relation[edge]), dt, int(np.sign(dt)) + 1))
    assert flat(got, 3) == sorted(wanted)
    assert_sources_lead_back(got)


def test_everything_is_every_entity_for_one_query() -> None:
    everything = Subgraphs.everything(4)
    assert everything.entity.tolist() == [0, 1, 2, 3]
    assert everything.query.tolist() == [0, 0, 0, 0]
    assert everything.origin.tolist() == [0, 1, 2, 3]


def test_roads_are_the_graph_as_it_is_seen() -> None:
    graph = tiny_graph(2)
    view = visible_graph(graph, View.all().since(3).until(8))
    seen = visible_adjacency(view)
    np.testing.assert_array_equal(seen.mask, view.mask)
    np.testing.assert_array_equal(seen.degree, view.degree)
    np.testing.assert_array_equal(seen.pair_count, view.pair_count)
    np.testing.assert_array_equal(seen.row, graph.row)
    assert seen.symmetric
    assert len(seen.edge) == 0


@MANY
@given(seed=seeds)
def test_entries_are_found_in_their_own_query_only(seed: int) -> None:
    random = np.random.default_rng(seed)
    lists = [random.permutation(9)[: random.integers(0, 9)] for _ in range(3)]
    row = np.concatenate([[0], np.cumsum([len(some) for some in lists])])
    entity = np.concatenate(lists).astype(np.int32)
    query = np.sort(random.integers(0, 3, 15))
    wanted = random.integers(0, 9, 15).astype(np.int32)
    got = find_entries(row, entity, query, wanted, 9)
    for entry, b, entity in zip(got.tolist(), query.tolist(), wanted.tolist(), strict=True):
        place = np.flatnonzero(lists[b] == entity)
        assert entry == (row[b] + place[0] if len(place) else -1)
