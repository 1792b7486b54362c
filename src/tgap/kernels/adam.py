"""Adam on some rows of a large table: weights, moments and what they become, in one pass over those rows."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from tgap.jit import kernel
from tgap.kernels.threads import num_threads, run_chunks


class AdamRates(NamedTuple):
    """Numbers of a step: beta_1, beta_2, and what the bias corrections make of learning rate and epsilon.

    rate m^ / (sqrt(v^) + eps) with m^ = m / (1 - beta_1^t) and v^ = v / (1 - beta_2^t) is
    size m / (sqrt(v) + floor).
    """

    first: float
    second: float
    size: float
    floor: float

    @classmethod
    def of(cls, rate: float, betas: tuple[float, float], epsilon: float, step: int) -> AdamRates:
        """Of step number ``step``, from 1 on."""
        first, second = betas
        root = math.sqrt(1 - second**step)
        return cls(first, second, rate * root / (1 - first**step), epsilon * root)


def adam_rows(
    table: Tensor, mean: Tensor, square: Tensor, index: NDArray[np.int64], gradient: Tensor, rates: AdamRates
) -> None:
    """Change the rows ``index`` (distinct) of a table [N, d] and of its moments by their gradient [len(index), d]."""
    rows = _Rows(*(tensor.detach().numpy() for tensor in (table, mean, square, gradient)))
    cuts = np.linspace(0, len(index), num_threads() + 1).astype(np.int64)

    def work(chunk: int) -> None:
        _adam_rows(cuts[chunk], cuts[chunk + 1], index, rows, rates)

    run_chunks(work, len(cuts) - 1)


class _Rows(NamedTuple):
    """Table, moments and gradient as arrays."""

    table: NDArray[np.floating]  # [N, d]
    mean: NDArray[np.floating]  # [N, d]
    square: NDArray[np.floating]  # [N, d]
    gradient: NDArray[np.floating]  # [len(index), d]


@kernel(fastmath=True)
def _adam_rows(begin: int, end: int, index: NDArray[np.int64], rows: _Rows, rates: AdamRates) -> None:
    table, mean, square, gradient = rows.table, rows.mean, rows.square, rows.gradient
    one = table.dtype.type
    first, second = one(rates.first), one(rates.second)
    size, floor = one(rates.size), one(rates.floor)
    new_first, new_second = one(1.0 - rates.first), one(1.0 - rates.second)
    for k in range(begin, end):
        row = index[k]
        for c in range(table.shape[1]):
            g = gradient[k, c]
            m = first * mean[row, c] + new_first * g
            v = second * square[row, c] + new_second * g * g
            mean[row, c] = m
            square[row, c] = v
            table[row, c] -= size * m / (np.sqrt(v) + floor)
