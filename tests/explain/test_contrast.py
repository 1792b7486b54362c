"""A contrast measures the distance between two answers, fact by fact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import tiny_explainer
from tests.explain.small_dataset import small_dataset
from tgap.explain.contrast import VERSION, contrast
from tgap.explain.naming import Names
from tgap.explain.schema import Question
from tgap.scorer import Query

QUERY = Query(0, 1, 4)
QUESTION = Question("A", "r", None, "day 4")


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_effects_on_the_gap_are_those_of_asking_again(seed: int) -> None:
    explainer = tiny_explainer(seed)
    trace, names = explainer.trace(QUERY), Names(small_dataset())
    one, other = np.argsort(-trace.scores)[:2].tolist()
    found = contrast(explainer, names, QUESTION, trace, (one, other), count=4)
    gap = found.probability - found.other_probability
    assert gap == pytest.approx(float(trace.scores[one] - trace.scores[other]), abs=1e-6)
    for row in (*found.speaking_for, *found.against):
        assert row.effect == pytest.approx(gap - (row.probability - row.other_probability), abs=1e-6)
    assert all(row.effect > 0 for row in found.speaking_for)
    assert all(row.effect < 0 for row in found.against)
    assert len(found.speaking_for) + len(found.against) <= found.tried
    ids = {names.fact(explainer.graph, fact, QUERY.time): fact for fact in range(explainer.graph.num_facts)}
    if found.swap:
        scores = explainer.trace(QUERY, trace.view.without([ids[fact] for fact in found.swap])).scores
        assert scores[one] < scores[other]
    assert found.sentence.count("speaks") == 2
    assert found.to_dict()["schema"] == VERSION


def test_an_answer_that_is_behind_needs_no_swap() -> None:
    explainer = tiny_explainer(3)
    trace = explainer.trace(QUERY)
    one, other = np.argsort(-trace.scores)[:2].tolist()
    found = contrast(explainer, Names(small_dataset()), QUESTION, trace, (other, one), count=3)
    assert found.swap == ()
    assert "would be ahead" not in found.sentence
