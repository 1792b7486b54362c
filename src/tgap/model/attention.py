"""Weights of attention over messages, the common form of PGNN and SGNN (paper, equations 1 to 5)."""

from __future__ import annotations

import torch
from torch import nn

from tgap.kernels.backend import AttentionWeights
from tgap.model.settings import TGAPSettings


class MessageAttention(nn.Module):
    """W_sign of the messages, W_Q of the receiver, if ``key_map`` W_K of the messages; SGNN may have W_h (arrival)."""

    def __init__(self, config: TGAPSettings, signs: int, arrival: bool = False) -> None:
        super().__init__()
        width = config.dimension
        head = -(-width // config.heads)
        self.message = nn.Parameter(torch.empty(signs, width, width))
        self.message_bias = nn.Parameter(torch.empty(signs, width)) if config.bias else None
        self.query = nn.Parameter(torch.empty(width, width))
        self.key = nn.Parameter(torch.empty(config.heads, head, head)) if config.key_map else None
        self.arrival = nn.Parameter(torch.empty(width, width)) if arrival else None

    def weights(self) -> AttentionWeights:
        """As the kernels take them."""
        return AttentionWeights(self.message, self.message_bias, self.query, self.key)
