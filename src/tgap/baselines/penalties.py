"""What keeps embeddings small and times smooth (Lacroix et al. 2018 and 2020).

The nuclear 3-norm in its variational form ("N3") adds |x|^3 over the embeddings that the facts of a batch use, so
frequent entities are held tighter than rare ones. The weights here take the authors' factor 1/3 in.
"""

from __future__ import annotations

import torch


def cubes(size: torch.Tensor) -> torch.Tensor:
    """Sum of |x|^3 over a row [B, D], mean over the rows."""
    return size.abs().pow(3).sum(dim=1).mean()


def roughness(size_of_steps: torch.Tensor, power: int) -> torch.Tensor:
    """Lambda_p: sum of |x|^p over a step [T - 1, D] between neighbouring times, mean over the steps."""
    if not len(size_of_steps):
        return size_of_steps.sum()
    return size_of_steps.abs().pow(power).sum(dim=1).mean()
