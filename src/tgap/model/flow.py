"""Attention flow (paper, section 4.4): mass starts at the query's subject and moves along edges for T steps."""

from __future__ import annotations

import math

import torch
from torch import nn

from tgap.kernels.backend import FlowSettings
from tgap.kernels.buckets import DisplacementBuckets
from tgap.model.settings import TGAPSettings


class AttentionFlow(nn.Module):
    """W_Q and W_K of the transition scores; no bias, so an entity without a feature scores all its edges alike."""

    def __init__(self, config: TGAPSettings, buckets: DisplacementBuckets, loop: int) -> None:
        super().__init__()
        width = config.dimension
        flows = config.heads if config.flow_heads else 1
        self.query = nn.Parameter(torch.empty(width, width))
        self.key = nn.Parameter(torch.empty(width, width))
        self.settings = FlowSettings(
            flows=flows,
            scale=1 / math.sqrt(width / flows) if config.scaled else 1.0,
            slope=config.leaky_slope,
            buckets=buckets,
            loop=loop,
        )
