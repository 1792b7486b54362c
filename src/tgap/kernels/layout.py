"""Lane layout: how a feature of d numbers in K heads lies in memory for the compiled kernels.

The numbers of all heads are interleaved: a vector of 16 holds as many whole groups (one number of each head) as fit, 3
of them for K = 5, and zeros in what is left. The K dot products of a row then come out of plain multiply-adds and one
fold at the end. d = 100 in 5 heads takes 7 vectors, 112 numbers in memory. Heads of uneven width (d = 100, K = 3) are
padded with zeros too, which change no sum.

What an edge has for each head (a score, a weight) is a vector of W numbers, K rounded up to a power of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import torch
from torch import Tensor

WIDTH = 16  # numbers in a vector
LANES = 8  # queries that score a row of the graph together, see compiled_blocks.py


def lane_width(heads: int) -> int:
    """W: ``heads`` rounded up to a power of two."""
    return 1 << (heads - 1).bit_length()


def head_widths(dimension: int, heads: int) -> list[int]:
    """Widths of the pieces that ``heads`` heads cut a feature into: the first d mod K are one longer."""
    short, longer = divmod(dimension, heads)
    return [short + 1] * longer + [short] * (heads - longer)


@dataclass(frozen=True)
class Lanes:
    """Layout of ``dimension`` numbers in ``heads`` heads.

    >>> Lanes(100, 5).row, Lanes(100, 5).width, Lanes(100, 1).row
    (112, 8, 112)
    """

    dimension: int  # d
    heads: int  # K, or the number of flows H

    @staticmethod
    @lru_cache(maxsize=64)
    def of(dimension: int, heads: int) -> Lanes:
        """The layout, made once."""
        return Lanes(dimension, heads)

    @cached_property
    def width(self) -> int:
        """W: heads rounded up to a power of two (at most 16)."""
        return lane_width(self.heads)

    @cached_property
    def groups(self) -> int:
        """How many numbers of each head a vector holds."""
        return WIDTH // self.heads

    @cached_property
    def row(self) -> int:
        """Length of a row in memory."""
        widest = -(-self.dimension // self.heads)
        return -(-widest // self.groups) * WIDTH

    @cached_property
    def tuple(self) -> tuple[int, ...]:
        """A tuple of length K: kernels take the number of heads from its type."""
        return (0,) * self.heads

    @cached_property
    def position(self) -> Tensor:
        """[d] where each number of a feature lies in a row."""
        widths = head_widths(self.dimension, self.heads)
        starts = [number // self.groups * WIDTH + number % self.groups * self.heads for number in range(max(widths))]
        places = [starts[number] + head for head, width in enumerate(widths) for number in range(width)]
        return torch.tensor(places, dtype=torch.int64)

    def spread_weight(self, weight: Tensor) -> Tensor:
        """[.., d, in] -> [.., row, in]: a map whose output comes in lane layout."""
        shape = (*weight.shape[:-2], self.row, weight.shape[-1])
        return weight.new_zeros(shape).index_copy(weight.dim() - 2, self.position, weight)

    def spread(self, features: Tensor) -> Tensor:
        """[.., d] -> [.., row]."""
        shape = (*features.shape[:-1], self.row)
        return features.new_zeros(shape).index_copy(features.dim() - 1, self.position, features)

    def gather(self, rows: Tensor) -> Tensor:
        """[.., row] -> [.., d], the inverse of ``spread``."""
        result: Tensor = _FromLanes.apply(rows, self)  # type: ignore[no-untyped-call]
        return result


class _FromLanes(torch.autograd.Function):
    """``Lanes.gather``; positions are distinct, so its backward pass copies where torch's own would add."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, lanes: Lanes) -> Tensor:
        ctx.lanes = lanes
        return rows.index_select(rows.dim() - 1, lanes.position)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.lanes.spread(grad), None
