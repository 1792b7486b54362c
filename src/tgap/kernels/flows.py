"""The compiled attention flow as the backend calls it: a step, and the mass after the last one.

Plan (flow_plan.py), rows to score (flow_rows.py), autograd functions (flow_autograd.py) and scratch buffers
(flow_scratch.py) have files of their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.kernels import compiled_flow
from tgap.kernels.backend import Recording
from tgap.kernels.flow_autograd import FlowStep, FlowToTargets, NewMass, flow_keys
from tgap.kernels.flow_plan import FlowPlan
from tgap.kernels.flow_records import FlowScratch, FlowTargets
from tgap.kernels.flow_rows import ScoredRows, find_active, find_scored
from tgap.kernels.flow_scratch import run_queries


class FlowTensors(NamedTuple):
    """The tensors that a step reads, all but mass in lane layout."""

    mass: Tensor  # [M, W]
    u: Tensor  # [Q, n] W_Q g
    g: Tensor  # [Q, n] W_K g
    h: Tensor  # [.., n] W_K h
    shared: Tensor  # [S, n] W_K of relations, then times


def flow_step(tensors: FlowTensors, plan: FlowPlan, recording: Recording) -> tuple[NewMass, Tensor]:
    """New mass lists and their values [M', W]."""
    lists = NewMass()
    arrays = plan.arrays(tensors.mass)
    rows = ScoredRows.of(tensors.u, tensors.shared, plan, find_scored(plan, arrays, len(tensors.shared)))
    after: Tensor = FlowStep.apply(*tensors, *rows.tensors, plan, rows, recording, lists)  # type: ignore[no-untyped-call]
    return lists, after


def flow_to_targets(tensors: FlowTensors, plan: FlowPlan, row: NDArray[np.int64], entity: NDArray[np.int32]) -> Tensor:
    """Mean mass [targets] of given entities after the last step; ``row`` [B+1]: those of each query."""
    arrays = plan.arrays(tensors.mass)
    targets = FlowTargets(row, entity, np.zeros(len(entity), arrays.mass.dtype))
    rows = ScoredRows.of(tensors.u, tensors.shared, plan, find_active(plan, arrays, len(tensors.shared), targets))
    result: Tensor = FlowToTargets.apply(*tensors, *rows.tensors, plan, rows, targets)  # type: ignore[no-untyped-call]
    return result


def flow_to_all(tensors: FlowTensors, plan: FlowPlan) -> Tensor:
    """Mean mass of every entity [B, N] after the last step; no gradient."""
    arrays, shared = plan.arrays(tensors.mass), len(tensors.shared)
    rows = ScoredRows.of(tensors.u, tensors.shared, plan, find_scored(plan, arrays, shared))
    keys = flow_keys((*tensors, *rows.tensors), rows)
    out = np.zeros((plan.num_queries, len(plan.adjacency.row) - 1), arrays.mass.dtype)

    def work(_: int, queries: NDArray[np.int64], scratch: FlowScratch) -> None:
        for part, seen in plan.seen(queries, arrays):
            compiled_flow.flow_to_all(part, seen, keys, scratch, out)

    run_queries(plan, shared, arrays.mass.dtype, work)
    return torch.from_numpy(out)
