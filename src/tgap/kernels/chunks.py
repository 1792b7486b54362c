"""Work in chunks: tensors as flat arrays, rows cut into chunks of even cost, and the chunks' buffers summed in order.

The cut depends on the work and the number of threads only, never on timing: the same inputs give the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[Any]


def flat(tensor: Tensor) -> Array:
    """The tensor's numbers as a flat array, without a copy where possible."""
    return tensor.detach().contiguous().numpy().reshape(-1)


def even_cuts(cumulative: NDArray[np.int64], chunks: int) -> list[int]:
    """Row numbers that cut rows with cumulative cost into chunks of about equal cost."""
    goals = np.linspace(0, cumulative[-1], chunks + 1)[1:-1]
    inner = np.searchsorted(cumulative, goals)
    return [0, *(int(cut) for cut in inner), len(cumulative) - 1]


def sum_chunks(buffers: Tensor) -> Tensor:
    """Sum over the first axis in order, into its first entry."""
    result = buffers[0]
    for buffer in buffers[1:]:
        result += buffer
    return result
