"""Proof on the shipped world: the first fact that an explanation names is the planted cause."""

from __future__ import annotations

import pytest

from tgap.asking.load import load_model
from tgap.runs import shipped_runs
from tgap.studies.cause_figures import cause_figures


@pytest.mark.skipif("world" not in shipped_runs(), reason="no pretrained run of the world is shipped here")
@pytest.mark.parametrize("limit", [16, pytest.param(80, marks=pytest.mark.slow)])
def test_the_fact_of_strongest_effect_is_the_recorded_cause(limit: int) -> None:
    model = load_model("world")
    found = cause_figures(model.walker, model.dataset, limit=limit, past=True)
    assert found.right >= limit / 2
    assert found.first["effect"] >= 0.95
    assert found.first["effect"] >= found.first["attention"] > found.first["recent"] > found.first["random"]
    whole = cause_figures(model.walker, model.dataset, limit=limit)
    assert whole.first["effect"] >= 0.9  # with the future in sight, a consequence may tell more than the cause
