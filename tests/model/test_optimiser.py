"""Adam that moves only rows with a gradient, against a loop that does it by the book; gradients, length and resume."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import embedding

from tests.training.standin import small_dataset
from tgap.errors import ConfigError
from tgap.methods import config_for, make_learner
from tgap.model.optimiser import LazyAdam, make_adam
from tgap.training.clipping import clip_gradients
from tgap.training.snapshot import restore_snapshot, take_snapshot


class Rows(torch.nn.Module):
    """A large table, of which a step looks at some rows, and a small one."""

    def __init__(self, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        draw = torch.Generator().manual_seed(3)
        self.table = torch.nn.Parameter(torch.randn(9, 5, generator=draw, dtype=dtype))
        self.small = torch.nn.Parameter(torch.randn(5, generator=draw, dtype=dtype))

    def learn(self, looked_at: list[int], sparse: bool = True) -> None:
        rows = embedding(torch.tensor(looked_at), self.table, sparse=sparse)
        (rows * self.small).tanh().sum().backward()  # type: ignore[no-untyped-call]


STEPS = [[0, 3, 3], [3, 7], [0, 1, 2, 8], [3], [7, 0]]


def test_rows_move_by_the_book_and_all_others_rest() -> None:
    rows = Rows()
    optimiser = make_adam(rows, [rows.table], 0.1)
    wanted = rows.table.detach().numpy().copy()
    first, second = np.zeros_like(wanted), np.zeros_like(wanted)
    for step, looked_at in enumerate(STEPS, 1):
        before = rows.table.detach().clone()
        rows.learn(looked_at)
        assert rows.table.grad is not None
        gradient = rows.table.grad.to_dense().numpy()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        for row in set(looked_at):
            for c in range(5):
                g = gradient[row, c]
                first[row, c] = 0.9 * first[row, c] + 0.1 * g
                second[row, c] = 0.999 * second[row, c] + 0.001 * g * g
                mean, square = first[row, c] / (1 - 0.9**step), second[row, c] / (1 - 0.999**step)
                wanted[row, c] -= 0.1 * mean / (math.sqrt(square) + 1e-8)
        np.testing.assert_allclose(rows.table.detach().numpy(), wanted, rtol=1e-12)
        rest = [row for row in range(9) if row not in looked_at]
        assert torch.equal(rows.table[rest], before[rest])


def test_the_first_step_and_the_dense_part_are_those_of_adam() -> None:
    lazy, plain = Rows(torch.float32), Rows(torch.float32)
    ours, theirs = make_adam(lazy, [lazy.table], 0.05), make_adam(plain, [], 0.05)
    assert isinstance(ours, LazyAdam)
    assert isinstance(theirs, torch.optim.Adam)
    lazy.learn(STEPS[0])
    plain.learn(STEPS[0], sparse=False)
    ours.step()
    theirs.step()
    torch.testing.assert_close(lazy.table, plain.table, rtol=1e-6, atol=1e-7)
    assert torch.equal(lazy.small, plain.small)


@pytest.mark.parametrize("most", [0.0, 0.1, 100.0])
def test_a_gradient_is_as_long_as_torch_says_sparse_or_not(most: float) -> None:
    plain, dense, sparse = Rows(), Rows(), Rows()
    plain.learn(STEPS[0], sparse=False)
    dense.learn(STEPS[0], sparse=False)
    sparse.learn(STEPS[0])
    wanted = float(torch.nn.utils.clip_grad_norm_(plain.parameters(), most or math.inf))
    assert clip_gradients(dense, most) == wanted
    assert clip_gradients(sparse, most) == pytest.approx(wanted, rel=1e-12)
    for one, two, three in zip(plain.parameters(), dense.parameters(), sparse.parameters(), strict=True):
        assert one.grad is not None
        assert two.grad is not None
        assert three.grad is not None
        assert torch.equal(one.grad, two.grad)
        torch.testing.assert_close(three.grad.to_dense(), one.grad, rtol=1e-12, atol=0)


def test_training_goes_on_bit_for_bit_from_a_snapshot() -> None:
    values = {
        "model.dimension": 8,
        "model.heads": 2,
        "model.lazy": True,
        "model.sparse": True,
        "training.batch_size": 8,
    }
    config = config_for("tgap", "small").with_values(values)

    def steps(count: int, begin: int = 0, kept: dict[str, torch.Tensor] | None = None) -> dict[str, torch.Tensor]:
        learner = make_learner(config, small_dataset())
        optimiser, plan = learner.optimiser(), learner.plan(0)
        if kept is not None:
            restore_snapshot(kept, learner.module, optimiser, None)
        for index in range(begin, count):
            learner.module(plan[index]).value.backward()
            clip_gradients(learner.module, 1.0)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        return {name: tensor.clone() for name, tensor in take_snapshot(learner.module, optimiser, None).items()}

    whole, resumed = steps(6), steps(6, 3, steps(3))
    assert whole.keys() == resumed.keys()
    for name, tensor in whole.items():
        assert torch.equal(tensor, resumed[name]), name
    assert int(whole["optimiser/step/entity"]) == 6


def test_sparse_gradients_need_lazy_features() -> None:
    with pytest.raises(ConfigError, match=r"model\.sparse needs model\.lazy true"):
        config_for("tgap", "small").with_values({"model.sparse": True})
