from __future__ import annotations

import threading
import time
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.tiny import tiny_config, tiny_graph
from tgap.errors import QueryError
from tgap.explain import profile
from tgap.explain.profile import query_profile
from tgap.graph import View
from tgap.graph.resolve import visible_graph
from tgap.graph.view import WHOLE
from tgap.pauses import pausing
from tgap.scorer import Query, QueryBatch, Trace
from tgap.studies import relation_profiles
from tgap.studies.relation_profiles import queries_profile


def by_loops(
    explainer: OracleExplainer, queries: list[Query], view: View
) -> tuple[dict[tuple[int, int], float], dict[int, int]]:
    """Attention by (relation, displacement) and base by displacement, written out."""
    graph = explainer.graph
    attention: dict[tuple[int, int], float] = defaultdict(float)
    base: dict[int, int] = defaultdict(int)
    for query in queries:
        trace = explainer.trace(query, view)
        visible = np.flatnonzero(visible_graph(graph, view.at(query.time)).mask)
        for step in trace.steps:
            for place in range(len(step.edge)):
                dt = int(step.time[place]) - query.time
                share = float(step.attention[place].mean()) / len(trace.steps) / len(queries)
                attention[int(step.relation[place]), dt] += share
        near = {query.subject}
        for _ in range(len(trace.steps) - 1):
            near |= {int(graph.neighbour[e]) for e in visible if int(graph.source[e]) in near}
        for edge in visible:
            if graph.fact[edge] >= 0 and int(graph.source[edge]) in near:
                base[int(graph.time[edge]) - query.time] += 1
    return attention, base


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    steps=st.integers(1, 3),
    view=st.sampled_from([View.all(), View.all().without([0, 3, 4]).until(9), View.all().before_query()]),
)
def test_profile_agrees_with_plain_counting(seed: int, steps: int, view: View) -> None:
    explainer = tiny_explainer(seed, steps, entities=9, facts=8)
    queries = [Query(0, 0, 4), Query(3, 1, 40), Query(0, 0, 4), Query(5, 2, -2)]  # one twice, two off the timeline
    found = queries_profile(explainer, QueryBatch.of(queries), view=view)
    attention, base = by_loops(explainer, queries, view)
    loop = explainer.graph.loop_relation
    assert found.queries == 4
    assert found.unit == 1
    assert found.self_loops == pytest.approx(sum(share for (r, _), share in attention.items() if r == loop), abs=1e-6)
    assert found.attention.sum() + found.self_loops == pytest.approx(1.0, abs=1e-5)
    for place, dt in enumerate(found.displacement.tolist()):
        assert found.base[place] == base[dt]
        for relation in range(loop):
            assert found.by_relation[relation, place] == pytest.approx(attention[relation, dt], abs=1e-6)
    assert set(found.displacement.tolist()) >= {dt for dt, number in base.items() if number}


def test_one_query_is_a_batch_of_one() -> None:
    explainer = tiny_explainer(5)
    query = Query(1, 1, 6)
    for view in (View.all().before_query(), View.all()):
        alone = query_profile(explainer.graph, explainer.trace(query, view))
        batch = queries_profile(explainer, QueryBatch.of([query]), view=view)
        assert np.allclose(alone.attention, batch.attention)
        assert alone.base.tolist() == batch.base.tolist()
    assert sum(alone.by_sign(alone.base).values()) == alone.base.sum()
    strongest = alone.strongest_relations(2)
    assert strongest[0][1] >= strongest[1][1]


def test_a_long_timeline_shares_bins_but_never_the_present(monkeypatch: pytest.MonkeyPatch) -> None:
    explainer = tiny_explainer(2)
    queries = QueryBatch.of([Query(0, 0, 6)])
    fine = queries_profile(explainer, queries)
    monkeypatch.setattr(profile, "_CELLS", 20)
    coarse = queries_profile(explainer, queries)
    assert coarse.unit > 1
    assert coarse.by_sign(coarse.attention) == pytest.approx(fine.by_sign(fine.attention))
    assert coarse.by_sign(coarse.base) == fine.by_sign(fine.base)


def test_where_pauses_are_heard_questions_are_walked_in_this_thread() -> None:
    seen: set[int] = set()

    class Watched(OracleExplainer):
        def trace(self, query: Query, view: View = WHOLE) -> Trace:
            seen.add(threading.get_ident())
            return super().trace(query, view)

    explainer = Watched(tiny_graph(4, entities=8, relations=2, facts=20), tiny_config(), span=12)
    queries = QueryBatch.of([Query(0, 0, 6), Query(1, 1, 3), Query(0, 0, 6)])
    with pausing(lambda: None):
        found = queries_profile(explainer, queries)
    assert seen == {threading.get_ident()}
    expected = queries_profile(explainer, queries)
    assert len(seen) > 1
    np.testing.assert_array_equal(found.attention, expected.attention)
    np.testing.assert_array_equal(found.base, expected.base)


class PastOnly(OracleExplainer):
    """Sees only what lies before a question, whatever it is asked to see."""

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        return super().trace(query, view.within(View.all().before_query()))


def test_the_base_is_what_the_model_could_see() -> None:
    explainer = PastOnly(tiny_graph(4, entities=8, relations=2, facts=20), tiny_config(), span=12)
    found = queries_profile(explainer, QueryBatch.of([Query(0, 0, 6), Query(1, 1, 3)]))
    assert found.by_sign(found.base)["past"] > 0
    assert found.by_sign(found.base)["future"] == found.by_sign(found.base)["present"] == 0


def test_progress_sees_every_distinct_query() -> None:
    explainer = tiny_explainer(2)
    seen: list[tuple[int, int]] = []
    queries = QueryBatch.of([Query(0, 0, 6), Query(0, 0, 6), Query(1, 0, 6)])
    queries_profile(explainer, queries, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


class Unpunctual(OracleExplainer):
    """Earlier questions take longer, so that walks end in another order than they begin."""

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        found = super().trace(query, view)
        time.sleep(0.002 * (9 - query.time))
        return found


def test_sums_do_not_depend_on_which_walk_ends_first(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = tiny_graph(3, entities=8, relations=2, facts=20)
    queries = QueryBatch.of([Query(place % 8, place % 4, place) for place in range(9)])
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(relation_profiles, "_WALKERS", threads)
        found.append(queries_profile(Unpunctual(graph, tiny_config(), span=12), queries))
    one, several = found
    assert one.by_relation.tobytes() == several.by_relation.tobytes()
    assert one.self_loops == several.self_loops


def test_a_failure_in_a_walk_is_heard() -> None:
    class Broken(OracleExplainer):
        def trace(self, query: Query, view: View = WHOLE) -> Trace:  # noqa: ARG002
            raise QueryError("no")

    explainer = Broken(tiny_graph(3, entities=8, relations=2, facts=20), tiny_config(), span=12)
    with pytest.raises(QueryError, match="no"):
        queries_profile(explainer, QueryBatch.of([Query(0, 0, 6), Query(1, 0, 6)]))
