"""Compiled attention over incoming messages: the shared core of PGNN and SGNN, forward and backward.

    m_e = A[source, sign] + B[relation, sign] + C[size, sign]                 W_s(h + rho + tau), factored
    s_e = act(u_j . m_e)   for each head,     out_j = sum of softmax(s_e) m_e over the edges e into j

Everything is linear in the three rows of a message, so within a target j a row of a table is touched twice: once for
its dot product with u_j, once to add it with the summed weight of all edges that use it. What an edge itself costs is a
handful of operations on its heads. A hub with 800 edges from 150 neighbours with 100 relations uses about 500 distinct
rows, not 2,400. Nothing of size edges x dimension exists; the forward pass keeps one score an edge and head.

Gradients. With p the softmax and g the gradient of a score before act:  dm = p d_out + g u,  du = sum of g m. Both are
again sums over distinct rows. B and C are small: one buffer a chunk. A row of A is fed by many targets; instead of
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
from tgap.kernels.simd import any_greater, exp, fill, load, load16, maximum, slope_of, spread, store, width_of, zero16


class MessageShape(NamedTuple):
    """Whole numbers that a kernel needs besides the arrays."""

    row: int  # n
    source_signs: int  # S if A has a row for each sign, 1 if its rows are already by sign
    signs: int  # S
    buckets: int  # D
    loop: int  # relation id of self-loops
    origin: int  # the instant that displacements are measured from
    exact: int  # Clock.exact
    slope: float  # of LeakyReLU


class Shelf(NamedTuple):
    """Rows of one table that the target at hand uses: their dot products and the sums over edges that use them."""

    stamp: NDArray[np.int64]  # [rows] target that a row's entries belong to
    used: NDArray[np.int64]  # [1] how many rows are listed
    rows: NDArray[np.int64]  # [rows] the listed ones
    score: NDArray[np.floating]  # [rows, W] u_j . row
    pull: NDArray[np.floating]  # [rows, W] d_out_j . row
    weight: NDArray[np.floating]  # [rows, W] sum of p
    slant: NDArray[np.floating]  # [rows, W] sum of g


class Desk(NamedTuple):
    """Scratch of one chunk."""

    relation: Shelf
    time: Shelf
    relation_row: NDArray[np.int64]  # [largest in-degree] row of B of each edge
    time_row: NDArray[np.int64]  # [largest in-degree] row of C


def _shelf(rows: int, width: int, dtype: np.dtype, backward: bool) -> Shelf:
    wide = rows * width
    narrow = wide if backward else 0
    return Shelf(
        stamp=np.full(rows, -1, np.int64),
        used=np.zeros(1, np.int64),
        rows=np.empty(rows, np.int64),
        score=np.empty(wide, dtype),
        pull=np.empty(narrow, dtype),
        weight=np.empty(wide, dtype),
        slant=np.empty(narrow, dtype),
    )


def desk(backward: bool, relations: int, buckets: int, signs: int, degree: int, width: int, dtype: np.dtype) -> Desk:
    """Scratch for tables of this size."""
    return Desk(
        relation=_shelf(relations * signs, width, dtype, backward),
        time=_shelf(buckets * signs, width, dtype, backward),
        relation_row=np.empty(degree, np.int64),
        time_row=np.empty(degree, np.int64),
    )


@kernel(_nrt=False, inline="always")
def _displacement(edge, incoming, bounds, shape):
    """Sign and bucket of an edge."""
    dt = 0
    if incoming.relation[edge] != shape.loop:
        dt = np.int64(incoming.time[edge]) - shape.origin
    sign = 0
    if shape.signs > 1:
        sign = 1 + (dt > 0) - (dt < 0)
    return sign, bucket_of(abs(dt), shape.exact, bounds, shape.buckets)


@kernel(_nrt=False, inline="always")
def _add_row(out, at, weight, table, row, n):
    """Add weight * table row to out, the weight given for each head."""
    factor = spread(weight)
    for c in range(0, n, 16):
        store(out, at + c, load16(out, at + c) + factor * load16(table, row + c))


@kernel(_nrt=False, inline="always")
def _fetch(shelf, row, j, U, table, n, lanes):
    """Dot product u_j . row, formed when the target first uses the row."""
    width = width_of(lanes)
    if shelf.stamp[row] != j:
        shelf.stamp[row] = j
        shelf.rows[shelf.used[0]] = row
        shelf.used[0] += 1
        store(shelf.score, row * width, dot_rows(U, j * n, table, row * n, n, lanes))
        store(shelf.weight, row * width, fill(U, 0.0, lanes))
    return load(shelf.score, row * width, lanes)


@kernel(_nrt=False)
def gather_forward(first, last, incoming, bounds, shape, lanes, U, A, B, C, out, score, top, inverse, desk):
    """Rows first..last of the aggregate; ``score`` [E, W], ``top`` and ``inverse`` [M, W] serve the backward pass."""
    n = shape.row
    width = width_of(lanes)
    zero = fill(U, 0.0, lanes)
    for j in range(first, last):
        desk.relation.used[0] = 0
        desk.time.used[0] = 0
        for c in range(0, n, 16):
            store(out, j * n + c, zero16(U))
        begin = incoming.pair_edge[incoming.pair_row[j]]
        highest = fill(U, -3.0e38, lanes)
        seen = False
        for pair in range(incoming.pair_row[j], incoming.pair_row[j + 1]):
            known = -1
            with_a = zero
            for edge in range(incoming.pair_edge[pair], incoming.pair_edge[pair + 1]):
                if incoming.mask[edge] == 0:
                    continue
                seen = True
                sign, size = _displacement(edge, incoming, bounds, shape)
                block = sign if shape.source_signs > 1 else 0
                if block != known:
                    known = block
                    a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + block) * n
                    with_a = dot_rows(U, j * n, A, a, n, lanes)
                b = np.int64(incoming.relation[edge]) * shape.signs + sign
                d = size * shape.signs + sign
                desk.relation_row[edge - begin] = b
                desk.time_row[edge - begin] = d
                s = with_a + _fetch(desk.relation, b, j, U, B, n, lanes) + _fetch(desk.time, d, j, U, C, n, lanes)
                s = maximum(s, s * shape.slope)
                store(score, edge * width, s)
                highest = maximum(s, highest)
        sums = zero
        for pair in range(incoming.pair_row[j], incoming.pair_row[j + 1]):
            known = -1
            weight = zero
            for edge in range(incoming.pair_edge[pair], incoming.pair_edge[pair + 1]):
                if incoming.mask[edge] == 0:
                    continue
                p = exp(load(score, edge * width, lanes) - highest)
                sums = sums + p
                b = desk.relation_row[edge - begin] * width
                d = desk.time_row[edge - begin] * width
                store(desk.relation.weight, b, load(desk.relation.weight, b, lanes) + p)
                store(desk.time.weight, d, load(desk.time.weight, d, lanes) + p)
                block = desk.relation_row[edge - begin] % shape.signs if shape.source_signs > 1 else 0
                if block != known:
                    if known >= 0:
                        a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + known) * n
                        _add_row(out, j * n, weight, A, a, n)
                    known = block
                    weight = zero
                weight = weight + p
            if known >= 0:
                a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + known) * n
                _add_row(out, j * n, weight, A, a, n)
        for k in range(desk.relation.used[0]):
            b = desk.relation.rows[k]
            _add_row(out, j * n, load(desk.relation.weight, b * width, lanes), B, b * n, n)
        for k in range(desk.time.used[0]):
            d = desk.time.rows[k]
            _add_row(out, j * n, load(desk.time.weight, d * width, lanes), C, d * n, n)
        part = zero
        if seen:
            part = fill(U, 1.0, lanes) / sums
        store(top, j * width, highest)
        store(inverse, j * width, part)
        factor = spread(part)
        for c in range(0, n, 16):
            store(out, j * n + c, load16(out, j * n + c) * factor)


@kernel(_nrt=False, inline="always")
def _fetch_pull(shelf, row, j, d_out, table, n, lanes):
    """Dot product d_out_j . row, formed when the target first uses the row; the row's sums start at zero."""
    width = width_of(lanes)
    if shelf.stamp[row] != j:
        shelf.stamp[row] = j
        shelf.rows[shelf.used[0]] = row
        shelf.used[0] += 1
        store(shelf.pull, row * width, dot_rows(d_out, j * n, table, row * n, n, lanes))
        store(shelf.weight, row * width, fill(d_out, 0.0, lanes))
        store(shelf.slant, row * width, fill(d_out, 0.0, lanes))
    return load(shelf.pull, row * width, lanes)


@kernel(_nrt=False, inline="always")
def _put_down(shelf, row, p, g, lanes):
    """Add an edge's softmax weight and score gradient to the sums of a row."""
    width = width_of(lanes)
    store(shelf.weight, row * width, load(shelf.weight, row * width, lanes) + p)
    store(shelf.slant, row * width, load(shelf.slant, row * width, lanes) + g)


@kernel(_nrt=False, inline="always")
def _return_rows(shelf, j, U, table, d_out, d_U, d_table, n, lanes):
    """Gradients of all rows on the shelf:  d_row += p d_out + g u,  d_u += g row."""
    width = width_of(lanes)
    for k in range(shelf.used[0]):
        row = shelf.rows[k]
        weight = spread(load(shelf.weight, row * width, lanes))
        slant = spread(load(shelf.slant, row * width, lanes))
        for c in range(0, n, 16):
            change = weight * load16(d_out, j * n + c) + slant * load16(U, j * n + c)
            store(d_table, row * n + c, load16(d_table, row * n + c) + change)
            store(d_U, j * n + c, load16(d_U, j * n + c) + slant * load16(table, row * n + c))
    shelf.used[0] = 0


@kernel(_nrt=False)
def gather_backward(
    first, last, incoming, bounds, shape, lanes, U, A, B, C, out, score, top, inverse, d_out, d_U, d_B, d_C,
    coefficient, desk,
):  # fmt: skip
    """Gradients of rows first..last into U, B, C, and the pair sums [P, source_signs, (p, g), W] for A."""
    n = shape.row
    width = width_of(lanes)
    zero = fill(U, 0.0, lanes)
    for j in range(first, last):
        for c in range(0, n, 16):
            store(d_U, j * n + c, zero16(U))
        mean = dot_rows(d_out, j * n, out, j * n, n, lanes)  # sum of p dp: the softmax's own term
        highest = load(top, j * width, lanes)
        part = load(inverse, j * width, lanes)
        for pair in range(incoming.pair_row[j], incoming.pair_row[j + 1]):
            for k in range(2 * shape.source_signs):
                store(coefficient, (pair * 2 * shape.source_signs + k) * width, zero)
            known = -1
            with_a = zero
            for edge in range(incoming.pair_edge[pair], incoming.pair_edge[pair + 1]):
                if incoming.mask[edge] == 0:
                    continue
                sign, size = _displacement(edge, incoming, bounds, shape)
                block = sign if shape.source_signs > 1 else 0
                if block != known:
                    known = block
                    a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + block) * n
                    with_a = dot_rows(d_out, j * n, A, a, n, lanes)
                b = np.int64(incoming.relation[edge]) * shape.signs + sign
                d = size * shape.signs + sign
                with_b = _fetch_pull(desk.relation, b, j, d_out, B, n, lanes)
                with_c = _fetch_pull(desk.time, d, j, d_out, C, n, lanes)
                s = load(score, edge * width, lanes)
                p = exp(s - highest) * part
                g = p * (with_a + with_b + with_c - mean) * slope_of(s, shape.slope)
                _put_down(desk.relation, b, p, g, lanes)
                _put_down(desk.time, d, p, g, lanes)
                at = (pair * shape.source_signs + block) * 2 * width
                store(coefficient, at, load(coefficient, at, lanes) + p)
                store(coefficient, at + width, load(coefficient, at + width, lanes) + g)
            for block in range(shape.source_signs):
                at = (pair * shape.source_signs + block) * 2 * width
                a = (np.int64(incoming.pair_source[pair]) * shape.source_signs + block) * n
                if any_greater(load(coefficient, at, lanes), zero):
                    _add_row(d_U, j * n, load(coefficient, at + width, lanes), A, a, n)
        _return_rows(desk.relation, j, U, B, d_out, d_U, d_B, n, lanes)
        _return_rows(desk.time, j, U, C, d_out, d_U, d_C, n, lanes)


@kernel(_nrt=False)
def gather_sources(first, last, incoming, shape, lanes, U, d_out, coefficient, d_A):
    """Gradient of the rows first..last of A (for every sign) from the pair sums."""
    n = shape.row
    width = width_of(lanes)
    zero = fill(U, 0.0, lanes)
    for i in range(first, last):
        for block in range(shape.source_signs):
            a = (i * shape.source_signs + block) * n
            for c in range(0, n, 16):
                store(d_A, a + c, zero16(U))
        for k in range(incoming.source_row[i], incoming.source_row[i + 1]):
            pair = np.int64(incoming.source_pair[k])
            j = np.int64(incoming.pair_target[pair])
            for block in range(shape.source_signs):
                a = (i * shape.source_signs + block) * n
                at = (pair * shape.source_signs + block) * 2 * width
                p = load(coefficient, at, lanes)
                if not any_greater(p, zero):
                    continue  # no edge of this sign: softmax weights are positive
                weight = spread(p)
                slant = spread(load(coefficient, at + width, lanes))
                for c in range(0, n, 16):
                    change = weight * load16(d_out, j * n + c) + slant * load16(U, j * n + c)
                    store(d_A, a + c, load16(d_A, a + c) + change)
