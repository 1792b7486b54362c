"""The universal model: walker, re-ranker and what is usual in graphs in general, as one set of weights."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tgap.universal.event_index import CLASSES
from tgap.universal.reranker import Reranker
from tgap.universal.walker import Walker, walk_settings

CORE_NODES, EDGES = 20, 200


class UniversalModel(nn.Module):
    """For one task. It belongs to no graph; ``scorer.py`` brings it onto one."""

    prior: Tensor

    def __init__(self, seed: int = 0, core_nodes: int = CORE_NODES, edges: int = EDGES) -> None:
        super().__init__()
        self.walker = Walker(walk_settings(core_nodes, edges), seed)
        self.reranker = Reranker(seed)
        self.register_buffer("prior", torch.zeros(2, 3, CLASSES))  # log of the usual ratio: see statistics.py
