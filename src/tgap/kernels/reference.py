"""The reference implementation of ``Backend``: plain torch, equation by equation, any device, no tricks.

It forms every message and every score of every edge, so memory and time grow with edges x dimension. It is the
definition in torch: the compiled kernels must agree with it, forward and backward.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import leaky_relu

from tgap.kernels.backend import (
    AttentionSettings,
    AttentionWeights,
    FlowBatch,
    FlowSettings,
    FlowTables,
    Mass,
    Recording,
)
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.layout import head_widths
from tgap.kernels.structure import Adjacency, EdgeSet, QueryState


class ReferenceMaps(NamedTuple):
    """Weights and embeddings of attention over messages, as they are: messages are formed for each edge."""

    weights: AttentionWeights
    relation: Tensor
    displacement: Tensor
    settings: AttentionSettings

    def tables(self, target: Tensor, source: Tensor) -> ReferenceTables:
        """See ``AttentionMaps.tables``."""
        return ReferenceTables(self, target, source)


class ReferenceTables(NamedTuple):
    """All that attention over messages reads; features as they are."""

    maps: ReferenceMaps
    target: Tensor
    source: Tensor

    def attend(self, edges: EdgeSet) -> Tensor:
        """m_e = W_sign (h_i + rho_r + tau) + b;  alpha = act((W_Q h_j) . (W_K m_e));  h'_j = sum softmax(alpha) m_e."""
        maps, target, source = self
        weights, settings, device = maps.weights, maps.settings, target.device
        flat = _FlatEdges(edges, settings.buckets, len(weights.message), device)
        rest = maps.relation[flat.relation] + maps.displacement[flat.size]
        whole = source.index_select(0, flat.source) + rest
        message = torch.zeros_like(whole)
        for sign, matrix in enumerate(weights.message):
            chosen = flat.sign == sign
            part = whole[chosen] @ matrix.T
            if weights.message_bias is not None:
                part = part + weights.message_bias[sign]
            message[chosen] = part
        receiver = (target @ weights.query.T).index_select(0, flat.target)
        heads = zip(_heads(message, settings.heads), _heads(receiver, settings.heads), strict=True)
        result = []
        for head, (m, u) in enumerate(heads):
            key = m
            if weights.key is not None:
                key = m @ weights.key[head, : m.shape[1], : m.shape[1]].T
            alpha = leaky_relu(settings.scale * (u * key).sum(1), settings.slope)
            weight = _softmax(alpha, flat.target, edges.num_targets)
            empty = torch.zeros((edges.num_targets, m.shape[1]), dtype=m.dtype, device=device)
            result.append(empty.index_add(0, flat.target, weight[:, None] * m))
        return torch.cat(result, dim=1)


class ReferenceBackend:
    """Plain torch on any device."""

    cpu_only = False

    def product(self, rows: Tensor, weight: Tensor) -> Tensor:
        """As torch does it."""
        return rows @ weight

    def maps(
        self, weights: AttentionWeights, relation: Tensor, displacement: Tensor, settings: AttentionSettings
    ) -> ReferenceMaps:
        """See ``Backend.maps``."""
        return ReferenceMaps(weights, relation, displacement, settings)

    def columns(self, flows: int) -> int:
        """See ``Backend.columns``."""
        return flows

    def h_table(self, h: Tensor, key: Tensor, settings: FlowSettings) -> Tensor:  # noqa: ARG002
        """Features as they are: keys are formed for each edge."""
        return h

    def flow_tables(self, h_table: Tensor, relation: Tensor, time: Tensor, key: Tensor, s: FlowSettings) -> FlowTables:  # noqa: ARG002
        """Embeddings as they are."""
        return FlowTables(h_table, torch.cat([relation, time]))

    def step(self, batch: FlowBatch, recording: Recording) -> Mass:
        """a_j^(t) = sum over edges into j of T_e a_i^(t-1), for each query in turn."""
        adjacency, flows = batch.adjacency, batch.mass.flows
        rows, entities, values = [0], [], []
        for b in range(len(batch.state.origin)):
            edges, attention = _move(b, batch)
            target = torch.from_numpy(_neighbours(adjacency)[edges]).to(attention.device)
            arrived = attention.new_zeros((len(adjacency.row) - 1, flows)).index_add(0, target, attention)
            reached = torch.unique(target)
            rows.append(rows[-1] + len(reached))
            entities.append(reached.cpu().numpy().astype(np.int32))
            values.append(arrived.index_select(0, reached))
            _record(b, edges, attention.detach().cpu().numpy(), batch.state, adjacency, recording)
        return Mass(np.array(rows, np.int64), np.concatenate(entities), torch.cat(values), flows)

    def to_targets(self, batch: FlowBatch, row: NDArray[np.int64], entity: NDArray[np.int32]) -> Tensor:
        """See ``Backend.to_targets``."""
        query = np.repeat(np.arange(len(row) - 1), np.diff(row))
        arrived = _arrive(batch)
        at = (query, entity.astype(np.int64))
        return arrived[tuple(torch.from_numpy(index).to(arrived.device) for index in at)]

    def to_all(self, batch: FlowBatch) -> Tensor:
        """See ``Backend.to_all``."""
        return _arrive(batch).detach()


def _arrive(batch: FlowBatch) -> Tensor:
    """[B, N] mean mass after one more step."""
    result = []
    for b in range(len(batch.state.origin)):
        edges, attention = _move(b, batch)
        target = torch.from_numpy(_neighbours(batch.adjacency)[edges]).to(attention.device)
        result.append(attention.new_zeros(len(batch.adjacency.row) - 1).index_add(0, target, attention.mean(1)))
    return torch.stack(result)


def _move(b: int, batch: FlowBatch) -> tuple[NDArray[np.int64], Tensor]:
    """Visible edges out of entities with mass, and their attention a~_e = T_e a_i [edges, H], for query b."""
    mass, g, tables, state, adjacency, settings = (
        batch.mass, batch.g, batch.tables, batch.state, batch.seen_by(b), batch.settings,
    )  # fmt: skip
    device = g.device
    entries = slice(int(mass.row[b]), int(mass.row[b + 1]))
    held = mass.entity[entries].astype(np.int64)
    length = np.diff(adjacency.row)[held]
    edges = np.repeat(adjacency.row[held] - np.cumsum(length) + length, length) + np.arange(length.sum())
    source = np.repeat(np.arange(len(held)), length)
    visible = adjacency.mask[edges] == 1
    edges, source = edges[visible], source[visible]

    # g of every entity: zero outside the subgraph.
    inside = slice(int(state.sub_row[b]), int(state.sub_row[b + 1]))
    members = torch.from_numpy(state.sub_entity[inside].astype(np.int64)).to(device)
    g_all = g.new_zeros((len(adjacency.row) - 1, g.shape[1])).index_copy(0, members, g[inside])

    # score = act((W_Q g_i) . W_K (g_j + rho + tau)) + act((W_Q g_i) . W_K (h_j + rho + tau))
    start = torch.from_numpy(source).to(device)
    neighbour = _neighbours(adjacency)[edges]
    target = torch.from_numpy(neighbour).to(device)
    place = state.h_row[state.group[b]][neighbour].astype(np.int64)
    h_place = torch.from_numpy(np.maximum(place, 0)).to(device)
    h = torch.where(torch.from_numpy(place >= 0).to(device)[:, None], tables.h[h_place], 0.0)
    code = torch.from_numpy(_codes(adjacency, edges, int(state.origin[b]), settings)).to(device)
    relation = torch.from_numpy(adjacency.relation[edges].astype(np.int64)).to(device)
    rest = tables.shared[relation] + tables.shared[settings.loop + 1 + code]
    query_side = (g_all[torch.from_numpy(held).to(device)] @ batch.query.T).index_select(0, start)
    keys_g, keys_h = (g_all[target] + rest) @ batch.key.T, (h + rest) @ batch.key.T
    transition = []
    for u, k_g, k_h in zip(*(_heads(x, settings.flows) for x in (query_side, keys_g, keys_h)), strict=True):
        score = leaky_relu(settings.scale * (u * k_g).sum(1), settings.slope)
        score = score + leaky_relu(settings.scale * (u * k_h).sum(1), settings.slope)
        transition.append(_softmax(score, start, len(held)))
    return edges, torch.stack(transition, dim=1) * mass.value[entries].index_select(0, start)


class _FlatEdges:
    """Visible edges of an edge set, one row each."""

    def __init__(self, edges: EdgeSet, buckets: DisplacementBuckets, signs: int, device: torch.device) -> None:
        incoming = edges.incoming
        pair = np.repeat(np.arange(len(incoming.pair_source)), np.diff(incoming.pair_edge))
        visible = incoming.mask == 1
        pair = pair[visible]
        relation = incoming.relation[visible].astype(np.int64)
        dt = np.where(relation == edges.loop, 0, incoming.time[visible].astype(np.int64) - edges.origin)
        source = incoming.pair_source[pair].astype(np.int64)
        if edges.source_index is not None and not edges.gathered:
            source = edges.source_index[source]
        self.source = torch.from_numpy(source).to(device)
        self.target = torch.from_numpy(incoming.pair_target[pair].astype(np.int64)).to(device)
        self.relation = torch.from_numpy(relation).to(device)
        self.size = torch.from_numpy(buckets.bucket(np.abs(dt))).to(device)
        self.sign = torch.from_numpy(np.sign(dt) + 1 if signs > 1 else np.zeros_like(dt)).to(device)


def _heads(features: Tensor, heads: int) -> list[Tensor]:
    """[.., d] cut into pieces; the first d mod heads are one longer."""
    return list(torch.split_with_sizes(features, head_widths(features.shape[-1], heads), dim=-1))


def _softmax(score: Tensor, group: Tensor, groups: int) -> Tensor:
    """Softmax of the scores within each group."""
    lowest = torch.full((groups,), -torch.inf, dtype=score.dtype, device=score.device)
    highest = lowest.scatter_reduce(0, group, score.detach(), "amax")
    power = (score - highest[group]).exp()
    total = torch.zeros(groups, dtype=score.dtype, device=score.device).index_add(0, group, power)
    return power / total[group]


def _neighbours(adjacency: Adjacency) -> NDArray[np.int64]:
    """[E] entity at the far end of each edge."""
    return np.repeat(adjacency.pair_neighbour.astype(np.int64), np.diff(adjacency.pair_edge))


def _codes(adjacency: Adjacency, edges: NDArray[np.int64], origin: int, settings: FlowSettings) -> NDArray[np.int64]:
    """Row of the time table for each edge."""
    dt = np.where(adjacency.relation[edges] == settings.loop, 0, adjacency.time[edges].astype(np.int64) - origin)
    size = settings.buckets.bucket(np.abs(dt))
    return settings.buckets.count - 1 + np.sign(dt) * size if settings.signed else size


def _record(
    b: int,
    edges: NDArray[np.int64],
    attention: NDArray[np.floating],
    state: QueryState,
    adjacency: Adjacency,
    out: Recording,
) -> None:
    """Write the attention of the rows that the caller wants to see."""
    for m in range(int(state.mass_row[b]), int(state.mass_row[b + 1])):
        if out.start[m] < 0:
            continue
        first, last = adjacency.row[state.mass_entity[m]], adjacency.row[state.mass_entity[m] + 1]
        out.mean[out.start[m] : out.start[m] + last - first] = 0
        mine = (edges >= first) & (edges < last)
        place = out.start[m] + edges[mine] - first
        out.mean[place] = attention[mine].mean(1)
        if len(out.full):
            out.full[out.start[m] : out.start[m] + last - first] = 0
            out.full[place] = attention[mine]
