"""What is hidden is hidden with inverse and copies, and stays so for as long as anybody looks, whatever others see."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiny import parallel_copies, repeated_times, tiny_graph
from tgap.errors import QueryError
from tgap.graph import TemporalGraph, View, resolve
from tgap.graph.resolve import Resolver, VisibleGraph, visible_graph

MANY = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 10**6)
facts = st.lists(st.integers(-1, 15), max_size=12)
limits = st.one_of(st.none(), st.integers(-2, 14))


@st.composite
def views(draw: st.DrawFn) -> View:
    """Facts that are hidden and limits in time, any of them."""
    view = View.all().without(draw(facts))
    first, last = draw(limits), draw(limits)
    view = view if first is None else view.since(first)
    return view if last is None else view.until(last)


def expected_mask(graph: TemporalGraph, view: View) -> NDArray[np.bool_]:
    """Edge by edge, from the meaning of a view."""
    inside = ~np.isin(graph.fact, view.hidden)
    inside &= np.array([view.shows(time) for time in graph.time.tolist()], dtype=bool)
    return inside | (graph.fact < 0)


def assert_shows(visible: VisibleGraph, view: View) -> None:
    """The mask is as expected, degrees and pair counts are those of the mask, an edge is seen as its inverse is."""
    graph, shown = visible.graph, visible.mask == 1
    assert set(np.unique(visible.mask)) <= {0, 1}
    np.testing.assert_array_equal(shown, expected_mask(graph, view))
    np.testing.assert_array_equal(visible.degree, np.bincount(graph.source[shown], minlength=graph.num_entities))
    pair = np.searchsorted(graph.pair_edge, np.arange(graph.num_edges), side="right") - 1
    np.testing.assert_array_equal(visible.pair_count, np.bincount(pair[shown], minlength=len(graph.pair_source)))
    inverse = np.lexsort((graph.inverse(graph.relation), graph.time, graph.source, graph.neighbour))
    np.testing.assert_array_equal(graph.source[inverse], graph.neighbour)
    np.testing.assert_array_equal(visible.mask, visible.mask[inverse])


@MANY
@given(seed=seeds, view=views())
def test_a_graph_is_seen_as_the_view_says(seed: int, view: View) -> None:
    assert_shows(visible_graph(tiny_graph(seed), view), view)


@MANY
@given(seed=seeds, wanted=st.lists(st.tuples(views(), st.booleans()), min_size=1, max_size=12))
def test_views_follow_one_another_and_live_side_by_side(seed: int, wanted: list[tuple[View, bool]]) -> None:
    resolver = Resolver(tiny_graph(seed))
    kept: list[tuple[VisibleGraph, View]] = []
    for view, keep in wanted:
        visible = resolver.resolve(view)
        assert_shows(visible, view)
        if keep:
            kept.append((visible, view))
        del visible
        for other, its_view in kept:
            assert_shows(other, its_view)


def test_a_small_difference_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    columns = [random.integers(0, bound, 20_000) for bound in (300, 5, 300, 1000)]
    graph = TemporalGraph.build(300, 5, *columns)
    resolver, turned = Resolver(graph), []
    turn = resolve._turn

    def counted(structure: Any, arrays: Any, some: NDArray[np.int64], visible: bool) -> None:
        turned.append(len(some))
        turn(structure, arrays, some, visible)

    monkeypatch.setattr(resolve, "_turn", counted)
    resolver.resolve(View.all().without([1, 2, 3]))
    resolver.resolve(View.all().without([7]))
    assert sum(turned) == 3 + 3 + 1  # hidden, brought back, hidden
    resolver.resolve(View.all().before(500))
    turned.clear()
    resolver.resolve(View.all().before(501))
    assert sum(turned) == int((graph.time[graph.fact_edge[graph.fact_row[:-1]]] == 500).sum())


def test_arrays_are_used_again_once_nobody_looks() -> None:
    resolver = Resolver(tiny_graph(0))
    first = resolver.resolve(View.all().without([0]))
    address = first.mask.ctypes.data
    part = first.mask[2:5]
    del first
    gc.collect()
    assert resolver.resolve(View.all().without([1])).mask.ctypes.data != address  # a slice is still looked at
    del part
    gc.collect()
    assert resolver.resolve(View.all().without([1])).mask.ctypes.data == address


def test_the_whole_graph_is_resolved_once() -> None:
    resolver = Resolver(tiny_graph(0))
    assert resolver.resolve(View.all()) is resolver.resolve(View.all().until(10**6).since(-5))


def test_threads_see_their_own_views() -> None:
    resolver = Resolver(tiny_graph(3, facts=40))

    def look(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(200):
            view = (
                View.all().without(random.integers(0, resolver.graph.num_facts, 5)).until(int(random.integers(0, 13)))
            )
            assert_shows(resolver.resolve(view), view)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(look, range(4)))


@MANY
@given(seed=seeds, view=views())
def test_the_ends_of_hidden_facts_are_the_rows_that_change(seed: int, view: View) -> None:
    graph = tiny_graph(seed)
    hidden = np.isin(graph.fact, view.hidden) & (graph.fact >= 0)
    np.testing.assert_array_equal(Resolver(graph).ends(view), np.unique(graph.source[hidden]))


def test_all_copies_of_a_fact_go_together() -> None:
    visible = visible_graph(parallel_copies(), View.all().without([0]))
    assert int((visible.mask == 0).sum()) == 6
    assert visible.degree.tolist() == [2, 3, 4]


def test_a_window_of_one_repeated_day() -> None:
    graph = repeated_times()
    visible = visible_graph(graph, View.all().since(6).until(6))
    assert sorted(set(graph.time[(visible.mask == 1) & (graph.fact >= 0)].tolist())) == [6]
    assert visible.degree.tolist() == [2, 3, 2, 3]


def test_facts_that_the_graph_lacks_are_refused() -> None:
    graph = tiny_graph(1)
    with pytest.raises(QueryError, match=f"fact id {graph.num_facts} is out of range"):
        visible_graph(graph, View.all().without([0, graph.num_facts]))


def test_a_view_that_depends_on_the_query_needs_its_time() -> None:
    with pytest.raises(AssertionError, match=r"resolve view\.at"):
        visible_graph(tiny_graph(1), View.all().before_query())
