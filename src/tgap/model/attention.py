"""Attention over messages: the common form of PGNN and SGNN.

For the edges e = (i, r, j, t_e) into an entity j, and for every head k:

    m_e     = W_sign(dt) (h_i + rho_r + tau_|dt|) + b_sign(dt)
    alpha_e = act( scale (W_Q h_j)_k . (W_K,k m_e,k) )
    h'_j    = concatenation over heads of  sum over e of  softmax(alpha_e)_k m_e,k

Here are the parameters; ``AttentionTables.attend`` computes it. kernels/reference.py does so line by line in plain
torch, kernels/compiled_messages.py with the maps pulled out of the edges.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from tgap.kernels import Backend
from tgap.kernels.backend import AttentionMaps, AttentionSettings, AttentionWeights
from tgap.model.displacement import Displacement
from tgap.model.settings import TGAPSettings


class MessageAttention(nn.Module):
    """W_sign and b_sign of the messages, W_Q of the receiver and, if ``key_map``, W_K of the messages."""

    def __init__(self, config: TGAPSettings, displacement: Displacement, backend: Backend) -> None:
        super().__init__()
        width, signs = config.dimension, displacement.signs
        head = -(-width // config.heads)
        self.message = nn.Parameter(torch.empty(signs, width, width))
        self.message_bias = nn.Parameter(torch.empty(signs, width)) if config.bias else None
        self.query = nn.Parameter(torch.empty(width, width))
        self.key = nn.Parameter(torch.empty(config.heads, head, head)) if config.key_map else None
        self._backend = backend
        self._activation = config.activation
        self._settings = AttentionSettings(
            heads=config.heads,
            scale=1 / math.sqrt(width / config.heads) if config.scaled else 1.0,
            slope=config.leaky_slope,
            buckets=displacement.buckets,
        )

    def maps(self, relation: Tensor, size: Tensor) -> AttentionMaps:
        """What the layer makes of its parameters and the tables rho [2R+1, d] and tau [D, d] alone."""
        weights = AttentionWeights(self.message, self.message_bias, self.query, self.key)
        return self._backend.maps(weights, relation, size, self._settings)

    def activate(self, h: Tensor) -> Tensor:
        """What follows a layer: act, if ``activation``."""
        return leaky_relu(h, self._settings.slope) if self._activation else h
