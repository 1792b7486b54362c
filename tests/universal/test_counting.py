"""Counts and features against plain loops over facts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.universal.plain_counts import Plain, class_by_hand, counts_by_hand, pair_features_by_hand
from tgap.graph import TemporalGraph, View
from tgap.graph.candidate_events import ByTime
from tgap.graph.resolve import visible_graph
from tgap.universal.counting import EARLIEST, LATEST, Window, count_events
from tgap.universal.event_index import CLASSES, EventIndex, class_of
from tgap.universal.features import SINGLE, candidate_features
from tgap.universal.statistics import Statistics

NO_PRIOR = np.zeros((2, 3, CLASSES), np.float32)


def random_facts(seed: int, entities: int = 7, relations: int = 3, count: int = 60, span: int = 40) -> Plain:
    """Random facts, some of them repeated, none between an entity and itself."""
    random = np.random.default_rng(seed)
    table = random.integers(0, [entities, relations, entities, span], (count, 4))
    table[table[:, 0] == table[:, 2], 2] = (table[table[:, 0] == table[:, 2], 0] + 1) % entities
    table[-8:] = table[:8]
    return Plain(relations, [(int(s), int(r), int(o), int(t)) for s, r, o, t in table])


def graph_of(plain: Plain, entities: int = 7) -> TemporalGraph:
    table = np.array(plain.facts)
    return TemporalGraph.build(entities, plain.relations, *(table[:, k] for k in range(4)))


@pytest.mark.parametrize("unit", [1, 2, 8])
def test_classes_of_displacements(unit: int) -> None:
    for displacement in [*range(-300, 300), -(10**6), 10**6, 2**29]:
        assert class_of(displacement, unit) == class_by_hand(displacement, unit)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "window", [Window(), Window(past=True), Window(5, 30, past=False), Window(EARLIEST, 25, past=True)]
)
@pytest.mark.parametrize(("unit", "other_end"), [(1, -1), (4, -1), (1, 2)])
def test_counts_are_those_of_plain_loops(seed: int, window: Window, unit: int, other_end: int) -> None:
    plain = random_facts(seed)
    index = EventIndex.of(graph_of(plain))
    for relation in range(2 * plain.relations):
        found = count_events(index, index.asked(relation), window, unit, other_end)
        expected = counts_by_hand(
            plain, plain.questions(relation), window.first, window.last, window.past, unit, other_end
        )
        for table, by_hand in zip(found[:4], expected[:4], strict=True):
            wanted = np.zeros_like(table)
            for (r, b), number in by_hand.items():
                wanted[r, b] = number
            np.testing.assert_array_equal(table, wanted)
        assert found.answers.tolist() == expected[4]


@pytest.mark.parametrize("seed", range(3))
def test_features_are_those_of_plain_loops(seed: int) -> None:
    plain = random_facts(seed)
    graph = graph_of(plain)
    index, statistics = EventIndex.of(graph), Statistics(graph, NO_PRIOR)
    random = np.random.default_rng(seed)
    entities = np.arange(graph.num_entities)
    for relation in range(2 * plain.relations):
        s, t = int(random.integers(7)), int(random.integers(-3, 45))
        hidden = [int(fact) for fact in random.choice(graph.num_facts, 5, replace=False)]
        ends = graph.fact_edge[graph.fact_row[hidden]]
        gone = {
            plain.original(*(int(column[e]) for column in (graph.source, graph.relation, graph.neighbour, graph.time)))
            for e in ends.tolist()
        }
        profile = statistics.profile(relation, Window(EARLIEST, LATEST))
        found = candidate_features(
            index, ByTime.of(graph), visible_graph(graph, View.all().without(hidden)), profile,
            np.array([s]), np.array([t]), np.array([0, len(entities)]), entities,
        )  # fmt: skip
        for o in entities[entities != s].tolist():
            for name, value in pair_features_by_hand(plain, s, relation, o, t, gone, profile.unit).items():
                assert found[o, SINGLE.index(name)] == pytest.approx(value, abs=1e-4), (name, o)


def test_what_a_question_added_can_be_taken_out_again() -> None:
    plain = random_facts(5)
    graph = graph_of(plain)
    statistics = Statistics(graph, NO_PRIOR)
    window = Window()
    whole = statistics.profile(1, window)
    asked = statistics.index.asked(1)
    rest = statistics.without(whole, asked[:3])
    expected = count_events(statistics.index, asked[3:], window, whole.unit, -1)
    for mine, other in zip(rest.counts, expected, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_chances_are_chances_and_back_off() -> None:
    profile = Statistics(graph_of(random_facts(6)), NO_PRIOR).profile(0, Window())
    for part in (profile.event, profile.near):
        assert (part.chance > 0).all()
        assert (part.chance < 1).all()
        assert np.isfinite(part.lift).all()
    trials = profile.counts.hits + profile.counts.misses
    never = trials.sum(1) == 0  # a relation pair without a single event says what others of its kind say
    assert not never.any() or np.ptp(profile.event.chance[never][2:], axis=0).max(initial=0) < 1e-6


def test_the_unit_of_days_is_a_day_and_of_seconds_minutes() -> None:
    plain = random_facts(7)
    days = Statistics(graph_of(plain), NO_PRIOR)
    seconds = Statistics(graph_of(Plain(3, [(s, r, o, 3600 * t) for s, r, o, t in plain.facts])), NO_PRIOR)
    assert days.unit(Window()) == 1
    gaps = []
    for entity in range(7):
        times = sorted({3600 * when for _, _, when, _ in plain.events(entity)})
        instants = sorted(3600 * when for _, _, when, _ in plain.events(entity))
        gaps += [late - early for early, late in pairwise(instants) if late > early]
        assert times
    wanted = float(np.median(gaps)) / 8
    assert seconds.unit(Window()) <= wanted < 2 * seconds.unit(Window())
