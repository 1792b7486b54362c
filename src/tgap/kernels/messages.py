"""Message passing of PGNN and SGNN as a differentiable torch operation: shapes here, arithmetic in the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from tgap.kernels import compiled_messages
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.chunks import even_cuts, flat, sum_chunks
from tgap.kernels.compiled_messages import Aggregate, MessageArrays, MessageGradients, MessageShape
from tgap.kernels.layout import Lanes, lane_width
from tgap.kernels.structure import EdgeSet
from tgap.kernels.threads import num_threads, run_chunks


class _Gather(torch.autograd.Function):
    """out_j = sum of softmax(act(u_j . m_e)) m_e over the edges into j, with m = A + B + C."""

    @staticmethod
    def forward(ctx: Any, u: Tensor, a: Tensor, b: Tensor, c: Tensor, edges: EdgeSet,
                buckets: DisplacementBuckets, lanes: Lanes, slope: float) -> Tensor:  # fmt: skip
        incoming = edges.incoming
        _, signs, n = b.shape
        shape = MessageShape(
            row=n,
            source_signs=a.shape[1],
            signs=signs,
            loop=edges.loop,
            origin=edges.origin,
            slope=slope,
        )
        targets, width = edges.num_targets, lanes.width
        arrays = MessageArrays(incoming, buckets.table, shape, lanes.tuple, *(flat(tensor) for tensor in (u, a, b, c)))
        dtype = arrays.U.dtype
        out = torch.empty((targets, n), dtype=u.dtype)
        result = Aggregate(
            out=flat(out),
            score=np.empty(edges.num_edges * width, dtype),
            row_max=np.empty(targets * width, dtype),
            row_scale=np.empty(targets * width, dtype),
        )
        cost = incoming.pair_edge[incoming.pair_row] + np.arange(targets + 1)
        cuts = even_cuts(cost, num_threads())
        degree = int(np.diff(incoming.pair_edge[incoming.pair_row]).max(initial=0))
        scratch_size = (b.shape[0], c.shape[0], signs, degree, width, dtype)

        def kernel(chunk: int) -> None:
            scratch = compiled_messages.message_scratch(False, *scratch_size)
            compiled_messages.gather_forward(cuts[chunk], cuts[chunk + 1], arrays, result, scratch)

        run_chunks(kernel, len(cuts) - 1)
        ctx.save_for_backward(u, a, b, c, out)
        ctx.rest = (arrays, result, cuts, scratch_size)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_out: Tensor) -> tuple[Any, ...]:
        u, a, b, c, out = ctx.saved_tensors
        cuts: list[int]
        arrays: MessageArrays
        arrays, result, cuts, scratch_size = ctx.rest
        shape, incoming, chunks = arrays.shape, arrays.incoming, len(cuts) - 1
        arrays = arrays._replace(U=flat(u), A=flat(a), B=flat(b), C=flat(c))
        result = result._replace(out=flat(out))
        grad = flat(d_out)
        d_u, d_a = torch.empty(u.shape, dtype=u.dtype), torch.empty(a.shape, dtype=a.dtype)
        d_b = torch.zeros((chunks, *b.shape), dtype=b.dtype)
        d_c = torch.zeros((chunks, *c.shape), dtype=c.dtype)
        pairs = len(incoming.pair_source) * shape.source_signs * 2 * lane_width(len(arrays.lanes))
        common = MessageGradients(flat(d_u), flat(d_b[0]), flat(d_c[0]), np.empty(pairs, grad.dtype))
        d_a_flat = flat(d_a)
        source_cuts = even_cuts(incoming.source_row + np.arange(len(incoming.source_row)), chunks)

        def rows(chunk: int) -> None:
            scratch = compiled_messages.message_scratch(True, *scratch_size)
            own = common._replace(B=flat(d_b[chunk]), C=flat(d_c[chunk]))
            compiled_messages.gather_backward(cuts[chunk], cuts[chunk + 1], arrays, result, grad, scratch, own)

        def sources(chunk: int) -> None:
            first, last = source_cuts[chunk], source_cuts[chunk + 1]
            compiled_messages.gather_sources(first, last, arrays, grad, common.pairs, d_a_flat)

        run_chunks(rows, chunks)
        run_chunks(sources, chunks)
        return d_u, d_a, sum_chunks(d_b), sum_chunks(d_c), None, None, None, None


def gather(
    u: Tensor, a: Tensor, b: Tensor, c: Tensor, edges: EdgeSet, buckets: DisplacementBuckets, lanes: Lanes, slope: float
) -> Tensor:
    """[M, n] aggregate from tables in lane layout.

    Shapes: u [M, n], a [sources, S or 1, n], b [2R+1, S, n], c [D, S, n].
    """
    result: Tensor = _Gather.apply(u, a, b, c, edges, buckets, lanes, slope)  # type: ignore[no-untyped-call]
    return result
