"""Distances between what a query expects and every entity, as one matrix product where the norm allows it."""

from __future__ import annotations

from typing import Literal

import torch

from tgap.kernels.products import product

Norm = Literal["l1", "l2"]


def distance(expected_BD: torch.Tensor, entity_ND: torch.Tensor, norm: Norm) -> torch.Tensor:
    """||expected - entity|| [B, N]. L1 compares number by number and takes several times as long as L2.

    >>> distance(torch.tensor([[3.0, 0.0]]), torch.tensor([[0.0, 4.0], [3.0, 1.0]]), "l2").tolist()
    [[5.0, 1.0]]
    """
    if norm == "l1":
        return torch.cdist(expected_BD, entity_ND, p=1.0)
    return root(square_distance(expected_BD, entity_ND))


def square_distance(expected_BD: torch.Tensor, entity_ND: torch.Tensor) -> torch.Tensor:
    """|x|^2 + |y|^2 - 2 x.y [B, N]; rounding may leave tiny negative numbers.

    As one product, (-2 x, |x|^2, 1) . (y, 1, |y|^2): to add the squares afterwards would mean to pass over the whole
    result twice, and as often in the backward pass.
    """
    here, there = (rows.square().sum(dim=1, keepdim=True) for rows in (expected_BD, entity_ND))
    expected = torch.cat([-2 * expected_BD, here, torch.ones_like(here)], dim=1)
    return product(expected, torch.cat([entity_ND, torch.ones_like(there), there], dim=1).T)


def root(square: torch.Tensor) -> torch.Tensor:
    """Square root that is at least 1e-6, where rounding may be larger than the number; no gradient below that."""
    return square.clamp_min(1e-12).sqrt()
