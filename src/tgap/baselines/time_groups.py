"""The rows of a batch by their distinct times, for what is computed once per time."""

from __future__ import annotations

from collections.abc import Sequence

import torch


class TimeGroups:
    """Which rows of a batch share a time.

    >>> groups = TimeGroups(torch.tensor([7, 3, 7]))
    >>> groups.times.tolist(), [part.tolist() for part in groups.split(torch.tensor([0.5, 1.5, 2.5]))]
    ([3, 7], [[1.5], [0.5, 2.5]])
    >>> groups.join([torch.tensor([3.0]), torch.tensor([7.0, 7.0])]).tolist()
    [7.0, 3.0, 7.0]
    """

    def __init__(self, time: torch.Tensor) -> None:
        self.times, self.which = torch.unique(time, return_inverse=True)  # [T], rising, and [B] places in it
        self._order = torch.argsort(self.which, stable=True)
        self._sizes = torch.bincount(self.which, minlength=len(self.times)).tolist()

    def split(self, rows: torch.Tensor) -> Sequence[torch.Tensor]:
        """Rows [B, ...] as one part per time, in the order of ``times``."""
        parts: Sequence[torch.Tensor] = torch.split(rows[self._order], self._sizes)
        return parts

    def join(self, parts: Sequence[torch.Tensor]) -> torch.Tensor:
        """What was computed for each part, as rows [B, ...] in their first order."""
        return torch.cat(list(parts))[torch.argsort(self._order)]
