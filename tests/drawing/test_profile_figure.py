from __future__ import annotations

from tests.drawing.test_flow_picture import many_names
from tests.explain.oracle_explainer import tiny_explainer
from tgap.drawing.profile_figure import Panel, profile_figure
from tgap.drawing.rendering import render
from tgap.explain.naming import Names
from tgap.explain.tables import profile_table
from tgap.scorer import Query, QueryBatch
from tgap.studies.relation_profiles import queries_profile


def test_a_row_of_panels_for_each_profile() -> None:
    explainer = tiny_explainer(3, entities=9, facts=30)
    names = Names(many_names(9))
    profile = profile_table(names, queries_profile(explainer, QueryBatch.of([Query(0, 0, 4), Query(1, 0, 8)])))
    figure = profile_figure([Panel("a: 2 questions", profile), Panel("$b_1$: 2 questions", profile)], limit=3)
    assert len(figure.axes) == 4
    svg = render(figure, "svg").decode()
    assert "$b_1$: 2 questions" in svg
    assert "beyond ±3" in svg
    assert "self-loops" in svg


def test_an_entity_without_facts_has_an_empty_panel() -> None:
    explainer = tiny_explainer(0, entities=9, facts=1)
    lonely = next(node for node in range(9) if explainer.graph.degree[node] == 1)
    profile = profile_table(Names(many_names(9)), queries_profile(explainer, QueryBatch.of([Query(lonely, 0, 4)])))
    assert profile.self_loops == 1.0
    assert render(profile_figure([Panel("nothing", profile)]), "png").startswith(b"\x89PNG")
