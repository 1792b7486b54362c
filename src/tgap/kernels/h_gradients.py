"""Gradient of the h keys, which several chunks add to: buffers by chunk and time, summed in order."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.kernels.chunks import sum_chunks
from tgap.kernels.structure import QueryState


class HGradients:
    """One buffer for each (chunk, group of equal time) that occurs.

    A batch of one day on two threads has two; a mixed batch barely more than one per day, since its queries are dealt
    to chunks but each chunk only touches the rows of its own groups.
    """

    def __init__(self, state: QueryState, parts: list[NDArray[np.int64]], h: Tensor) -> None:
        first = state.h_row.min(axis=1, where=state.h_row >= 0, initial=h.shape[0])
        size = state.h_row.max(axis=1, initial=-1) - first + 1
        self._pieces: list[tuple[int, int, int]] = []  # (begin in the buffer, first row of h, rows)
        self.shift = np.zeros(len(state.origin), np.int64)  # [B] row k of h stands at k + shift in the buffer
        begin = 0
        for part in parts:
            for group in np.unique(state.group[part]):
                members = part[state.group[part] == group]
                self.shift[members] = begin - int(first[group])
                self._pieces.append((begin, int(first[group]), int(size[group])))
                begin += int(size[group])
        self.buffer = torch.zeros((begin, h.shape[1]), dtype=h.dtype)
        self._shape = h.shape

    def sum(self) -> Tensor:
        """Gradient of h: the pieces added in order."""
        if all(size == self._shape[0] for _, _, size in self._pieces):  # one group: every piece is all of h
            return sum_chunks(self.buffer.view(-1, *self._shape))
        result = torch.zeros(self._shape, dtype=self.buffer.dtype)
        for begin, first, size in self._pieces:
            result[first : first + size] += self.buffer[begin : begin + size]
        return result
