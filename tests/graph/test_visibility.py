"""What is hidden is hidden with inverse and copies, comes back, and the counts always tell what the mask shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiny import parallel_copies, repeated_times, tiny_graph
from tgap.graph import TemporalGraph, Visibility

MANY = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 10**6)


def some_facts(graph: TemporalGraph, seed: int, share: float = 0.4) -> NDArray[np.int64]:
    """Random fact ids, some twice, some -1."""
    random = np.random.default_rng(seed)
    count = int(share * graph.num_facts) + 1
    return random.integers(-1, graph.num_facts, count)


def assert_consistent(view: Visibility) -> None:
    """Degrees and pair counts are those of the mask; an edge is seen exactly if its inverse is; loops always are."""
    graph, shown = view.graph, view.mask == 1
    assert set(np.unique(view.mask)) <= {0, 1}
    np.testing.assert_array_equal(view.degree, np.bincount(graph.source[shown], minlength=graph.num_entities))
    pair = np.searchsorted(graph.pair_edge, np.arange(graph.num_edges), side="right") - 1
    np.testing.assert_array_equal(view.pair_count, np.bincount(pair[shown], minlength=len(graph.pair_source)))
    inverse = np.lexsort((graph.inverse(graph.relation), graph.time, graph.source, graph.neighbour))
    np.testing.assert_array_equal(graph.source[inverse], graph.neighbour)
    np.testing.assert_array_equal(view.mask, view.mask[inverse])
    assert shown[graph.fact < 0].all()
    if view.whole:
        assert shown.all()


def state(view: Visibility) -> list[list[int]]:
    return [view.mask.tolist(), view.degree.tolist(), view.pair_count.tolist(), [int(view.whole)]]


def test_at_first_everything_is_visible() -> None:
    view = Visibility(tiny_graph(0))
    assert_consistent(view)
    assert view.whole
    assert view.mask.all()


@MANY
@given(seed=seeds)
def test_exactly_the_edges_of_hidden_facts_are_hidden_and_come_back(seed: int) -> None:
    graph = tiny_graph(seed)
    view = Visibility(graph)
    before = state(view)
    facts = some_facts(graph, seed)
    with view.hidden(facts) as same:
        assert same is view
        assert_consistent(view)
        np.testing.assert_array_equal(view.mask == 0, np.isin(graph.fact, facts[facts >= 0]))
        assert view.whole == (facts < 0).all()
    assert state(view) == before


@MANY
@given(seed=seeds)
def test_hiding_within_hiding_comes_back_step_by_step(seed: int) -> None:
    graph = tiny_graph(seed)
    view = Visibility(graph)
    outer, inner = some_facts(graph, seed), some_facts(graph, seed + 1)
    with view.hidden(outer):
        between = state(view)
        with view.hidden(inner):  # some of these are hidden already
            assert_consistent(view)
            np.testing.assert_array_equal(view.mask == 0, np.isin(graph.fact, [f for f in [*outer, *inner] if f >= 0]))
        assert state(view) == between
    assert_consistent(view)
    assert view.whole


def test_all_copies_of_a_fact_go_together() -> None:
    graph = parallel_copies()
    with Visibility(graph).hidden(np.array([0])) as view:
        assert int((view.mask == 0).sum()) == 6
        assert view.degree.tolist() == [2, 3, 4]


def test_an_error_inside_brings_everything_back() -> None:
    view = Visibility(tiny_graph(1))
    before = state(view)
    with pytest.raises(RuntimeError, match="inside"), view.hidden(np.array([0, 1])):
        raise RuntimeError("inside")
    assert state(view) == before


@pytest.mark.parametrize("facts", [[], [-1], [-1, -1]])
def test_hiding_nothing_leaves_the_view_whole(facts: list[int]) -> None:
    view = Visibility(tiny_graph(1))
    with view.hidden(np.array(facts, np.int64)):
        assert view.whole
        assert view.mask.all()


@MANY
@given(seed=seeds, first=st.integers(-3, 14), length=st.integers(-2, 14))
def test_a_window_shows_its_days_and_the_loops(seed: int, first: int, length: int) -> None:
    graph = tiny_graph(seed)
    whole = Visibility(graph)
    view = whole.window(first, first + length)
    inside = (graph.time >= first) & (graph.time <= first + length)
    np.testing.assert_array_equal(view.mask == 1, inside | (graph.fact < 0))
    assert_consistent(view)
    assert view.whole == bool(view.mask.all())
    assert whole.whole
    assert whole.mask.all()


@MANY
@given(seed=seeds)
def test_windows_and_hidden_facts_combine(seed: int) -> None:
    graph = tiny_graph(seed)
    facts = some_facts(graph, seed)
    gone = np.isin(graph.fact, facts[facts >= 0])
    inside = ((graph.time >= 3) & (graph.time <= 8)) | (graph.fact < 0)
    with Visibility(graph).hidden(facts) as hiding:
        view = hiding.window(3, 8)
    assert_consistent(view)  # a view of its own: what the other hides comes back without it
    np.testing.assert_array_equal(view.mask == 1, inside & ~gone)
    with view.hidden(np.arange(graph.num_facts)):
        assert_consistent(view)
        assert (view.degree == 1).all()
    np.testing.assert_array_equal(view.mask == 1, inside & ~gone)
    narrower = view.window(5, 30)
    np.testing.assert_array_equal(narrower.mask == 1, inside & ~gone & ((graph.time >= 5) | (graph.fact < 0)))


def test_a_window_of_one_repeated_day() -> None:
    graph = repeated_times()
    view = Visibility(graph).window(6, 6)
    assert sorted(set(graph.time[(view.mask == 1) & (graph.fact >= 0)].tolist())) == [6]
    assert view.degree.tolist() == [2, 3, 2, 3]
