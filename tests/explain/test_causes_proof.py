"""Proof on the shipped world: the planted causes stand among the strongest edges."""

from __future__ import annotations

import pytest

from tgap.explain.causes import cause_figures
from tgap.predict import Predictor
from tgap.runs import shipped_runs


@pytest.mark.skipif("world" not in shipped_runs(), reason="no pretrained run of the world is shipped here")
def test_recorded_causes_are_among_the_five_strongest_edges() -> None:
    predictor = Predictor.from_run("world")
    found = cause_figures(predictor.explainer, predictor.dataset, limit=80)
    assert found.right >= 40
    assert found.some["strongest"] >= 0.9
    assert found.some["strongest"] > found.some["recent"] > found.some["random"]
