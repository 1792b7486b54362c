"""Subgraph GNN (SGNN): features g of the entities of a query's subgraph, updated after every step of the flow.

    g~ = attention over messages (attention.py) along the edges of G^(t), from g^(t-1), or from h where new
    g  = act( g~ + a_j W_h h_j )                          the second term if ``arrival_term``

The paper's last line of SGNN, W_g [g || q], stands in query.py: it is applied at the start of the next step.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tgap.kernels import Backend
from tgap.kernels.backend import AttentionMaps
from tgap.kernels.structure import EdgeSet
from tgap.model.attention import MessageAttention
from tgap.model.displacement import Displacement
from tgap.model.settings import TGAPSettings


class SGNN(MessageAttention):
    """Parameters of its own, and W_h where arrived attention adds to a feature."""

    def __init__(self, config: TGAPSettings, displacement: Displacement, backend: Backend) -> None:
        super().__init__(config, displacement, backend)
        width = config.dimension
        self.arrival = nn.Parameter(torch.empty(width, width)) if config.arrival_term else None

    def forward(self, maps: AttentionMaps, g: Tensor, edges: EdgeSet, h: Tensor, arrived: Tensor | None) -> Tensor:
        """[Q, d] new g from g and h [Q, d] and the mean mass [Q] that each entity holds (None without W_h)."""
        g = maps.tables(g, g).attend(edges)
        if self.arrival is not None:
            assert arrived is not None, "the arrival term needs the mass"
            g = g + arrived[:, None] * self._backend.product(h, self.arrival.T)
        return self.activate(g)
