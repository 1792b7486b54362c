"""The re-ranker: orders the candidates of a walk by their features, and says how likely the answer is none of them.

    p(o) = softmax over the candidates and "none of them" of v
    v_o = MLP(features of o),   v_none = MLP'(features of the query)

It is trained by the log likelihood of facts that were hidden, so its probabilities are those of a calibrated model
where the graph behaves like those of training; ``temperature`` is fitted on graphs that training never saw.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgap.universal.features import NAMES, QUERY, WALK

_HIDDEN = 96
_HIDDEN_NONE = 16
_OF_QUERY = [NAMES.index(name) for name in (*QUERY, WALK[2])]
_BEST = [NAMES.index(name) for name in ("events, chance", "near, chance", "role, share", "walk, log mass")]


class Reranker(nn.Module):
    """The parameters, and how features are scaled."""

    mean: Tensor
    deviation: Tensor
    temperature: Tensor

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(len(NAMES)))
        self.register_buffer("deviation", torch.ones(len(NAMES)))
        self.register_buffer("temperature", torch.ones(1))
        self.value = nn.Sequential(
            nn.Linear(len(NAMES), _HIDDEN), nn.ReLU(), nn.Linear(_HIDDEN, _HIDDEN), nn.ReLU(), nn.Linear(_HIDDEN, 1)
        )
        self.none = nn.Sequential(
            nn.Linear(len(_OF_QUERY) + len(_BEST), _HIDDEN_NONE), nn.ReLU(), nn.Linear(_HIDDEN_NONE, 1)
        )
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for parameter in self.parameters():
                bound = parameter.shape[-1] ** -0.5
                parameter.uniform_(-bound, bound, generator=generator)

    def forward(self, features: Tensor, row: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """[C] log probability of every candidate, [B] of none of a query's; every query has a candidate."""
        scaled = ((features - self.mean) / self.deviation).clamp(-8, 8)
        value = self.value(scaled).squeeze(1)
        sizes = np.diff(row)
        query = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes))
        first = torch.from_numpy(row[:-1].copy())
        count = len(sizes)
        best = _greatest(scaled[:, _BEST], query, count)
        none = self.none(torch.cat([scaled[:, _OF_QUERY].index_select(0, first), best], dim=1)).squeeze(1)
        value, none = value / self.temperature, none / self.temperature
        highest = torch.maximum(_greatest(value[:, None], query, count).squeeze(1), none).detach()
        total = (none - highest).exp().index_add(0, query, (value - highest.index_select(0, query)).exp())
        log_total = total.log() + highest
        return value - log_total.index_select(0, query), none - log_total


def _greatest(values: Tensor, query: Tensor, count: int) -> Tensor:
    """[B, k] the greatest value of each column among a query's candidates."""
    index = query[:, None].expand_as(values)
    lowest = values.new_full((count, values.shape[1]), -torch.inf)
    return lowest.scatter_reduce(0, index, values, "amax", include_self=False)
