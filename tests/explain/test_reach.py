from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.tiny import NAMED, NAMED_SPAN, from_facts, tiny_config
from tgap.explain.reach import distances, reach
from tgap.scorer import Query


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(1, 3))
def test_mass_arrives_exactly_where_a_walk_can(seed: int, steps: int) -> None:
    explainer = tiny_explainer(seed, steps, entities=9, facts=8)
    scores = explainer.trace(Query(0, 0, 4)).scores
    for answer in range(explainer.num_entities):
        assert reach(explainer.graph, 0, answer, steps, float(scores[answer])).reachable == (scores[answer] > 0)


def test_a_chain_is_as_long_as_it_is() -> None:
    chain = from_facts(6, 1, [(0, 0, 1, 1), (2, 0, 1, 2), (2, 0, 3, 1), (3, 0, 4, 0)])
    assert distances(chain, 0).tolist() == [0, 1, 2, 3, 4, -1]
    assert distances(chain, 0, 2).tolist() == [0, 1, 2, -1, -1, -1]
    explainer = OracleExplainer(chain, tiny_config(), span=4)
    scores = explainer.trace(Query(0, 0, 1)).scores
    far = reach(chain, 0, 4, 3, float(scores[4]))
    assert (far.distance, far.reachable, far.arrived) == (4, False, False)
    never = reach(chain, 0, 5, 3, float(scores[5]))
    assert (never.distance, never.reachable) == (None, False)


def test_a_lonely_entity_reaches_itself() -> None:
    graph = NAMED["lonely_entity"]()
    scores = OracleExplainer(graph, tiny_config(), NAMED_SPAN).trace(Query(2, 0, 4)).scores
    assert reach(graph, 2, 2, 3, float(scores[2])).reachable
    assert not reach(graph, 2, 0, 3, float(scores[0])).reachable
