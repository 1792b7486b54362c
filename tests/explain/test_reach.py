from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.tiny import NAMED, NAMED_SPAN, from_facts, tiny_config
from tgap.explain.reach import distances, reach
from tgap.graph import View
from tgap.graph.resolve import visible_graph
from tgap.scorer import Query


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(1, 3))
def test_mass_arrives_exactly_where_a_walk_can(seed: int, steps: int) -> None:
    explainer = tiny_explainer(seed, steps, entities=9, facts=8)
    for view in (View.all(), View.all().without([0, 3]), View.all().before_query()):
        trace = explainer.trace(Query(0, 0, 4), view)
        for answer in range(explainer.num_entities):
            found = reach(explainer.graph, trace, answer)
            assert found.reachable == found.arrived == bool(trace.scores[answer] > 0)


def test_a_chain_is_as_long_as_it_is() -> None:
    chain = from_facts(6, 1, [(0, 0, 1, 1), (2, 0, 1, 2), (2, 0, 3, 1), (3, 0, 4, 0)])
    whole = visible_graph(chain, View.all())
    assert distances(whole, 0).tolist() == [0, 1, 2, 3, 4, -1]
    assert distances(whole, 0, 2).tolist() == [0, 1, 2, -1, -1, -1]
    assert distances(visible_graph(chain, View.all().until(1)), 0).tolist() == [0, 1, -1, -1, -1, -1]
    trace = OracleExplainer(chain, tiny_config(), span=4).trace(Query(0, 0, 1))
    far = reach(chain, trace, 4)
    assert (far.distance, far.reachable, far.arrived) == (4, False, False)
    never = reach(chain, trace, 5)
    assert (never.distance, never.reachable) == (None, False)


def test_a_lonely_entity_reaches_itself() -> None:
    graph = NAMED["lonely_entity"]()
    trace = OracleExplainer(graph, tiny_config(), NAMED_SPAN).trace(Query(2, 0, 4))
    assert reach(graph, trace, 2).reachable
    assert not reach(graph, trace, 0).reachable
