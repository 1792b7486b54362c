"""Queries of a batch with the same (s, r, t) walk once, however many answers they have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.model.tiny_models import batch_of, model_of
from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.graph import View
from tgap.model import tgap as tgap_module
from tgap.model.forward import ForwardPass
from tgap.model.tgap import TGAP
from tgap.scorer import QueryBatch


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """Every (s, r, t) that is walked, as often as it is."""
    seen: list[tuple[int, int, int]] = []

    class Counted(ForwardPass):
        def __init__(self, model: TGAP, queries: QueryBatch, *others: Any, **named: Any) -> None:
            columns = (queries.subject.tolist(), queries.relation.tolist(), queries.time.tolist())
            seen.extend(zip(*columns, strict=True))
            super().__init__(model, queries, *others, **named)

    monkeypatch.setattr(tgap_module, "ForwardPass", Counted)
    return seen


@pytest.mark.parametrize("walk_cap", [0, 3])
def test_queries_that_differ_only_in_the_answer_walk_once(walked: list[tuple[int, int, int]], walk_cap: int) -> None:
    config = tiny_config(walk_cap=walk_cap)
    graph = tiny_graph(5, facts=60)
    model = model_of(config, graph, 12, random_parameters(config, 8, 3, 12, 5))
    view = View.all()
    asked = [(0, 1, 4), (2, 0, 4), (0, 1, 4), (0, 1, 9), (0, 1, 4), (2, 0, 4)]
    answers = np.array([3, 5, 2, 3, 3, 1])
    together = model.loss(batch_of(*asked), answers, view, 7).value.item()
    assert sorted(walked) == sorted(set(asked))
    alone = [
        model.loss(batch_of(query), answers[place : place + 1], view, 7).value.item()
        for place, query in enumerate(asked)
    ]
    assert together == pytest.approx(np.mean(alone), rel=1e-9)
