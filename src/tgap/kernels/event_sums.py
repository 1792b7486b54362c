"""Sums over events of a gated reading of each: what the re-ranker makes of the events that speak for a candidate.

    out_c = sum over events (r, dt) of c of  relu( R_r a_q + T_dt b_q + R'_r T'_dt + c_q )       (products by element)

q is the candidate's query. An event costs O(width); the backward pass computes the readings anew instead of keeping
them. Sums run in the order of the events, so a row has the same bits whatever the other rows are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tgap.jit import kernel

FloatArray = NDArray[np.floating]


class CandidateEvents(NamedTuple):
    """CandidateEvents by candidate, as rows of the tables. C candidates."""

    row: NDArray[np.int64]  # [C+1]
    relation: NDArray[np.int32]
    bucket: NDArray[np.int64]  # of the signed displacement
    query: NDArray[np.int64]  # [C]


class ReadingTables(NamedTuple):
    """What the readings are made of; w channels."""

    relation: Tensor  # [.., w] R
    relation_of_time: Tensor  # [.., w] R'
    time: Tensor  # [.., w] T
    time_of_relation: Tensor  # [.., w] T'
    relation_gate: Tensor  # [B, w] a
    time_gate: Tensor  # [B, w] b
    shift: Tensor  # [B, w] c


def event_sums(tables: ReadingTables, events: CandidateEvents) -> Tensor:
    """[C, w] the sums; 0 for a candidate without events."""
    sums: Tensor = _EventSums.apply(*tables, events)  # type: ignore[no-untyped-call]
    return sums


class _Arrays(NamedTuple):
    """The tables of ``ReadingTables`` (or their gradients) as arrays."""

    relation: FloatArray
    relation_of_time: FloatArray
    time: FloatArray
    time_of_relation: FloatArray
    relation_gate: FloatArray
    time_gate: FloatArray
    shift: FloatArray


class _EventSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        *tensors, events = inputs
        arrays = _Arrays(*(tensor.detach().contiguous().numpy() for tensor in tensors))
        ctx.arrays, ctx.events = arrays, events
        out = np.zeros((len(events.query), arrays[0].shape[1]), arrays[0].dtype)
        _sum(arrays, events, out)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        arrays: _Arrays = ctx.arrays
        found = _Arrays(*(np.zeros_like(array) for array in arrays))
        reading = np.empty(arrays.relation.shape[1], arrays.relation.dtype)
        _sum_backward(gradients[0].contiguous().numpy(), arrays, ctx.events, reading, found)
        return *(torch.from_numpy(gradient) for gradient in found), None


@kernel()
def _sum(tables: _Arrays, events: CandidateEvents, out: FloatArray) -> None:
    rel, rel_time, tim, time_rel = tables.relation, tables.relation_of_time, tables.time, tables.time_of_relation
    gate_r, gate_t, shift = tables.relation_gate, tables.time_gate, tables.shift
    zero = rel.dtype.type(0)
    for c in range(len(events.query)):
        q = events.query[c]
        for e in range(events.row[c], events.row[c + 1]):
            r, d = events.relation[e], events.bucket[e]
            for k in range(rel.shape[1]):
                reading = rel[r, k] * gate_r[q, k] + tim[d, k] * gate_t[q, k] + rel_time[r, k] * time_rel[d, k]
                out[c, k] += max(reading + shift[q, k], zero)


@kernel()
def _sum_backward(
    gradient: FloatArray, tables: _Arrays, events: CandidateEvents, own: FloatArray, found: _Arrays
) -> None:
    rel, rel_time, tim, time_rel = tables.relation, tables.relation_of_time, tables.time, tables.time_of_relation
    gate_r, gate_t, shift = tables.relation_gate, tables.time_gate, tables.shift
    zero = rel.dtype.type(0)
    width = rel.shape[1]
    for c in range(len(events.query)):
        q = events.query[c]
        for e in range(events.row[c], events.row[c + 1]):
            r, d = events.relation[e], events.bucket[e]
            for k in range(width):
                reading = rel[r, k] * gate_r[q, k] + tim[d, k] * gate_t[q, k] + rel_time[r, k] * time_rel[d, k]
                own[k] = gradient[c, k] if reading + shift[q, k] > zero else zero
            for k in range(width):
                found.relation[r, k] += own[k] * gate_r[q, k]
                found.relation_gate[q, k] += own[k] * rel[r, k]
            for k in range(width):
                found.time[d, k] += own[k] * gate_t[q, k]
                found.time_gate[q, k] += own[k] * tim[d, k]
            for k in range(width):
                found.relation_of_time[r, k] += own[k] * time_rel[d, k]
                found.time_of_relation[d, k] += own[k] * rel_time[r, k]
                found.shift[q, k] += own[k]
