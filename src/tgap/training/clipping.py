"""The length of a gradient, and a bound on it: torch's own, for gradients that may be sparse."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils import get_total_norm


@torch.no_grad()
def clip_gradients(module: nn.Module, most: float) -> float:
    """Scale all gradients so that their common length is at most ``most`` (0: as long as they are); tells the length.

    Rows that a sparse gradient names several times are summed first.
    """
    parameters = [parameter for parameter in module.parameters() if parameter.grad is not None]
    values = []
    for parameter in parameters:
        gradient = parameter.grad
        assert gradient is not None, "those without are left out"
        if gradient.is_sparse:
            parameter.grad = gradient = gradient.coalesce()
        values.append(gradient.values() if gradient.is_sparse else gradient)
    norm = get_total_norm(values)
    if most:
        share = torch.clamp(most / (norm + 1e-6), max=1.0)
        for value in values:
            value.mul_(share)
    return float(norm)
