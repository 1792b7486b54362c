"""Products with a matrix, row by row the same whatever the other rows are.

Libraries for linear algebra choose their inner loops by the number of rows and hand the last few, or a single one, to
others that add in another order. So a query answered alone would differ in its last bits from the same query in a
batch. Without gradients we give the library rows by sixteens only: the rest is padded with zeros and multiplied apart.
No library promises it, but those that we have seen then give a row the same bits in any company (a test looks).
"""

from __future__ import annotations

import torch
from torch import Tensor

_ROWS = 16
_FEW = 512  # so many rows are cheaper to copy than to multiply in two parts


def product(rows: Tensor, weight: Tensor) -> Tensor:
    """The product of rows [M, k] and weight [k, n]."""
    count = len(rows)
    rest = count % _ROWS
    if torch.is_grad_enabled() or not rest:
        return rows @ weight
    whole = 0 if count < _FEW else count - rest
    padded = rows.new_zeros((count - whole - rest + _ROWS, rows.shape[1]))
    padded[: count - whole] = rows[whole:]
    last = (padded @ weight)[: count - whole]
    if not whole:
        return last
    result = rows.new_empty((count, weight.shape[1]))
    torch.mm(rows[:whole], weight, out=result[:whole])
    result[whole:] = last
    return result
