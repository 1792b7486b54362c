"""How the rows that a flow step scores are formed: alone, in blocks, or against the whole shared table.

A row of degree n meets at most 2 n of the S rows of the shared table, each at the price of a scattered read in the
forward and an addition to scattered memory in the backward pass. Measured: from n = S / 16 on a product with all of
them costs less. Torch finds the gradient of that product by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.kernels import compiled_flow
from tgap.kernels.flow_blocks import make_blocks
from tgap.kernels.flow_plan import FlowPlan
from tgap.kernels.flow_records import FlowArrays, FlowTargets, RowBlocks
from tgap.kernels.flow_scratch import run_queries
from tgap.kernels.layout import LANES, head_widths
from tgap.kernels.products import product

LONG = 16  # a row of the graph is long if it has one edge for so many rows of the shared table


@dataclass(frozen=True)
class ScoredRows:
    """Rows of the subgraph entries that a step scores, Q entries in all."""

    entry_mass: NDArray[np.int64]  # [Q] entry of the mass lists, or -1 where the row is not scored
    dense: Tensor  # [rows, S] or [rows, S, W] products of u with the shared table
    dense_row: NDArray[np.int64]  # [Q] row of a subgraph entry in it, or -1
    blocks: RowBlocks
    lane: NDArray[np.int64]  # [Q] place of an entry among the lanes of all blocks, or -1
    block_u: Tensor  # [K LANES, n] u of every lane
    block_dense: Tensor  # [K, S, LANES]

    @classmethod
    def of(cls, u: Tensor, shared: Tensor, plan: FlowPlan, entry_mass: NDArray[np.int64]) -> ScoredRows:
        """Decide for every row by its degree and by the queries that share it."""
        long = plan.degree[plan.state.sub_entity] * LONG >= len(shared)
        long &= entry_mass >= 0
        blocks, lane = make_blocks(plan, entry_mass, long)
        entries = np.flatnonzero(long & (lane < 0))
        row = np.full(len(long), -1, np.int64)
        row[entries] = np.arange(len(entries))
        used = torch.from_numpy(np.maximum(blocks.entry, 0))
        block_u = u.index_select(0, used) * torch.from_numpy(blocks.entry >= 0)[:, None]
        block_dense = product(block_u, shared.T).view(-1, LANES, len(shared)).transpose(1, 2).contiguous()
        dense = _dense_scores(u, shared, plan, entries)
        return cls(entry_mass, dense, row, blocks, lane, block_u, block_dense)

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        """Those that have gradients."""
        return self.dense, self.block_u, self.block_dense


def _dense_scores(u: Tensor, shared: Tensor, plan: FlowPlan, entries: NDArray[np.int64]) -> Tensor:
    """Products of u with the whole shared table for some entries of the subgraph lists."""
    flows, lanes = plan.settings.flows, plan.lanes
    chosen = u.index_select(0, torch.from_numpy(entries))
    if flows == 1:
        return product(chosen, shared.T)
    positions = torch.split_with_sizes(lanes.position, head_widths(lanes.dimension, flows))
    each = [product(chosen[:, places], shared[:, places].T) for places in positions]
    each += [torch.zeros_like(each[0])] * (lanes.width - flows)
    return torch.stack(each, dim=2)


def find_scored(plan: FlowPlan, arrays: FlowArrays, shared: int) -> NDArray[np.int64]:
    """[Q] where the entities of the subgraphs stand in the mass lists, -1 for those without mass."""
    entry_mass = np.full(len(plan.state.sub_entity), -1, np.int64)
    run_queries(
        plan, shared, arrays.mass.dtype,
        lambda _, queries, scratch: compiled_flow.find_scored(queries, plan.state, scratch, entry_mass),
    )  # fmt: skip
    return entry_mass


def find_active(plan: FlowPlan, arrays: FlowArrays, shared: int, targets: FlowTargets) -> NDArray[np.int64]:
    """The same for rows with an edge into a target only; what uniform rows bring goes into ``targets.out``."""
    entry_mass = np.full(len(plan.state.sub_entity), -1, np.int64)
    run_queries(
        plan, shared, arrays.mass.dtype,
        lambda _, queries, scratch: compiled_flow.find_active(queries, arrays, scratch, targets, entry_mass),
    )  # fmt: skip
    return entry_mass
