"""Adam, and Adam for a model with a table that is too large to be touched in every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from tgap.kernels.adam import AdamRates, adam_rows


def make_adam(module: nn.Module, sparse: Sequence[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    """Adam over all parameters of a module; those named ``sparse`` have sparse gradients and move row by row."""
    if not sparse:
        return torch.optim.Adam(module.parameters(), lr=rate, fused=True)
    tables = {id(parameter) for parameter in sparse}
    return LazyAdam([one for one in module.parameters() if id(one) not in tables], sparse, rate)


class LazyAdam(torch.optim.Optimizer):
    """Torch's Adam for dense gradients; for tables with sparse ones, Adam on the rows that have a gradient.

    All other rows stay as they are, and so do their moments: a step costs what it touches. Adam itself would move them
    on by what is left of their momentum. Torch's SparseAdam does the same in nine passes.
    """

    betas = (0.9, 0.999)
    epsilon = 1e-8

    def __init__(self, dense: Sequence[nn.Parameter], sparse: Sequence[nn.Parameter], rate: float) -> None:
        super().__init__([{"params": list(dense)}, {"params": list(sparse)}], {"lr": rate})
        self._dense = torch.optim.Adam(dense, lr=rate, betas=self.betas, eps=self.epsilon, fused=True)
        self._dense.state = self.state  # one for all, so that it is kept and restored with ours

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Both, with the learning rates of this one."""
        assert closure is None, "the loss is computed before"
        for_dense, for_sparse = self.param_groups
        self._dense.param_groups[0]["lr"] = for_dense["lr"]
        self._dense.step()
        for table in for_sparse["params"]:
            if table.grad is not None:
                self._move_rows(table, for_sparse["lr"])

    def _move_rows(self, table: nn.Parameter, rate: float) -> None:
        state: dict[str, Any] = self.state[table]
        if not state:
            state.update(step=0, exp_avg=torch.zeros_like(table), exp_avg_sq=torch.zeros_like(table))
        state["step"] = int(state["step"]) + 1  # restored from a file it is a tensor
        assert table.grad is not None, "the caller has looked"
        gradient = table.grad.coalesce()
        rates = AdamRates.of(rate, self.betas, self.epsilon, state["step"])
        index = gradient.indices()[0].numpy()
        adam_rows(table, state["exp_avg"], state["exp_avg_sq"], index, gradient.values(), rates)
