"""Complex vectors as real rows [real parts | imaginary parts], so that a matrix product serves for all.

torch's own complex tensors would need twice the products: of the score only the real part is wanted.
"""

from __future__ import annotations

import torch


def multiply(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Product of complex numbers, element by element.

    >>> multiply(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])).tolist()  # (1 + 2i)(3 + 4i)
    [[-5.0, 10.0]]
    """
    (a, b), (c, d) = left.chunk(2, dim=1), right.chunk(2, dim=1)
    return torch.cat([a * c - b * d, a * d + b * c], dim=1)


def modulus(row: torch.Tensor) -> torch.Tensor:
    """|x| of complex numbers [B, D/2]. Where a number is 0 its gradient is taken as 0.

    >>> modulus(torch.tensor([[3.0, 4.0]])).tolist()
    [[5.0]]
    """
    real, imaginary = row.chunk(2, dim=1)
    square = real * real + imaginary * imaginary
    safe = square.clamp_min(torch.finfo(row.dtype).tiny)
    return safe.sqrt()
