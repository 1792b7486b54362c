"""Sums over events of a gated reading of each: what a judge makes of the events that speak for a candidate.

    out_c = sum over events (r, dt) of c of  relu( R_r a_q + T_dt b_q + R'_r T'_dt + c_q )       (products by element)

q is the candidate's query. An event costs O(width); the backward pass computes the readings anew instead of keeping
them. Sums run in the order of the events, so a row has the same bits whatever the other rows are.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.jit import kernel


class Events(NamedTuple):
    """Events by candidate, as rows of the tables. C candidates."""

    row: NDArray[np.int64]  # [C+1]
    relation: NDArray[np.int32]
    bucket: NDArray[np.int64]  # of the signed displacement
    query: NDArray[np.int64]  # [C]


class EventTables(NamedTuple):
    """What the readings are made of; w channels."""

    relation: Tensor  # [.., w] R
    relation_of_time: Tensor  # [.., w] R'
    time: Tensor  # [.., w] T
    time_of_relation: Tensor  # [.., w] T'
    relation_gate: Tensor  # [B, w] a
    time_gate: Tensor  # [B, w] b
    shift: Tensor  # [B, w] c


def event_sums(tables: EventTables, events: Events) -> Tensor:
    """[C, w] the sums; 0 for a candidate without events."""
    return _EventSums.apply(*tables, events)


class _EventSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        *tensors, events = inputs
        arrays = [tensor.detach().contiguous().numpy() for tensor in tensors]
        ctx.arrays, ctx.events = arrays, events
        out = np.zeros((len(events.query), arrays[0].shape[1]), arrays[0].dtype)
        _sum(*arrays, *events, out)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        found = [np.zeros_like(array) for array in ctx.arrays]
        reading = np.empty(ctx.arrays[0].shape[1], ctx.arrays[0].dtype)
        _sum_backward(gradients[0].contiguous().numpy(), *ctx.arrays, *ctx.events, reading, *found)
        return *(torch.from_numpy(gradient) for gradient in found), None


@kernel()
def _sum(rel, rel_time, tim, time_rel, gate_r, gate_t, shift, row, relation, bucket, query, out):
    zero = rel.dtype.type(0)
    for c in range(len(query)):
        q = query[c]
        for e in range(row[c], row[c + 1]):
            r, d = relation[e], bucket[e]
            for k in range(rel.shape[1]):
                reading = rel[r, k] * gate_r[q, k] + tim[d, k] * gate_t[q, k] + rel_time[r, k] * time_rel[d, k]
                out[c, k] += max(reading + shift[q, k], zero)


@kernel()
def _sum_backward(
    gradient, rel, rel_time, tim, time_rel, gate_r, gate_t, shift, row, relation, bucket, query, own,
    g_rel, g_rel_time, g_tim, g_time_rel, g_gate_r, g_gate_t, g_shift,
):  # fmt: skip
    zero = rel.dtype.type(0)
    width = rel.shape[1]
    for c in range(len(query)):
        q = query[c]
        for e in range(row[c], row[c + 1]):
            r, d = relation[e], bucket[e]
            for k in range(width):
                reading = rel[r, k] * gate_r[q, k] + tim[d, k] * gate_t[q, k] + rel_time[r, k] * time_rel[d, k]
                own[k] = gradient[c, k] if reading + shift[q, k] > zero else zero
            for k in range(width):
                g_rel[r, k] += own[k] * gate_r[q, k]
                g_gate_r[q, k] += own[k] * rel[r, k]
            for k in range(width):
                g_tim[d, k] += own[k] * gate_t[q, k]
                g_gate_t[q, k] += own[k] * tim[d, k]
            for k in range(width):
                g_rel_time[r, k] += own[k] * time_rel[d, k]
                g_time_rel[d, k] += own[k] * rel_time[r, k]
                g_shift[q, k] += own[k]
