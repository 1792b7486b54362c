from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgap.config import TrainingConfig
from tgap.training.schedule import Plateau, learning_rate


def test_warm_up_rises_and_linear_falls_to_zero() -> None:
    config = TrainingConfig(learning_rate=1.0, warmup_steps=10, decay_share=0.5)
    rates = [learning_rate(config, step, step / 100, 0) for step in range(101)]
    assert rates[:3] == pytest.approx([0.1, 0.2, 0.3])
    assert rates[10:51] == [1.0] * 41
    assert rates[75] == pytest.approx(0.5)
    assert rates[100] == 0.0


@pytest.mark.parametrize(("schedule", "middle", "end"), [("cosine", 0.5, 0.0), ("constant", 1.0, 1.0)])
def test_cosine_and_constant(schedule: str, middle: float, end: float) -> None:
    config = TrainingConfig(learning_rate=1.0, warmup_steps=0, schedule=schedule)  # type: ignore[arg-type]
    assert learning_rate(config, 0, 0.0, 0) == 1.0
    assert learning_rate(config, 500, 0.5, 0) == pytest.approx(middle)
    assert learning_rate(config, 1000, 1.0, 0) == pytest.approx(end)


def test_plateau_reduces_after_tolerated_validations_and_starts_counting_again() -> None:
    config = TrainingConfig(schedule="plateau", plateau_patience=1, plateau_factor=0.1, patience=6, warmup_steps=0)
    state = Plateau()
    seen = []
    for figure in (0.3, 0.4, 0.4, 0.39, 0.1, 0.2, 0.41, 0.40):
        state = state.after(figure, config)
        seen.append((state.reductions, state.waited))
    assert seen == [(0, 0), (0, 0), (0, 1), (1, 2), (1, 3), (2, 4), (2, 0), (2, 1)]
    assert state.best == 0.41
    assert learning_rate(config, 10, 0.5, state.reductions) == pytest.approx(config.learning_rate * 0.01)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.integers(1, 4))
def test_patience_counts_validations_since_the_best(figures: list[int], patience: int) -> None:
    config = TrainingConfig(patience=patience)
    state = Plateau()
    for figure in figures:
        state = state.after(figure, config)
    since_best = len(figures) - 1 - figures.index(max(figures))
    assert state.waited == since_best
    assert state.exhausted(config) == (since_best >= patience)
    assert not state.exhausted(TrainingConfig(patience=0))
