"""The weights of a mixture and the loss that fits them. K members."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgap.learner import Loss
from tgap.scorer import FloatArray

_LEAST = 1e-12  # keeps the log of an answer finite that no member reaches


@dataclass(frozen=True)
class Odds:
    """Probabilities that every member gives the answers: of the half that weights are fitted on, and of the other."""

    fitted: FloatArray  # [Q, K]
    held_out: FloatArray  # [Q', K]

    def __len__(self) -> int:
        return len(self.fitted)

    def describe(self) -> str:
        """One line that names the batch in a message."""
        return f"{len(self.fitted)} queries of the validation split"


class MixtureWeights(nn.Module):
    """w = softmax(logits); all alike at first."""

    def __init__(self, members: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(members))

    def values(self) -> NDArray[np.float64]:
        """[K] w."""
        with torch.no_grad():
            found: NDArray[np.float64] = self.logits.double().softmax(dim=0).numpy()
        return found

    def forward(self, batch: Odds) -> Loss:
        """Mean of -log p(answer); ``held_out`` is that of the other half, to see whether the weights hold there."""
        with torch.no_grad():
            other = float(self._surprise(batch.held_out)) * len(batch)
        return Loss(self._surprise(batch.fitted), {"held_out": other})

    def _surprise(self, given: FloatArray) -> Tensor:
        mixed = torch.from_numpy(given) @ self.logits.softmax(dim=0)
        return -(mixed + _LEAST).log().mean()
