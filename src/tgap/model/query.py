"""The query in the model: its vector q, and how it conditions the features of its subgraph."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from tgap.kernels import Backend
from tgap.model.attention import MessageAttention
from tgap.model.settings import TGAPSettings


class QueryVector(nn.Module):
    """q = W_c act(W_present (h_q + rho_q)) as in the paper, or q = W_c [e_s || rho_q] from raw embeddings."""

    def __init__(self, config: TGAPSettings, backend: Backend) -> None:
        super().__init__()
        self._product = backend.product
        self.paper = config.query_vector == "paper"
        self.slope = config.leaky_slope
        width = config.dimension
        self.weight = nn.Parameter(torch.empty(width, width if self.paper else 2 * width))
        self.bias = nn.Parameter(torch.empty(width)) if config.bias else None

    def forward(self, embedding: Tensor, h: Tensor, relation: Tensor, sgnn: MessageAttention) -> Tensor:
        """[B, d] from the subject's embedding and PGNN feature and the relation's embedding, all [B, d]."""
        if self.paper:
            present = min(1, len(sgnn.message) - 1)
            inner = self._product(h + relation, sgnn.message[present].T)
            if sgnn.message_bias is not None:
                inner = inner + sgnn.message_bias[present]
            q = self._product(leaky_relu(inner, self.slope), self.weight.T)
        else:
            q = self._product(torch.cat([embedding, relation], dim=1), self.weight.T)
        return q if self.bias is None else q + self.bias


class Conditioning(nn.Module):
    """g <- W_g [g || q] + b_g: every feature of the subgraph is conditioned on the query."""

    def __init__(self, config: TGAPSettings, backend: Backend) -> None:
        super().__init__()
        self._product = backend.product
        width = config.dimension
        self.weight = nn.Parameter(torch.empty(width, 2 * width))
        self.bias = nn.Parameter(torch.empty(width)) if config.bias else None

    def shift(self, q: Tensor) -> Tensor:
        """[B, d] the part of q [B, d] in the sum, the same for all features of a query."""
        _, of_query = torch.chunk(self.weight, 2, dim=1)
        shift = self._product(q, of_query.T)
        return shift if self.bias is None else shift + self.bias

    def forward(self, g: Tensor, shift: Tensor, query: Tensor) -> Tensor:
        """[Q, d] from g [Q, d], ``shift`` [B, d] and the query of each row [Q]."""
        own, _ = torch.chunk(self.weight, 2, dim=1)
        return self._product(g, own.T) + shift.index_select(0, query)
