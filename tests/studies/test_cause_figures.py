from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from tests.explain.small_dataset import small_dataset, small_explainer
from tgap.data import Cause, Dataset
from tgap.graph import View
from tgap.graph.view import WHOLE
from tgap.scorer import Query, Trace
from tgap.studies.cause_figures import cause_figures
from tgap.studies.orders import ORDERS


def with_causes(causes: dict[int, Cause]) -> Dataset:
    return replace(small_dataset(), causes=MappingProxyType(causes))


class Sure:
    """The small explainer, sure of one answer: only scores are changed, the walk stays."""

    def __init__(self, dataset: Dataset, answer: int) -> None:
        self.inner = small_explainer(dataset)
        self.graph = self.inner.graph
        self.name, self.num_entities, self.num_relations = "sure", self.inner.num_entities, self.inner.num_relations
        self.score, self.kind = self.inner.score, self.inner.kind
        self.score_each = self.inner.score_each
        self.setting, self.with_context = self.inner.setting, self.inner.with_context
        self.restricted_to = self.inner.restricted_to
        self.answer = answer

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        trace = self.inner.trace(query, view)
        scores = np.zeros_like(trace.scores)
        scores[self.answer] = 1.0
        return replace(trace, scores=scores)


def test_a_cause_in_sight_is_found_and_shares_add_up() -> None:
    base = small_dataset()
    fact = base.test[0]  # North Korea threatens South Korea
    nearby = base.train[2]  # the same, a day before
    dataset = with_causes({0: Cause("again", (nearby,))})
    found = cause_figures(Sure(dataset, fact.object), dataset, within=20)
    assert (found.facts, found.right, found.within) == (1, 1, 20)
    assert found.some == dict.fromkeys(ORDERS, 1.0)  # 20 facts are all facts of the entity
    assert found.all["effect"] == 1.0
    assert found.by_rule == {"again": (1, found.first["effect"])}
    assert found.first["recent"] == 1.0


def test_a_wrong_answer_and_a_cause_outside_the_graph_do_not_count() -> None:
    base = small_dataset()
    unseen = base.test[1]
    dataset = with_causes({0: Cause("again", (base.train[2],)), 1: Cause("hidden", (unseen,))})
    found = cause_figures(Sure(dataset, 0), dataset)
    assert (found.facts, found.right) == (1, 0)
    assert found.some["effect"] == 0.0


def test_another_true_answer_of_the_day_steps_aside() -> None:
    base = small_dataset()
    dataset = with_causes({0: Cause("again", (base.train[2],))})
    japan = base.entities.id("Japan")  # valid holds Japan for the same question
    explainer = Sure(dataset, japan)
    found = cause_figures(explainer, dataset)
    assert found.right == 0  # Japan steps aside, but all others tie at zero
    assert cause_figures(explainer, dataset, limit=1).facts == 1
