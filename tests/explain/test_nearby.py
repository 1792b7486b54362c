"""The nearest training facts of a pair, from the subject's side."""

from __future__ import annotations

from tests.explain.small_dataset import ENTITIES, RELATIONS, small_dataset
from tgap.explain.naming import Names
from tgap.explain.nearby import nearby_facts
from tgap.scorer import Query

DATASET = small_dataset()
NAMES = Names(DATASET)


def facts(subject: str, relation: str, answer: str, time: int, count: int = 5) -> list[tuple[str, bool, int]]:
    query = Query(ENTITIES.index(subject), RELATIONS.index(relation), time)
    found = nearby_facts(DATASET.train, NAMES, query, ENTITIES.index(answer), count)
    assert all(edge.subject == subject and edge.object == answer for edge in found)
    return [(edge.relation, edge.inverse, edge.displacement) for edge in found]


def test_nearest_first_and_copies_once() -> None:
    assert facts("North Korea", "Threaten", "South Korea", 105) == [("Threaten", False, -5), ("Threaten", False, 12)]
    assert facts("North Korea", "Threaten", "South Korea", 105, count=1) == [("Threaten", False, -5)]


def test_facts_the_other_way_round_are_told_as_such() -> None:
    assert facts("Japan", "Consult", "North Korea", 131) == [("Threaten", True, 0)]


def test_only_train_is_told() -> None:
    assert facts("North Korea", "Consult", "Lonely Island", 118) == []
