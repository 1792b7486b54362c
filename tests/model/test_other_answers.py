"""True answers that step aside in the loss: against sums over whole rows of scores, and by differences."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.model.tiny_models import batch_of
from tgap.graph import TemporalGraph, View
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.scorer import IntArray

SEED = 3
QUERIES = [(0, 0, 2), (0, 0, 2), (1, 1, 2), (3, 0, 4)]  # the first two ask alike
ANSWERS = np.array([1, 2, 3, 0])
TRUE = [{1, 2, 4}, {1, 2, 4}, {3}, {0, 5}]  # 4 and 5 are asked by no query of the batch


@pytest.fixture(scope="module")
def model() -> TGAP:
    random = np.random.default_rng(0)
    columns = (random.integers(6, size=40), random.integers(2, size=40), random.integers(6, size=40))
    graph = TemporalGraph.build(6, 2, *columns, random.integers(6, size=40))
    settings = TGAPSettings(dimension=8, heads=2, core_nodes=3, sampled_edges=4, added_edges=4)
    return TGAP(settings, graph, span=6).to(torch.float64)


def true_answers() -> tuple[IntArray, IntArray]:
    pairs = np.array([(query, entity) for query, entities in enumerate(TRUE) for entity in sorted(entities)])
    return pairs[:, 0], pairs[:, 1]


def by_whole_rows(model: TGAP) -> float:
    """Mean of -log(a_answer / (sum of a over all entities but the other true ones)), entity by entity."""
    scores = model.score(batch_of(*QUERIES), View.all(), SEED, looked_at=4).numpy()  # sampled as in training
    each = []
    for row, answer, true in zip(scores, ANSWERS.tolist(), TRUE, strict=True):
        rest = sum(float(mass) for entity, mass in enumerate(row) if entity == answer or entity not in true)
        each.append(-np.log(row[answer] / rest))
    return float(np.mean(each))


def test_other_true_answers_do_not_count_against_the_one_that_is_asked_for(model: TGAP) -> None:
    loss = model.loss(batch_of(*QUERIES), ANSWERS, View.all(), SEED, true_answers())
    assert loss.value.item() == pytest.approx(by_whole_rows(model), rel=1e-9)
    plain = model.loss(batch_of(*QUERIES), ANSWERS, View.all(), SEED).value.item()
    assert loss.value.item() < plain - 1e-3


def test_gradients_agree_with_differences(model: TGAP) -> None:
    model.zero_grad()
    model.loss(batch_of(*QUERIES), ANSWERS, View.all(), SEED, true_answers()).value.backward()  # type: ignore[no-untyped-call]
    step = 1e-6
    for name in ("relation", "flow.query", "flow.key", "entity"):
        parameter = dict(model.named_parameters())[name]
        assert parameter.grad is not None
        place = np.unravel_index(int(parameter.grad.abs().argmax()), parameter.shape)
        values = []
        with torch.no_grad():
            for sign in (1, -1):
                parameter[place] += sign * step
                values.append(by_whole_rows(model))
                parameter[place] -= sign * step
        assert parameter.grad[place].item() == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-4)
