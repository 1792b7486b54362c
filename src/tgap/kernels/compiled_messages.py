"""Compiled attention over incoming messages: the shared core of PGNN and SGNN, forward and backward.

    m_e = A[source, sign] + B[relation, sign] + C[size, sign]        W_s(h + rho + tau), factored
    s_e = act(u_j . m_e)   for each head,     out_j = sum of softmax(s_e) m_e over the edges e into j

Cost: O(row) an edge and pass, with tables that stay in the cache. Nothing of size edges x dimension is stored: the
forward pass keeps one score an edge and head, the backward pass forms the messages again. Softmax runs online (the
running sum is rescaled when a higher score turns up), so each message is formed once.

Gradients. B and C are small: one buffer a chunk. A row of A is fed by many targets; instead of scattering, each group
of parallel edges (a pair) leaves two coefficients a head and sign, and a second pass over the sources collects them.

Legend: E edges, M rows (targets), P pairs, S signs, n length of a row in lane layout, W lanes. All tables are flat.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc"
# ruff: noqa: ANN001, ANN202

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tgap.kernels.compiled_clock import bucket_of
from tgap.kernels.simd import any_greater, exp, fill, fold, load, load16, maximum, slope_of, spread, store, zero16


class MessageShape(NamedTuple):
    """Whole numbers that a kernel needs besides the arrays."""

    row: int  # n
    source_signs: int  # S if A has a block for each sign, 1 if its rows are already by sign
    signs: int  # S
    buckets: int  # D
    loop: int  # relation id of self-loops
    origin: int  # the instant that displacements are measured from
    exact: int  # Clock.exact
    slope: float  # of LeakyReLU


@njit(cache=True, nogil=True, inline="always")
def _displacement(edge, incoming, bounds, shape):
    """Sign (as a block of the tables) and bucket of an edge."""
    dt = 0
    if incoming.relation[edge] != shape.loop:
        dt = np.int64(incoming.time[edge]) - shape.origin
    sign = 0
    if shape.signs > 1:
        sign = 1 + (dt > 0) - (dt < 0)
    return sign, bucket_of(abs(dt), shape.exact, bounds, shape.buckets)


@njit(cache=True, nogil=True)
def gather_forward(first, last, incoming, bounds, shape, lanes, U, A, B, C, out, score, top, inverse):
    """Rows first..last of the aggregate; ``score`` [E, W], ``top`` and ``inverse`` [M, W] serve the backward pass."""
    n = shape.row
    width = len(lanes)
    message = np.empty(n, U.dtype)
    for j in range(first, last):
        highest = fill(U, -3.0e38, lanes)
        sums = fill(U, 0.0, lanes)
        seen = False
        for c in range(0, n, 16):
            store(out, j * n + c, zero16(U))
        for pair in range(incoming.pair_row[j], incoming.pair_row[j + 1]):
            for edge in range(incoming.pair_edge[pair], incoming.pair_edge[pair + 1]):
                if incoming.mask[edge] == 0:
                    continue
                seen = True
                sign, size = _displacement(edge, incoming, bounds, shape)
                block = sign if shape.source_signs > 1 else 0
                a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + block) * n
                b = (np.int64(incoming.relation[edge]) * shape.signs + sign) * n
                d = (size * shape.signs + sign) * n
                even = zero16(U)
                odd = zero16(U)
                for c in range(0, n, 32):
                    m = load16(A, a + c) + load16(B, b + c) + load16(C, d + c)
                    store(message, c, m)
                    even = even + m * load16(U, j * n + c)
                    m = load16(A, a + c + 16) + load16(B, b + c + 16) + load16(C, d + c + 16)
                    store(message, c + 16, m)
                    odd = odd + m * load16(U, j * n + c + 16)
                s = fold(even + odd, lanes)
                s = maximum(s, s * shape.slope)
                store(score, edge * width, s)
                if any_greater(s, highest):
                    higher = maximum(s, highest)
                    shrink = exp(highest - higher)
                    highest = higher
                    sums = sums * shrink
                    factor = spread(shrink)
                    for c in range(0, n, 16):
                        store(out, j * n + c, load16(out, j * n + c) * factor)
                p = exp(s - highest)
                sums = sums + p
                weight = spread(p)
                for c in range(0, n, 16):
                    store(out, j * n + c, load16(out, j * n + c) + weight * load16(message, c))
        part = fill(U, 0.0, lanes)
        if seen:
            part = fill(U, 1.0, lanes) / sums
        store(top, j * width, highest)
        store(inverse, j * width, part)
        factor = spread(part)
        for c in range(0, n, 16):
            store(out, j * n + c, load16(out, j * n + c) * factor)


@njit(cache=True, nogil=True)
def gather_backward(
    first, last, incoming, bounds, shape, lanes, U, A, B, C, out, score, top, inverse, d_out, d_U, d_B, d_C, coefficient
):
    """Gradients of rows first..last into U, B, C, and the pair coefficients [P, source_signs, 2, W] for A."""
    n = shape.row
    width = len(lanes)
    message = np.empty(n, U.dtype)
    for j in range(first, last):
        inner = zero16(U)
        for c in range(0, n, 16):
            inner = inner + load16(d_out, j * n + c) * load16(out, j * n + c)
            store(d_U, j * n + c, zero16(U))
        mean = fold(inner, lanes)  # sum of p dp: the softmax's own term
        highest = load(top, j * width, lanes)
        part = load(inverse, j * width, lanes)
        for pair in range(incoming.pair_row[j], incoming.pair_row[j + 1]):
            for block in range(shape.source_signs):
                at = (pair * shape.source_signs + block) * 2 * width
                store(coefficient, at, fill(U, 0.0, lanes))
                store(coefficient, at + width, fill(U, 0.0, lanes))
            for edge in range(incoming.pair_edge[pair], incoming.pair_edge[pair + 1]):
                if incoming.mask[edge] == 0:
                    continue
                sign, size = _displacement(edge, incoming, bounds, shape)
                block = sign if shape.source_signs > 1 else 0
                a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + block) * n
                b = (np.int64(incoming.relation[edge]) * shape.signs + sign) * n
                d = (size * shape.signs + sign) * n
                even = zero16(U)
                odd = zero16(U)
                for c in range(0, n, 32):
                    m = load16(A, a + c) + load16(B, b + c) + load16(C, d + c)
                    store(message, c, m)
                    even = even + m * load16(d_out, j * n + c)
                    m = load16(A, a + c + 16) + load16(B, b + c + 16) + load16(C, d + c + 16)
                    store(message, c + 16, m)
                    odd = odd + m * load16(d_out, j * n + c + 16)
                s = load(score, edge * width, lanes)
                p = exp(s - highest) * part
                g = p * (fold(even + odd, lanes) - mean) * slope_of(s, shape.slope)
                at = (pair * shape.source_signs + block) * 2 * width
                store(coefficient, at, load(coefficient, at, lanes) + p)
                store(coefficient, at + width, load(coefficient, at + width, lanes) + g)
                weight = spread(p)
                slant = spread(g)
                for c in range(0, n, 16):
                    u = load16(U, j * n + c)
                    dm = weight * load16(d_out, j * n + c) + slant * u
                    store(d_U, j * n + c, load16(d_U, j * n + c) + slant * load16(message, c))
                    store(d_B, b + c, load16(d_B, b + c) + dm)
                    store(d_C, d + c, load16(d_C, d + c) + dm)


@njit(cache=True, nogil=True)
def gather_sources(first, last, incoming, shape, lanes, U, d_out, coefficient, d_A):
    """Gradient of the rows first..last of A (for every sign) from the pair coefficients."""
    n = shape.row
    width = len(lanes)
    for i in range(first, last):
        for block in range(shape.source_signs):
            a = (i * shape.source_signs + block) * n
            for c in range(0, n, 16):
                store(d_A, a + c, zero16(U))
        for k in range(incoming.source_row[i], incoming.source_row[i + 1]):
            pair = incoming.source_pair[k]
            j = np.int64(incoming.pair_target[pair])
            for block in range(shape.source_signs):
                a = (i * shape.source_signs + block) * n
                at = (np.int64(pair) * shape.source_signs + block) * 2 * width
                p = load(coefficient, at, lanes)
                if not any_greater(p, p * 0.0):
                    continue  # no edge of this sign: softmax weights are positive
                weight = spread(p)
                slant = spread(load(coefficient, at + width, lanes))
                for c in range(0, n, 16):
                    dm = weight * load16(d_out, j * n + c) + slant * load16(U, j * n + c)
                    store(d_A, a + c, load16(d_A, a + c) + dm)
