"""Compiled attention over incoming messages: the shared core of PGNN and SGNN, forward and backward.

    m_e = A[source, sign] + B[relation, sign] + C[size, sign]                 W_s(h + rho + tau), factored
    s_e = act(u_j . m_e)   for each head,     out_j = sum of softmax(s_e) m_e over the edges e into j

Everything is linear in the three rows of a message, so within a target j a row of a table is touched twice: once for
its dot product with u_j, once to add it with the summed weight of all edges that use it. What an edge itself costs is a
handful of operations on its heads. A hub with 800 edges from 150 neighbours with 100 relations uses about 500 distinct
rows, not 2,400. Nothing of size edges x dimension exists; the forward pass keeps one score per edge and head.

Gradients. With p the softmax and g the gradient of a score before act:  dm = p d_out + g u,  du = sum of g m. Both are
again sums over distinct rows. B and C are small: one buffer per chunk. A row of A is fed by many targets; instead of
scattering, each group of parallel edges (a pair) leaves its two sums for each sign, and a second pass over the sources
collects them.

Legend: E edges, M rows (targets), P pairs, S signs, n length of a row in lane layout, W lanes. All tables are flat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels.compiled_rows import bucket_of, dot_rows
from tgap.kernels.simd import (
    Index,
    Vector,
    any_greater,
    exp,
    fill,
    item,
    load,
    load16,
    maximum,
    put,
    slope_of,
    spread,
    store,
    width_of,
    zero16,
)
from tgap.kernels.structure import BucketTable, Incoming

FloatArray = NDArray[np.floating]


class MessageShape(NamedTuple):
    """Numbers that a kernel needs besides the arrays."""

    row: int  # n
    source_signs: int  # S if A has a row for each sign, 1 if its rows are already by sign
    signs: int  # S
    loop: int  # relation id of self-loops
    origin: int  # the time that displacements are measured from
    slope: float  # of LeakyReLU


class MessageArrays(NamedTuple):
    """What every kernel reads: the edges, and the tables that messages are formed of."""

    incoming: Incoming
    buckets: BucketTable
    shape: MessageShape
    lanes: tuple[int, ...]  # its length is the number of heads, see ``Lanes.tuple``
    U: FloatArray  # [M, n]
    A: FloatArray  # [sources, S or 1, n]
    B: FloatArray  # [2R+1, S, n]
    C: FloatArray  # [D, S, n]


class Aggregate(NamedTuple):
    """What the forward pass writes; all but ``out`` serves the backward pass."""

    out: FloatArray  # [M, n]
    score: FloatArray  # [E, W]
    row_max: FloatArray  # [M, W]
    row_scale: FloatArray  # [M, W]


class MessageGradients(NamedTuple):
    """What the backward pass writes; B and C are the chunk's buffers and come zeroed."""

    U: FloatArray  # [M, n]
    B: FloatArray  # [2R+1, S, n]
    C: FloatArray  # [D, S, n]
    pairs: FloatArray  # [P, S or 1, (p, g), W] sums of each pair, for A


class RowCache(NamedTuple):
    """Rows of one table that the current target uses: their dot products and the sums over edges that use them."""

    stamp: NDArray[np.int64]  # [rows] target that a row's entries belong to
    used: NDArray[np.int64]  # [1] how many rows are listed
    rows: NDArray[np.int64]  # [rows] the listed ones
    score: NDArray[np.floating]  # [rows, W] u_j . row
    grad_dot: NDArray[np.floating]  # [rows, W] d_out_j . row
    weight: NDArray[np.floating]  # [rows, W] sum of p
    grad_score: NDArray[np.floating]  # [rows, W] sum of g


class MessageScratch(NamedTuple):
    """Scratch buffers of one chunk."""

    relation: RowCache
    time: RowCache
    relation_row: NDArray[np.int64]  # [largest in-degree] row of B of each edge
    time_row: NDArray[np.int64]  # [largest in-degree] row of C


def _row_cache(rows: int, width: int, dtype: np.dtype[np.floating], backward: bool) -> RowCache:
    wide = rows * width
    narrow = wide if backward else 0
    return RowCache(
        stamp=np.full(rows, -1, np.int64),
        used=np.zeros(1, np.int64),
        rows=np.empty(rows, np.int64),
        score=np.empty(wide, dtype),
        grad_dot=np.empty(narrow, dtype),
        weight=np.empty(wide, dtype),
        grad_score=np.empty(narrow, dtype),
    )


def message_scratch(
    backward: bool, relations: int, buckets: int, signs: int, degree: int, width: int, dtype: np.dtype[np.floating]
) -> MessageScratch:
    """Fresh scratch buffers for tables of this size."""
    return MessageScratch(
        relation=_row_cache(relations * signs, width, dtype, backward),
        time=_row_cache(buckets * signs, width, dtype, backward),
        relation_row=np.empty(degree, np.int64),
        time_row=np.empty(degree, np.int64),
    )


@kernel(_nrt=False, inline="always")
def _displacement(edge: int, arrays: MessageArrays) -> tuple[Index, Index]:
    """Sign and bucket of an edge."""
    incoming, shape = arrays.incoming, arrays.shape
    dt = np.int64(0)
    if item(incoming.relation, edge) != shape.loop:
        dt = np.int64(item(incoming.time, edge)) - shape.origin
    sign: Index = 0
    if shape.signs > 1:
        sign = 1 + (dt > 0) - (dt < 0)
    return sign, bucket_of(abs(dt), arrays.buckets)


@kernel(_nrt=False, inline="always")
def _add_row(out: FloatArray, at: Index, weight: Vector, table: FloatArray, row: Index, n: int) -> None:
    """Add weight * table row to out, the weight given for each head."""
    factor = spread(weight)
    for c in range(0, n, 16):
        store(out, at + c, load16(out, at + c) + factor * load16(table, row + c))


@kernel(_nrt=False, inline="always")
def _cached_score(
    cache: RowCache, row: Index, j: int, U: FloatArray, table: FloatArray, n: int, lanes: tuple[int, ...]
) -> Vector:
    """Dot product u_j . row, formed when the target first uses the row."""
    width = width_of(lanes)
    if item(cache.stamp, row) != j:
        put(cache.stamp, row, j)
        put(cache.rows, cache.used[0], row)
        cache.used[0] += 1
        store(cache.score, row * width, dot_rows(U, j * n, table, row * n, n, lanes))
        store(cache.weight, row * width, fill(U, 0.0, lanes))
    return load(cache.score, row * width, lanes)


@kernel(_nrt=False)
def gather_forward(first: int, last: int, arrays: MessageArrays, result: Aggregate, scratch: MessageScratch) -> None:
    """Rows first..last of the aggregate."""
    incoming, shape, lanes = arrays.incoming, arrays.shape, arrays.lanes
    U, A, B, C = arrays.U, arrays.A, arrays.B, arrays.C
    out, score = result.out, result.score
    n = shape.row
    width = width_of(lanes)
    zero = fill(U, 0.0, lanes)
    for j in range(first, last):
        scratch.relation.used[0] = 0
        scratch.time.used[0] = 0
        for c in range(0, n, 16):
            store(out, j * n + c, zero16(U))
        begin = incoming.pair_edge[incoming.pair_row[j]]
        highest = fill(U, -3.0e38, lanes)
        seen = False
        for pair in range(incoming.pair_row[j], incoming.pair_row[j + 1]):
            last_block: Index = -1
            dot_a = zero
            for edge in range(item(incoming.pair_edge, pair), item(incoming.pair_edge, pair + 1)):
                if item(incoming.mask, edge) == 0:
                    continue
                seen = True
                sign, size = _displacement(edge, arrays)
                block = sign if shape.source_signs > 1 else 0
                if block != last_block:
                    last_block = block
                    a = (np.int64(item(incoming.pair_source, pair)) * shape.source_signs + block) * n
                    dot_a = dot_rows(U, j * n, A, a, n, lanes)
                b = np.int64(item(incoming.relation, edge)) * shape.signs + sign
                d = size * shape.signs + sign
                put(scratch.relation_row, edge - begin, b)
                put(scratch.time_row, edge - begin, d)
                # The next lines are equivalent to: s = leaky_relu(u_j @ (A[source] + B[relation] + C[size]), slope)
                s = (
                    dot_a
                    + _cached_score(scratch.relation, b, j, U, B, n, lanes)
                    + _cached_score(scratch.time, d, j, U, C, n, lanes)
                )
                s = maximum(s, s * shape.slope)
                store(score, edge * width, s)
                highest = maximum(s, highest)
        sums = zero
        for pair in range(incoming.pair_row[j], incoming.pair_row[j + 1]):
            last_block = -1
            weight = zero
            for edge in range(item(incoming.pair_edge, pair), item(incoming.pair_edge, pair + 1)):
                if item(incoming.mask, edge) == 0:
                    continue
                p = exp(load(score, edge * width, lanes) - highest)
                sums = sums + p
                b = item(scratch.relation_row, edge - begin) * width
                d = item(scratch.time_row, edge - begin) * width
                store(scratch.relation.weight, b, load(scratch.relation.weight, b, lanes) + p)
                store(scratch.time.weight, d, load(scratch.time.weight, d, lanes) + p)
                block = item(scratch.relation_row, edge - begin) % shape.signs if shape.source_signs > 1 else 0
                if block != last_block:
                    if last_block >= 0:
                        a = (np.int64(item(incoming.pair_source, pair)) * shape.source_signs + last_block) * n
                        _add_row(out, j * n, weight, A, a, n)
                    last_block = block
                    weight = zero
                weight = weight + p
            if last_block >= 0:
                a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + last_block) * n
                _add_row(out, j * n, weight, A, a, n)
        for k in range(scratch.relation.used[0]):
            b = scratch.relation.rows[k]
            _add_row(out, j * n, load(scratch.relation.weight, b * width, lanes), B, b * n, n)
        for k in range(scratch.time.used[0]):
            d = scratch.time.rows[k]
            _add_row(out, j * n, load(scratch.time.weight, d * width, lanes), C, d * n, n)
        part = zero
        if seen:
            part = fill(U, 1.0, lanes) / sums
        store(result.row_max, j * width, highest)
        store(result.row_scale, j * width, part)
        factor = spread(part)
        for c in range(0, n, 16):
            store(out, j * n + c, load16(out, j * n + c) * factor)


@kernel(_nrt=False, inline="always")
def _cached_grad_dot(
    cache: RowCache, row: Index, j: int, d_out: FloatArray, table: FloatArray, n: int, lanes: tuple[int, ...]
) -> Vector:
    """Dot product d_out_j . row, formed when the target first uses the row; the row's sums start at zero."""
    width = width_of(lanes)
    if item(cache.stamp, row) != j:
        put(cache.stamp, row, j)
        put(cache.rows, cache.used[0], row)
        cache.used[0] += 1
        store(cache.grad_dot, row * width, dot_rows(d_out, j * n, table, row * n, n, lanes))
        store(cache.weight, row * width, fill(d_out, 0.0, lanes))
        store(cache.grad_score, row * width, fill(d_out, 0.0, lanes))
    return load(cache.grad_dot, row * width, lanes)


@kernel(_nrt=False, inline="always")
def _accumulate(cache: RowCache, row: Index, p: Vector, g: Vector, lanes: tuple[int, ...]) -> None:
    """Add an edge's softmax weight and score gradient to the sums of a row."""
    width = width_of(lanes)
    store(cache.weight, row * width, load(cache.weight, row * width, lanes) + p)
    store(cache.grad_score, row * width, load(cache.grad_score, row * width, lanes) + g)


@kernel(_nrt=False, inline="always")
def _scatter_gradients(
    cache: RowCache, j: int, arrays: MessageArrays, table: FloatArray, d_out: FloatArray, d_U: FloatArray,
    d_table: FloatArray,
) -> None:  # fmt: skip
    """Gradients of all cached rows:  d_row += p d_out + g u,  d_u += g row."""
    U, lanes, n = arrays.U, arrays.lanes, arrays.shape.row
    width = width_of(lanes)
    for k in range(cache.used[0]):
        row = cache.rows[k]
        weight = spread(load(cache.weight, row * width, lanes))
        grad_score = spread(load(cache.grad_score, row * width, lanes))
        for c in range(0, n, 16):
            change = weight * load16(d_out, j * n + c) + grad_score * load16(U, j * n + c)
            store(d_table, row * n + c, load16(d_table, row * n + c) + change)
            store(d_U, j * n + c, load16(d_U, j * n + c) + grad_score * load16(table, row * n + c))
    cache.used[0] = 0


@kernel(_nrt=False)
def gather_backward(
    first: int,
    last: int,
    arrays: MessageArrays,
    result: Aggregate,
    d_out: FloatArray,
    scratch: MessageScratch,
    gradients: MessageGradients,
) -> None:
    """Gradients of rows first..last into U, B, C, and the sums of their pairs for A."""
    incoming, shape, lanes = arrays.incoming, arrays.shape, arrays.lanes
    U, A, B, C = arrays.U, arrays.A, arrays.B, arrays.C
    d_U, sums = gradients.U, gradients.pairs
    n = shape.row
    width = width_of(lanes)
    zero = fill(U, 0.0, lanes)
    for j in range(first, last):
        for c in range(0, n, 16):
            store(d_U, j * n + c, zero16(U))
        mean = dot_rows(d_out, j * n, result.out, j * n, n, lanes)  # sum of p dp: the softmax's own term
        highest = load(result.row_max, j * width, lanes)
        part = load(result.row_scale, j * width, lanes)
        for pair in range(incoming.pair_row[j], incoming.pair_row[j + 1]):
            for k in range(2 * shape.source_signs):
                store(sums, (pair * 2 * shape.source_signs + k) * width, zero)
            last_block: Index = -1
            dot_a = zero
            for edge in range(item(incoming.pair_edge, pair), item(incoming.pair_edge, pair + 1)):
                if item(incoming.mask, edge) == 0:
                    continue
                sign, size = _displacement(edge, arrays)
                block = sign if shape.source_signs > 1 else 0
                if block != last_block:
                    last_block = block
                    a = (np.int64(item(incoming.pair_source, pair)) * shape.source_signs + block) * n
                    dot_a = dot_rows(d_out, j * n, A, a, n, lanes)
                b = np.int64(item(incoming.relation, edge)) * shape.signs + sign
                d = size * shape.signs + sign
                dot_b = _cached_grad_dot(scratch.relation, b, j, d_out, B, n, lanes)
                dot_c = _cached_grad_dot(scratch.time, d, j, d_out, C, n, lanes)
                # Equivalent to: p = softmax(s), g = p * (d_out_j @ m_e - mean) * (1 if s > 0 else slope)
                s = load(result.score, edge * width, lanes)
                p = exp(s - highest) * part
                g = p * (dot_a + dot_b + dot_c - mean) * slope_of(s, shape.slope)
                _accumulate(scratch.relation, b, p, g, lanes)
                _accumulate(scratch.time, d, p, g, lanes)
                at = (pair * shape.source_signs + block) * 2 * width
                store(sums, at, load(sums, at, lanes) + p)
                store(sums, at + width, load(sums, at + width, lanes) + g)
            for block in range(shape.source_signs):
                at = (pair * shape.source_signs + block) * 2 * width
                a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + block) * n
                if any_greater(load(sums, at, lanes), zero):
                    _add_row(d_U, j * n, load(sums, at + width, lanes), A, a, n)
        _scatter_gradients(scratch.relation, j, arrays, B, d_out, d_U, gradients.B)
        _scatter_gradients(scratch.time, j, arrays, C, d_out, d_U, gradients.C)


@kernel(_nrt=False)
def gather_sources(
    first: int, last: int, arrays: MessageArrays, d_out: FloatArray, sums: FloatArray, d_A: FloatArray
) -> None:
    """Gradient of the rows first..last of A (for every sign) from the sums of the pairs."""
    incoming, shape, lanes, U = arrays.incoming, arrays.shape, arrays.lanes, arrays.U
    n = shape.row
    width = width_of(lanes)
    zero = fill(U, 0.0, lanes)
    for i in range(first, last):
        for block in range(shape.source_signs):
            a = (i * shape.source_signs + block) * n
            for c in range(0, n, 16):
                store(d_A, a + c, zero16(U))
        for k in range(incoming.source_row[i], incoming.source_row[i + 1]):
            pair = np.int64(item(incoming.source_pair, k))
            j = np.int64(item(incoming.pair_target, pair))
            for block in range(shape.source_signs):
                a = (i * shape.source_signs + block) * n
                at = (pair * shape.source_signs + block) * 2 * width
                p = load(sums, at, lanes)
                if not any_greater(p, zero):
                    continue  # no edge of this sign: softmax weights are positive
                weight = spread(p)
                grad_score = spread(load(sums, at + width, lanes))
                for c in range(0, n, 16):
                    change = weight * load16(d_out, j * n + c) + grad_score * load16(U, j * n + c)
                    store(d_A, a + c, load16(d_A, a + c) + change)
