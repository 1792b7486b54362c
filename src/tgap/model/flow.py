"""Attention flow: mass starts at the query's subject and moves along edges for T steps.

For the edges e = (i, r, j, t_e) out of an entity i, with g = 0 outside the subgraph:

    score_e = act( (W_Q g_i) . W_K (g_j + rho_r + tau_|dt|) ) + act( (W_Q g_i) . W_K (h_j + rho_r + tau_|dt|) )
    T_e     = softmax of score_e over the edges out of i            (i outside the subgraph: 1 / degree of i)
    a~_e    = T_e a_i^(t-1),        a_j^(t) = sum of a~_e over the edges into j

Here are the parameters; ``Backend.step`` computes it for the mass lists of a batch. kernels/reference.py does so line
by line in plain torch, kernels/compiled_flow.py with the scores split into parts by entity, relation and time.
"""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgap.kernels import Backend
from tgap.kernels.backend import FlowBatch, FlowSettings, FlowTables, Mass, Recording
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.structure import Adjacency, QueryState
from tgap.model.settings import TGAPSettings
from tgap.scorer import IntArray


class AttentionFlow(nn.Module):
    """W_Q and W_K of the transition scores; no bias, so an entity without a feature scores all its edges alike."""

    def __init__(self, config: TGAPSettings, buckets: DisplacementBuckets, loop: int, backend: Backend) -> None:
        super().__init__()
        width = config.dimension
        flows = config.heads if config.flow_heads else 1
        self.query = nn.Parameter(torch.empty(width, width))
        self.key = nn.Parameter(torch.empty(width, width))
        self._backend = backend
        self.settings = FlowSettings(
            flows=flows,
            scale=1 / math.sqrt(width / flows) if config.scaled else 1.0,
            slope=config.leaky_slope,
            buckets=buckets,
            loop=loop,
            signed=config.flow_displacement == "signed",
        )

    def with_loop(self, loop: int) -> AttentionFlow:
        """The same parameters where self-loops have another relation id."""
        other = copy.copy(self)
        other.settings = replace(self.settings, loop=loop)
        return other

    def h_table(self, h: Tensor) -> Tensor:
        """Features h [rows, d] as scores are formed against them; worth keeping with them."""
        return self._backend.h_table(h, self.key, self.settings)

    def tables(self, h_table: Tensor, relation: Tensor, time: Tensor) -> FlowTables:
        """What the scores of a batch are formed against: h, rho [2R+1, d] and the flow's tau."""
        return self._backend.flow_tables(h_table, relation, time, self.key, self.settings)

    def start(self, subject: IntArray) -> Mass:
        """a^(0): all mass on the subjects."""
        flows = self.settings.flows
        value = self.query.new_zeros((len(subject), self._backend.columns(flows)))
        value[:, :flows] = 1
        return Mass(np.arange(len(subject) + 1, dtype=np.int64), subject.astype(np.int32), value, flows)

    def inputs(
        self,
        mass: Mass,
        g: Tensor,
        tables: FlowTables,
        state: QueryState,
        adjacency: Adjacency,
        own: tuple[Adjacency, ...] = (),
    ) -> FlowBatch:
        """All that one step of the flow reads; g [Q, d] are the features of the subgraphs. ``own``: see FlowBatch."""
        return FlowBatch(mass, g, self.query, self.key, tables, state, adjacency, self.settings, own)

    def step(self, inputs: FlowBatch, recording: Recording) -> Mass:
        """a^(t) from a^(t-1), and the attention a~ of the edges that ``recording`` asks for."""
        return self._backend.step(inputs, recording)

    def to_targets(self, inputs: FlowBatch, row: IntArray, entity: NDArray[np.int32]) -> Tensor:
        """[targets] mean over flows of a^(T) at given entities, ``row`` [B+1] those of each query."""
        return self._backend.to_targets(inputs, row, entity)

    def to_all(self, inputs: FlowBatch) -> Tensor:
        """[B, N] mean over flows of a^(T)."""
        return self._backend.to_all(inputs)
