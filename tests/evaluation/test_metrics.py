"""The five metrics of a list of ranks."""

from __future__ import annotations

import numpy as np
import pytest

from tgap.evaluation import Metrics


def test_by_hand() -> None:
    metrics = Metrics.of(np.array([1.0, 2.0, 3.5, 10.0, 10.5]))
    assert metrics.mrr == pytest.approx((1 + 1 / 2 + 1 / 3.5 + 1 / 10 + 1 / 10.5) / 5)
    assert metrics.hits1 == pytest.approx(1 / 5)
    assert metrics.hits3 == pytest.approx(2 / 5)
    assert metrics.hits10 == pytest.approx(4 / 5)
    assert metrics.mean_rank == pytest.approx(27 / 5)


def test_a_tie_for_the_first_place_is_no_hit() -> None:
    assert Metrics.of(np.array([1.5])).hits1 == 0


def test_groups_are_apart() -> None:
    ranks = np.array([1.0, 2.0, 4.0])
    first, second = Metrics.grouped(ranks, np.array([1, 0, 1]), 2)
    assert first == Metrics.of(ranks[[1]])
    assert second == Metrics.of(ranks[[0, 2]])
