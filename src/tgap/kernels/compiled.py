"""The compiled implementation of ``Backend``: linear maps pulled out of the edges, then the numba kernels.

W(h + rho + tau) = W h + W rho + W tau, so each edge adds three table rows; W_K of the messages moves to the query side,
(W_Q h) . (W_K m) = (W_K^T W_Q h) . m; a flow score splits into parts by entity, relation and time. All exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.kernels import flows, messages
from tgap.kernels.backend import (
    AttentionSettings,
    AttentionWeights,
    FlowBatch,
    FlowSettings,
    FlowTables,
    Mass,
    Recording,
)
from tgap.kernels.flow_plan import FlowPlan
from tgap.kernels.flows import FlowTensors
from tgap.kernels.layout import Lanes, head_widths
from tgap.kernels.products import product
from tgap.kernels.structure import EdgeSet

_BLOCK = 8192  # rows mapped at a time: what is gathered for them is still in the cache
_FEW = 128  # with so few rows one product with several maps is cheaper than one with each


@dataclass(frozen=True)
class CompiledMaps:
    """The maps of a layer with their output in lane layout, and two of the three parts of a message."""

    lanes: Lanes
    settings: AttentionSettings
    query: Tensor  # [d, n]
    message: Tensor  # [d, S n]
    b: Tensor  # [2R+1, S, n] W_s rho
    c: Tensor  # [D, S, n] W_s tau, and the bias

    def tables(self, target: Tensor, source: Tensor) -> CompiledTables:
        """See ``AttentionMaps.tables``."""
        return CompiledTables(self, product(target, self.query), source)


@dataclass
class CompiledTables:
    """u = W_Q h of the targets, and on demand the third part of a message, W_s h of the sources."""

    maps: CompiledMaps
    u: Tensor  # [M, n]
    source: Tensor  # [.., d]
    _every: Tensor | None = None

    def attend(self, edges: EdgeSet) -> Tensor:
        """See ``AttentionTables.attend``."""
        a = self.every_source() if edges.source_index is None else self.some_sources(edges)
        maps, settings = self.maps, self.maps.settings
        out = messages.gather(self.u, a, maps.b, maps.c, edges, settings.buckets, maps.lanes, settings.slope)
        return maps.lanes.gather(out)

    def every_source(self) -> Tensor:
        """[sources, S, n]: W_s h of every source for every sign, formed once."""
        if self._every is None:
            _, signs, n = self.maps.b.shape
            self._every = product(self.source, self.maps.message).view(-1, signs, n)
        return self._every

    def some_sources(self, edges: EdgeSet) -> Tensor:
        """[rows, 1, n]: only the (source, sign) pairs of a compact edge set."""
        assert edges.source_index is not None, "a compact edge set"
        assert edges.source_sign is not None, "a compact edge set names the sign of each source"
        _, signs, n = self.maps.b.shape
        index = torch.from_numpy(np.arange(len(self.source)) if edges.gathered else edges.source_index)
        ends = np.searchsorted(edges.source_sign, np.arange(signs + 1)).tolist()
        maps = self.maps.message.view(-1, signs, n)
        if torch.is_grad_enabled():
            rows = self.source if edges.gathered else self.source.index_select(0, index)
            return torch.cat([product(rows[ends[s] : ends[s + 1]], maps[:, s]) for s in range(signs)])[:, None]
        if len(index) <= _FEW:  # every sign in one product, of which a row keeps its own
            every = product(self.source.index_select(0, index), self.maps.message).view(-1, signs, n)
            return every[torch.arange(len(index)), torch.from_numpy(edges.source_sign)][:, None]
        result = self.source.new_empty((len(index), n))
        for sign in range(signs):
            for first in range(ends[sign], ends[sign + 1], _BLOCK):
                part = slice(first, min(first + _BLOCK, ends[sign + 1]))
                result[part] = product(self.source.index_select(0, index[part]), maps[:, sign])
        return result[:, None]


class CompiledBackend:
    """Numba kernels on the CPU."""

    cpu_only = True

    def product(self, rows: Tensor, weight: Tensor) -> Tensor:
        """See ``products.py``."""
        return product(rows, weight)

    def maps(
        self, weights: AttentionWeights, relation: Tensor, displacement: Tensor, settings: AttentionSettings
    ) -> CompiledMaps:
        """See ``Backend.maps``."""
        lanes = Lanes.of(relation.shape[1], settings.heads)
        signs = len(weights.message)
        query = lanes.spread_weight(_query_side(weights) * settings.scale).T
        message = lanes.spread_weight(weights.message).reshape(signs * lanes.row, -1).T
        b = product(relation, message).view(-1, signs, lanes.row)
        c = product(displacement, message).view(-1, signs, lanes.row)
        if weights.message_bias is not None:
            c = c + lanes.spread(weights.message_bias)
        return CompiledMaps(lanes, settings, query, message, b, c)

    def columns(self, flows: int) -> int:
        """See ``Backend.columns``."""
        return Lanes.of(flows, flows).width

    def h_table(self, h: Tensor, key: Tensor, settings: FlowSettings) -> Tensor:
        """See ``Backend.h_table``."""
        return product(h, Lanes.of(h.shape[1], settings.flows).spread_weight(key).T)

    def flow_tables(self, h_table: Tensor, relation: Tensor, time: Tensor, key: Tensor, s: FlowSettings) -> FlowTables:
        """See ``Backend.flow_tables``."""
        keys = Lanes.of(relation.shape[1], s.flows).spread_weight(key).T
        return FlowTables(h_table, product(torch.cat([relation, time]), keys))

    def step(self, batch: FlowBatch, recording: Recording) -> Mass:
        """See ``Backend.step``."""
        lists, value = flows.flow_step(*_prepare(batch), recording)
        return Mass(lists.row, lists.entity, value, batch.mass.flows)

    def to_targets(self, batch: FlowBatch, row: NDArray[np.int64], entity: NDArray[np.int32]) -> Tensor:
        """See ``Backend.to_targets``."""
        assert batch.adjacency.symmetric, "edges into a target are found as its edges out"
        return flows.flow_to_targets(*_prepare(batch), row, entity)

    def to_all(self, batch: FlowBatch) -> Tensor:
        """See ``Backend.to_all``."""
        return flows.flow_to_all(*_prepare(batch))


def _prepare(batch: FlowBatch) -> tuple[FlowTensors, FlowPlan]:
    """Tensors in lane layout and the structures that the kernels read."""
    g, tables, settings = batch.g, batch.tables, batch.settings
    lanes = Lanes.of(g.shape[1], settings.flows)
    weights = lanes.spread_weight(batch.query * settings.scale), lanes.spread_weight(batch.key)
    if len(g) <= _FEW and not torch.is_grad_enabled():
        u, g_keys = product(g, torch.cat(weights).T).chunk(2, dim=1)
    else:
        u, g_keys = (product(g, weight.T) for weight in weights)
    plan = FlowPlan(batch.state, batch.adjacency, settings, lanes, batch.own)
    return FlowTensors(batch.mass.value, u, g_keys, tables.h, tables.shared), plan


def _query_side(weights: AttentionWeights) -> Tensor:
    """[d, d] W_K^T W_Q, head by head."""
    if weights.key is None:
        return weights.query
    widths = head_widths(len(weights.query), len(weights.key))
    pieces = torch.split_with_sizes(weights.query, widths)
    blocks = [block[:width, :width] for block, width in zip(weights.key, widths, strict=True)]
    return torch.cat([block.T @ piece for block, piece in zip(blocks, pieces, strict=True)])
