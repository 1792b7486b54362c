"""Displacement encoding: how long before or after the query an event lies.

Sign and size are encoded apart: the sign chooses a weight matrix, the size an embedding tau. Here the tables of tau
are built and cut to what each part of the model reads.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tgap.kernels.buckets import DisplacementBuckets
from tgap.model.settings import TGAPSettings


class Displacement(nn.Module):
    """Embeddings of displacement size, shared by PGNN, SGNN and (unless it sees time differently) the flow."""

    def __init__(self, config: TGAPSettings, span: int) -> None:
        super().__init__()
        self.relative = config.displacement == "relative"
        self.flow_sees = config.flow_displacement
        self.signs = 3 if self.relative else 1
        exact, octave = config.displacement_exact, config.displacement_octave
        relative, absolute = (
            DisplacementBuckets.of(span, exact, octave),
            DisplacementBuckets.of(span + 1, exact, octave),
        )
        self.buckets = relative if self.relative else absolute
        self.flow_buckets = absolute if self.flow_sees == "absolute" else relative
        buckets = self.flow_buckets.count
        own = {"size": None if self.relative else buckets, "signed": 2 * buckets - 1,
               "absolute": buckets if self.relative else None}[self.flow_sees]  # fmt: skip
        self.size = nn.Parameter(torch.empty(self.buckets.count, config.dimension))
        self.flow = nn.Parameter(torch.empty(own, config.dimension)) if own is not None else None

    def origin(self, time: int) -> int:
        """What PGNN and SGNN subtract from an event's time; the first time is 0."""
        return time if self.relative else -1

    def flow_origin(self, time: int) -> int:
        """What the flow subtracts from an event's time."""
        return -1 if self.flow_sees == "absolute" else time

    def flow_table(self) -> Tensor:
        """What the flow adds to a key: [D, d] by bucket, or (signed) [2D-1, d], row D - 1 + sign * bucket."""
        return self.size if self.flow is None else self.flow
