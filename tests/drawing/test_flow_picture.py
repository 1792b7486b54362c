from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer
from tests.explain.small_dataset import ENTITIES, small_dataset
from tests.tiny import tiny_config, tiny_graph
from tgap.data import Dataset, Facts, Timeline, Vocabulary
from tgap.drawing.flow_picture import Picture, flow_drawing, flow_picture
from tgap.drawing.rendering import drawing_figure, render
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.naming import Names
from tgap.scorer import Query


def many_names(entities: int) -> Dataset:
    nothing = Facts.of([])
    names = [f"Entity number {place} with a rather long name" for place in range(entities)]
    relations = Vocabulary(["a", "b", "a relation with a name that is longer than anything"], "relation")
    line = Timeline("day", 16071, 16435)
    return Dataset("many", Vocabulary(names, "entity"), relations, line, nothing, nothing, nothing)


def random_picture(seed: int) -> Picture:
    graph = tiny_graph(seed, entities=25, relations=3, facts=90)
    explainer = OracleExplainer(graph, tiny_config(), span=12, seed=seed)
    trace = explainer.trace(Query(0, 1, 6))
    flow = AnswerFlow.of(graph, trace, int(trace.scores.argmax()))
    return flow_picture(Names(many_names(25)), flow, "question")


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_nothing_overlaps(seed: int) -> None:
    picture = random_picture(seed)
    assert 1 <= len(picture.lanes) <= 12  # one, where the answer is the subject by way of its self-loop
    heights = [lane.y for lane in picture.lanes]
    assert len(set(heights)) == len(heights)
    for one, other in itertools.combinations(picture.dots, 2):
        assert math.hypot(one.x - other.x, one.y - other.y) > one.radius + other.radius
    badges = [ribbon.badge for ribbon in picture.ribbons if ribbon.number is not None]
    close = [math.dist(one, other) for one, other in itertools.combinations(badges, 2)]
    assert (
        min(close, default=math.inf) > 12
    )  # numbers of radius 9 may touch on a crowded crossing, never cover each other
    numbers = [key.number for _, keys in picture.keys for key in keys]
    assert numbers == list(range(1, len(badges) + 1))
    assert all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in badges)
    assert all(len(lane.label) <= 30 for lane in picture.lanes)


def test_the_answer_is_there_and_is_reached() -> None:
    explainer = OracleExplainer(tiny_graph(5, entities=25, relations=3, facts=90), tiny_config(), span=12)
    trace = explainer.trace(Query(0, 1, 6))
    worst = int(min((s, n) for n, s in enumerate(trace.scores.tolist()) if s > 0)[1])
    picture = flow_picture(Names(many_names(25)), AnswerFlow.of(explainer.graph, trace, worst), "question")
    lane = next(lane for lane in picture.lanes if lane.role == "answer")
    assert lane.title == f"Entity number {worst} with a rather long name"
    last = picture.columns[-1][0]
    arriving = [
        ribbon
        for ribbon in picture.ribbons
        if ribbon.points[-1][0] > last - 30 and abs(ribbon.points[-1][1] - lane.y) < 30
    ]
    assert arriving


def test_the_picture_is_the_same_every_time() -> None:
    assert random_picture(3) == random_picture(3)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_files_are_the_same_every_time(ending: str) -> None:
    picture = random_picture(1)
    content = render(drawing_figure(flow_drawing(picture)), ending)
    assert content == render(drawing_figure(flow_drawing(picture)), ending)
    assert len(content) > 5000


def test_an_entity_alone_can_be_drawn() -> None:
    dataset = small_dataset()
    explainer = OracleExplainer(tiny_graph(1, entities=8, relations=3, facts=0), tiny_config(), span=12)
    lonely = ENTITIES.index("Lonely Island")
    flow = AnswerFlow.of(explainer.graph, explainer.trace(Query(lonely, 0, 4)), lonely)
    picture = flow_picture(Names(dataset), flow, "question")
    assert [lane.label for lane in picture.lanes] == ["Lonely Island"]
    assert {ribbon.kind for ribbon in picture.ribbons} == {"stay"}
    render(drawing_figure(flow_drawing(picture)), "png")
