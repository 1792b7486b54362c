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


def product(rows: Tensor, weight: Tensor, out: Tensor | None = None) -> Tensor:
    """Rows [M, k] times weight [k, n], into ``out`` [M, n] if that is given (then no gradient is needed)."""
    if torch.is_grad_enabled():
        return rows @ weight
    whole = len(rows) // _ROWS * _ROWS
    if out is None:
        if whole == len(rows):
            return rows @ weight
        out = rows.new_empty((len(rows), weight.shape[1]))
    if whole:
        torch.mm(rows[:whole], weight, out=out[:whole])
    if whole < len(rows):
        last = rows.new_zeros((_ROWS, rows.shape[1]))
        last[: len(rows) - whole] = rows[whole:]
        out[whole:] = (last @ weight)[: len(rows) - whole]
    return out
