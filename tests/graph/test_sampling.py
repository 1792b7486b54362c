"""Core nodes and sampled edges are those that plain sorting chooses, with ties decided by the hash."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests import oracle
from tests.tiny import from_facts, star_hub, tiny_graph
from tgap.graph import TemporalGraph, View
from tgap.graph.hashing import query_keys
from tgap.graph.resolve import VisibleGraph, visible_graph
from tgap.graph.sampling import ALL, CoreNodes, choose_core, sample_edges
from tgap.graph.subgraph import visible_adjacency

MANY = settings(max_examples=60, deadline=None)
SEED = 4
QUERIES = [(0, 1, 3), (5, 2, -7), (0, 0, 3)]
KEYS = query_keys(SEED, *(np.array(column) for column in zip(*QUERIES, strict=True)))


def key_of(query: int, step: int) -> int:
    return oracle.step_key(SEED, *QUERIES[query], step)


def coarse(random: np.random.Generator, count: int, levels: int) -> NDArray[np.float64]:
    """Values with many ties and zeros."""
    return random.integers(0, levels, count) / 4


def mass_lists(random: np.random.Generator, entities: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """A list of distinct entities, in any order, for each query; the last may be empty."""
    lengths = [int(random.integers(1, entities + 1)), int(random.integers(1, entities + 1)), int(random.integers(0, 2))]
    chosen = [random.permutation(entities)[:length] for length in lengths]
    return np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(chosen).astype(np.int32)


@MANY
@given(seed=st.integers(0, 10**6), most=st.sampled_from([1, 2, 3, 8, 50]), levels=st.sampled_from([1, 2, 3, 100]))
def test_core_nodes_are_the_entities_of_highest_mass(seed: int, most: int, levels: int) -> None:
    random = np.random.default_rng(seed)
    entities, step = 12, 2
    row, entity = mass_lists(random, entities)
    mean, degree = coarse(random, len(entity), levels), random.integers(1, 9, entities)
    core = choose_core(row, entity, mean, KEYS, step, most, np.concatenate([[0], np.cumsum(degree)]))
    assert len(core.row) == len(QUERIES) + 1
    for query in range(len(QUERIES)):
        entries = [m for m in range(row[query], row[query + 1]) if mean[m] > 0]
        entries.sort(key=lambda m: (-mean[m], oracle.entity_hash(key_of(query, step), int(entity[m]))))
        assert core.entry[core.row[query] : core.row[query + 1]].tolist() == entries[:most]
    # Room for the edges of each core node, one after the other, and of no other entity.
    lengths = degree[entity[core.entry]]
    assert core.room == lengths.sum()
    np.testing.assert_array_equal(core.start[core.entry], np.cumsum(lengths) - lengths)
    others = np.setdiff1d(np.arange(len(entity)), core.entry)
    assert (core.start[others] == -1).all()


def hashes_of(graph: TemporalGraph, key: int) -> list[int]:
    """Hash of every edge under a step's key."""
    return [oracle.edge_hash(key, edge) for edge in oracle.edges_of(graph)]


def plain_selection(
    view: VisibleGraph, chosen: list[int], value: dict[int, float], key: int, most: tuple[int, int]
) -> tuple[list[int], list[int]]:
    """Candidates and added edges by sorting."""
    graph, (sampled, added) = view.graph, most
    hashes = hashes_of(graph, key)
    candidates: list[int] = []
    for entity in chosen:
        edges = [e for e in range(int(graph.row[entity]), int(graph.row[entity + 1])) if view.mask[e]]
        candidates += sorted(edges, key=hashes.__getitem__)[: sampled or None]
    best = sorted(candidates, key=lambda e: (-value[e], hashes[e]))
    return sorted(candidates), sorted(best[:added])


@MANY
@given(
    seed=st.integers(0, 10**6),
    most=st.tuples(st.sampled_from([ALL, 1, 2, 4, 100]), st.sampled_from([1, 2, 5, 1000])),
    levels=st.sampled_from([1, 2, 4, 1000]),
    hidden=st.sampled_from([0.0, 0.3, 1.0]),
    single=st.booleans(),
)
def test_sampled_edges_are_those_that_sorting_chooses(
    seed: int, most: tuple[int, int], levels: int, hidden: float, single: bool
) -> None:
    random = np.random.default_rng(seed)
    graph = tiny_graph(seed, facts=40)
    row, entity = mass_lists(random, graph.num_entities)
    mean, step = coarse(random, len(entity), 3), 1
    core = choose_core(row, entity, mean, KEYS, step, 4, graph.row)
    attention: NDArray[np.floating] = coarse(random, core.room, levels)
    if single:
        attention = attention.astype(np.float32)
    facts = random.choice(graph.num_facts, int(hidden * graph.num_facts), replace=False)
    view = visible_graph(graph, View.all().without(facts))
    sample = sample_edges(visible_adjacency(view), core, entity, attention, KEYS, step, *most)
    for query in range(len(QUERIES)):
        entries = core.entry[core.row[query] : core.row[query + 1]]
        value = {
            int(graph.row[entity[m]]) + k: float(attention[core.start[m] + k])
            for m in entries
            for k in range(int(graph.degree[entity[m]]))
        }
        chosen = [int(entity[m]) for m in entries]
        wanted = plain_selection(view, chosen, value, key_of(query, step), most)
        candidates = sample.candidate[sample.candidate_row[query] : sample.candidate_row[query + 1]]
        added = sample.added[sample.added_row[query] : sample.added_row[query + 1]]
        assert (sorted(candidates.tolist()), sorted(added.tolist())) == wanted


@pytest.mark.parametrize("visible", [1.0, 0.5, 0.02, 0.004, 0.0])
@pytest.mark.parametrize("most", [ALL, 1, 20, 400])
def test_a_long_row_gives_its_lowest_hashes_however_much_of_it_is_hidden(visible: float, most: int) -> None:
    leaves, step = 3000, 1
    graph = star_hub(leaves)
    degree, keys = int(graph.degree[0]), KEYS[:1]
    core = CoreNodes(np.array([0, 1]), np.array([0]), np.array([0]), degree)
    hidden = np.random.default_rng(most).choice(graph.num_facts, round((1 - visible) * graph.num_facts), replace=False)
    view = visible_graph(graph, View.all().without(hidden))
    sample = sample_edges(
        visible_adjacency(view), core, np.zeros(1, np.int32), np.full(degree, 0.1), keys, step, most, 10**6
    )
    value = dict.fromkeys(range(degree), 0.1)
    wanted, _ = plain_selection(view, [0], value, key_of(0, step), (most, 10**6))
    assert sorted(sample.candidate.tolist()) == wanted


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_what_other_facts_there_are_does_not_change_the_hashes(most: int) -> None:
    """Deleting facts moves every later edge; those that stay are sampled as if the deleted ones were hidden."""
    graph = tiny_graph(5, facts=40)
    gone = np.arange(0, graph.num_facts, 3)
    edges = graph.fact_edge[graph.fact_row[:-1]]
    kept = np.setdiff1d(np.arange(graph.num_facts), gone)
    columns = (getattr(graph, name)[edges[kept]].tolist() for name in ("source", "relation", "neighbour", "time"))
    smaller = from_facts(graph.num_entities, graph.num_relations, list(zip(*columns, strict=True)))

    def said(whole: TemporalGraph, view: View) -> list[tuple[int, ...]]:
        row, entity = np.array([0, 3]), np.array([0, 1, 2], np.int32)
        core = choose_core(row, entity, np.full(3, 0.3), KEYS[:1], 1, 9, whole.row)
        flat = np.full(core.room, 0.5)
        seen = visible_adjacency(visible_graph(whole, view))
        sample = sample_edges(seen, core, entity, flat, KEYS[:1], 1, most, 4)
        columns = (whole.source, whole.relation, whole.neighbour, whole.time)
        return [tuple(int(column[edge]) for column in columns) for edge in sample.added]

    assert sorted(said(graph, View.all().without(gone))) == sorted(said(smaller, View.all()))


def hub_sample(seed: int, sampled: int, step: int = 1) -> list[int]:
    """Edges sampled from the middle of a star, all of equal attention."""
    graph = star_hub(60)
    keys = query_keys(seed, np.array([0]), np.array([0]), np.array([5]))
    degree = int(graph.degree[0])
    core = CoreNodes(np.array([0, 1]), np.array([0]), np.array([0]), degree)
    entity, attention = np.zeros(1, np.int32), np.full(degree, 0.1)
    sample = sample_edges(
        visible_adjacency(visible_graph(graph, View.all())), core, entity, attention, keys, step, sampled, 1000
    )
    return [int(edge) for edge in sample.candidate]


def test_samples_change_with_seed_and_step_and_grow_with_their_number() -> None:
    assert hub_sample(0, 10) == hub_sample(0, 10)
    assert hub_sample(0, 10) != hub_sample(1, 10)
    assert hub_sample(0, 10) != hub_sample(0, 10, step=2)
    assert set(hub_sample(0, 10)) < set(hub_sample(0, 20))


def test_every_edge_is_as_likely_as_any_other() -> None:
    rounds = 600
    counts = np.bincount(np.concatenate([hub_sample(seed, 10) for seed in range(rounds)]), minlength=61)[:61]
    expected = rounds * 10 / 61
    assert counts.sum() == rounds * 10
    assert ((counts - expected) ** 2 / expected).sum() < 110  # chi square of 60: beyond 110 in one of ten thousand


@pytest.mark.parametrize("added", [1, 3, 7])
def test_of_equal_attention_the_lowest_hashes_join(added: int) -> None:
    graph = star_hub()
    keys = query_keys(0, np.array([0]), np.array([0]), np.array([5]))
    degree = int(graph.degree[0])
    core = CoreNodes(np.array([0, 1]), np.array([0]), np.array([0]), degree)
    flat = np.full(degree, 0.25, np.float32)
    sample = sample_edges(
        visible_adjacency(visible_graph(graph, View.all())), core, np.zeros(1, np.int32), flat, keys, 1, 1000, added
    )
    key = oracle.step_key(0, 0, 0, 5, 1)
    wanted = sorted(range(degree), key=hashes_of(graph, key).__getitem__)[:added]
    assert sorted(sample.added.tolist()) == sorted(wanted)


@pytest.mark.parametrize(("numbers", "added"), [(0, 3), (2, 1), (2, 2), (2, 5), (13, 4)])
def test_attention_that_is_not_a_number_counts_as_lowest(numbers: int, added: int) -> None:
    graph = star_hub()
    keys = query_keys(0, np.array([0]), np.array([0]), np.array([5]))
    degree = int(graph.degree[0])
    assert added < degree, "the cut is reached"
    core = CoreNodes(np.array([0, 1]), np.array([0]), np.array([0]), degree)
    attention = np.full(degree, np.nan, np.float32)
    attention[:numbers] = 0.1
    sample = sample_edges(
        visible_adjacency(visible_graph(graph, View.all())),
        core,
        np.zeros(1, np.int32),
        attention,
        keys,
        1,
        1000,
        added,
    )
    key = oracle.step_key(0, 0, 0, 5, 1)
    hashes = hashes_of(graph, key)
    wanted = sorted(range(degree), key=lambda e: (np.isnan(attention[e]), hashes[e]))[:added]
    assert sorted(sample.added.tolist()) == sorted(wanted)


def test_mass_that_is_not_a_number_makes_no_core_node() -> None:
    mean = np.array([np.nan, 0.5, np.nan, 0.2])
    row, entity = np.array([0, 4, 4, 4]), np.arange(4, dtype=np.int32)
    assert choose_core(row, entity, mean, KEYS, 1, 3, np.arange(5)).entry.tolist() == [1, 3]
