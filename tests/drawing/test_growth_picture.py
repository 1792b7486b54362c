from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing.test_flow_picture import many_names
from tests.explain.oracle_explainer import OracleExplainer
from tests.tiny import tiny_config, tiny_graph
from tgap.drawing.growth_picture import growth_drawing, growth_panels
from tgap.drawing.rendering import drawing_figure, render
from tgap.explain.naming import Names
from tgap.scorer import Query


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_panels_tell_what_was_sampled(seed: int) -> None:
    graph = tiny_graph(seed, entities=20, relations=3, facts=60)
    config = tiny_config(core_nodes=2, sampled_edges=3, added_edges=2)
    trace = OracleExplainer(graph, config, span=12, seed=seed).trace(Query(0, 1, 6))
    panels = growth_panels(Names(many_names(20)), graph, trace)
    assert len(panels) == 2  # nothing is sampled after the last step
    inside = {0}
    for panel, step in zip(panels, trace.steps, strict=False):
        assert sum(wire.state == "added" for wire in panel.wires) == len(step.added)
        assert len(panel.keys) == len(step.added)
        core = [spot.label for spot in panel.spots if spot.core]
        assert len(core) == len(step.core)
        joining = sum(spot.state == "joins" for spot in panel.spots)
        assert joining == len(set(step.subgraph.tolist()) - inside)
        inside = set(step.subgraph.tolist())
        for one, other in itertools.combinations(panel.spots, 2):
            assert abs(one.x - other.x) > 100 or abs(one.y - other.y) >= 40


def test_a_large_sample_shows_the_strongest_and_says_so() -> None:
    graph = tiny_graph(4, entities=20, relations=3, facts=80)
    config = tiny_config(core_nodes=6, sampled_edges=20, added_edges=15)
    trace = OracleExplainer(graph, config, span=12).trace(Query(0, 1, 6))
    first, second = growth_panels(Names(many_names(20)), graph, trace, most=4)
    assert sum(wire.state == "added" for wire in second.wires) == 4
    assert "(the 4 strongest added and 4 other candidates are shown)" in second.title
    assert render(drawing_figure(growth_drawing("Growing subgraph", (first, second))), "png").startswith(b"\x89PNG")


def test_a_walk_without_subgraph_has_no_panels() -> None:
    graph = tiny_graph(4, entities=8, relations=3, facts=20)
    trace = OracleExplainer(graph, tiny_config(subgraph=False), span=12).trace(Query(0, 1, 6))
    assert growth_panels(Names(many_names(8)), graph, trace) == ()
