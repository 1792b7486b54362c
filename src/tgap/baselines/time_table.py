"""One embedding per instant at which train has a fact, and an answer for every other instant.

An instant between two of them takes the line between its neighbours, in proportion to real time; one before the first
or after the last takes the end. So a lookup table answers questions about days that train never saw, and the rows of
such days cost nothing. Smooth tables (``penalties.roughness``) make the line a good guess.
"""

from __future__ import annotations

import torch
from torch.nn.functional import embedding

from tgap.baselines.axes import Axes, normal_table


class TimeTable(torch.nn.Module):
    """Embeddings [T, D] of T instants.

    >>> import numpy as np
    >>> from tgap.data import Timeline
    >>> table = TimeTable(Axes(2, 1, Timeline("day", 0, 9), np.array([2, 6])), 1, 0.0)
    >>> _ = table.weight.data.copy_(torch.tensor([[0.0], [4.0]]))
    >>> table(torch.tensor([-5, 2, 3, 6, 8])).flatten().tolist()
    [0.0, 0.0, 1.0, 4.0, 4.0]
    """

    instants: torch.Tensor

    def __init__(self, axes: Axes, columns: int, scale: float) -> None:
        super().__init__()
        assert len(axes.instants), "a table of times needs at least one training fact"
        self.register_buffer("instants", torch.from_numpy(axes.instants.copy()), persistent=False)
        self.weight = normal_table(len(axes.instants), columns, scale)

    def forward(self, time: torch.Tensor) -> torch.Tensor:
        """Rows [B, D] of instants [B]."""
        last = len(self.instants) - 1
        after = torch.searchsorted(self.instants, time, right=True)
        low, high = (after - 1).clamp(0, last), after.clamp(0, last)
        begin, end = self.instants[low], self.instants[high]
        row = embedding(low, self.weight)
        if bool((time == begin).all()):  # all of them are instants of train, as always in training
            return row
        share = (time - begin).to(row.dtype) / (end - begin).clamp_min(1)
        return torch.lerp(row, embedding(high, self.weight), share.clamp(0, 1).unsqueeze(1))
