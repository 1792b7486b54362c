"""An exponential moving average of the weights: steadier than the last step's, and what is evaluated when it is on.

    average <- decay_n average + (1 - decay_n) weights,    decay_n = min(decay, (1 + n) / (10 + n))

The second bound lets the average follow quickly while training is young.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch


class WeightAverage:
    """Average of a model's parameters. The model itself is never changed, except inside ``applied``."""

    def __init__(self, model: torch.nn.Module, decay: float) -> None:
        self.decay = decay
        self.count = 0
        self._weights = dict(model.named_parameters())
        self.tensors = {name: weight.detach().clone() for name, weight in self._weights.items()}

    @torch.no_grad()
    def update(self) -> None:
        """Take the current weights in, once a step."""
        share = 1.0 - min(self.decay, (1 + self.count) / (10 + self.count))
        self.count += 1
        for name, weight in self._weights.items():
            self.tensors[name].lerp_(weight, share)

    def restore(self, tensors: Mapping[str, torch.Tensor], count: int) -> None:
        """Continue from a saved average."""
        self.count = count
        for name, kept in self.tensors.items():
            kept.copy_(tensors[name])

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Give the model the average as its weights inside the block, and its own again after it."""
        own = {name: weight.detach().clone() for name, weight in self._weights.items()}
        _copy(self.tensors, self._weights)
        try:
            yield
        finally:
            _copy(own, self._weights)


@torch.no_grad()
def _copy(source: Mapping[str, torch.Tensor], target: Mapping[str, torch.Tensor]) -> None:
    for name, weight in target.items():
        weight.copy_(source[name])
