"""Rows of a table of embeddings that grows too large to have a gradient as long as itself.

A forward pass looks rows up several times. Torch would make a sparse gradient of each look-up and add them up two by
two, copying all before; here look-ups leave their rows in one list, of which one sparse gradient is made at the end.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_Found = list[tuple[Tensor, Tensor]]  # rows and their gradients


class EntityRows:
    """Looks up rows of ``table`` [N, d] in one forward pass; its gradient names only those if ``sparse``."""

    def __init__(self, table: Tensor, sparse: bool) -> None:
        self._table = table
        self._found: _Found = []
        self._end: Tensor | None = None  # whose gradient comes after that of all look-ups
        if sparse and table.requires_grad and torch.is_grad_enabled():
            self._end = _End.apply(table, self._found)  # type: ignore[no-untyped-call]

    def __call__(self, index: Tensor) -> Tensor:
        """[len(index), d]."""
        if self._end is None:
            return self._table.index_select(0, index)
        rows: Tensor = _LookUp.apply(self._end, self._table.detach(), index, self._found)  # type: ignore[no-untyped-call]
        return rows


class _End(torch.autograd.Function):
    """Where the gradients of all look-ups have come in."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, found: _Found) -> Tensor:
        ctx.shape, ctx.found = table.shape, found
        return table.new_zeros(())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, _grad: Tensor) -> tuple[Any, ...]:
        index, values = (torch.cat(parts) for parts in zip(*ctx.found, strict=True))
        ctx.found.clear()
        return torch.sparse_coo_tensor(index[None], values, ctx.shape, check_invariants=False), None


class _LookUp(torch.autograd.Function):
    """Some rows; their gradient goes into the list."""

    @staticmethod
    def forward(ctx: Any, end: Tensor, table: Tensor, index: Tensor, found: _Found) -> Tensor:
        ctx.index, ctx.found = index, found
        ctx.nothing = torch.zeros_like(end)
        return table.index_select(0, index)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        ctx.found.append((ctx.index, grad))
        return ctx.nothing, None, None, None
