"""Products with a matrix: by the quicker of torch's two libraries, and row by row the same whatever the other rows are.

**Which library.** Torch multiplies with MKL, which on processors of AMD leaves half of their vectors unused: it does 70
to 110 GFLOP/s on a core whose AVX-512 does 250. oneDNN, which torch has for its compiler and for convolutions, uses
what it finds. So on such processors, and only there, products of single precision are oneDNN's in training.

oneDNN makes machine code for every size it meets and keeps the latest thousand; making it takes a third of a
millisecond, as long as a product of some thousand rows. The number of rows of ours changes from batch to batch, so
they are padded with zeros to one of few sizes, except where the weight is a table of all entities.

**Row by row.** Libraries choose their inner loops by the number of rows and hand the last few, or a single one, to
others that add in another order. So a query answered alone would differ in its last bits from the same query in a
batch. Without gradients we give MKL rows by sixteens only: the rest is padded with zeros and multiplied apart. No
library promises it, but those that we have seen then give a row the same bits in any batch (a test checks). oneDNN
does not with large weights, and a single question's many small products would take longer with it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_ROWS = 16
_FEW = 512  # so many rows are cheaper to copy than to multiply in two parts
_SMALL = 1024  # numbers in a weight for which neither library is worth a thought
_NARROW = 128  # columns of which oneDNN makes no work for two threads
_LARGE = 2**18  # numbers in a weight that makes products so dear that a copy of their gradients would not pay


def product(rows: Tensor, weight: Tensor) -> Tensor:
    """The product of rows [M, k] and weight [k, n]."""
    if not torch.is_grad_enabled():
        return _by_sixteens(rows, weight)
    plain = weight.dtype == torch.float32 and weight.device.type == "cpu"
    if weight.numel() < _SMALL or not plain or not prefers_onednn():
        return rows @ weight
    result: Tensor = _Product.apply(rows, weight)  # type: ignore[no-untyped-call]
    return result


@cache
def prefers_onednn() -> bool:
    """Whether oneDNN multiplies faster than MKL here: on AMD's processors with AVX-512. Not every torch offers it."""
    return (
        llvm.get_host_cpu_name().startswith("znver")
        and torch.backends.cpu.get_cpu_capability() == "AVX512"
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


class _Product(torch.autograd.Function):
    """oneDNN's product with its gradients, which are products, too."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor) -> Tensor:
        padded = _padded(rows, weight.shape[1])
        ctx.save_for_backward(padded, weight)
        ctx.count = len(rows)
        return _onednn(padded, weight)[: len(rows)]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
        rows, weight = ctx.saved_tensors
        if len(rows) > ctx.count:
            grad = _with_zeros(grad, len(rows))
        d_rows = _onednn(grad, weight.T)[: ctx.count] if ctx.needs_input_grad[0] else None
        d_weight = _transposed(rows, grad) if ctx.needs_input_grad[1] else None
        return d_rows, d_weight


def _onednn(rows: Tensor, weight: Tensor) -> Tensor:
    """Rows @ weight: what torch's compiler calls for a linear layer."""
    if not (rows.numel() and weight.numel()):  # it refuses to
        return rows @ weight
    if not (weight.is_contiguous() or weight.T.is_contiguous()):  # a part of a matrix: a hundred times slower
        weight = weight.contiguous()
    result: Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight.T, None, "none", [], "")
    return result


def _transposed(rows: Tensor, grad: Tensor) -> Tensor:
    """rows^T grad: few long sums, which MKL deals to several threads and oneDNN does not unless they are many."""
    if grad.shape[1] <= _NARROW and torch.get_num_threads() > 1:
        return rows.T @ grad
    return _onednn(rows.T, grad)


def _padded(rows: Tensor, columns: int) -> Tensor:
    """The rows with zeros below, so that there are few sizes: by 64, from a thousand on by 512."""
    count, inner = rows.shape
    if inner * columns >= _LARGE:
        return rows
    step = 64 if count < 1024 else 512
    size = max(-(-count // step), 1) * step
    return rows if size == count else _with_zeros(rows, size)


def _with_zeros(rows: Tensor, size: int) -> Tensor:
    """``size`` rows: the given ones, then zeros."""
    result = rows.new_empty((size, rows.shape[1]))
    result[: len(rows)] = rows
    result[len(rows) :] = 0.0
    return result


def _by_sixteens(rows: Tensor, weight: Tensor) -> Tensor:
    """MKL's product, every row with the same bits in any batch."""
    count = len(rows)
    rest = count % _ROWS
    if not rest:
        return rows @ weight
    whole = 0 if count < _FEW else count - rest
    last = (_with_zeros(rows[whole:], count - whole - rest + _ROWS) @ weight)[: count - whole]
    if not whole:
        return last
    result = rows.new_empty((count, weight.shape[1]))
    torch.mm(rows[:whole], weight, out=result[:whole])
    result[whole:] = last
    return result
