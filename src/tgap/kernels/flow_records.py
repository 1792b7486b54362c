"""Records of the compiled flow: arrays that kernels share, grouped so that a kernel takes few arguments.

Numba reads a NamedTuple as it reads loose arguments, so grouping costs nothing at run time.

Legend: B queries, M entries of the mass lists, Q entries of the subgraph lists, N entities, E edges, S rows of the
shared table, K blocks, n row length, W lanes, H flows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.kernels.structure import Adjacency, BucketTable, QueryState


class FlowShape(NamedTuple):
    """Numbers that a kernel needs besides the arrays."""

    row: int  # n
    flows: int  # H
    loop: int  # relation id of self-loops, the last; times follow it in the shared table
    signed: bool  # the time of an edge stands at D - 1 + sign * bucket, else at its bucket
    slope: float  # of LeakyReLU


class FlowArrays(NamedTuple):
    """What every kernel of a flow step reads."""

    state: QueryState
    adjacency: Adjacency
    buckets: BucketTable
    shape: FlowShape
    lanes: tuple[int, ...]  # its length is the number of flows, see ``Lanes.tuple``
    mass: NDArray[np.floating]  # [M, W] a^(t-1)


class FlowKeys(NamedTuple):
    """Flat tables in lane layout: the query side u = W_Q g and the keys W_K of g, h, and of relations and times."""

    u: NDArray[np.floating]  # [Q, n]
    g: NDArray[np.floating]  # [Q, n]
    h: NDArray[np.floating]  # [rows of h, n]
    shared: NDArray[np.floating]  # [S, n] k(rho_r), then k(tau_d)
    dense: NDArray[np.floating]  # [rows, S, W] products of u with the whole shared table, for long rows
    dense_row: NDArray[np.int64]  # [Q] which of them is an entry's, or -1
    lane: NDArray[np.int64]  # [Q] place of an entry among the lanes of all blocks (compiled_blocks.py), or -1
    move_start: NDArray[np.int64]  # [K+1] where the pairs of a block begin in ``moves``
    moves: NDArray[np.floating]  # [pairs, LANES] transitions of the blocks' rows


class MassBuffers(NamedTuple):
    """Where a step writes a^(t): room for the new mass list of each query."""

    row: NDArray[np.int64]  # [B+1] where the room of a query begins
    entity: NDArray[np.int32]
    mass: NDArray[np.floating]  # [.., W]
    length: NDArray[np.int64]  # [B] of the list


class AttentionRecord(NamedTuple):
    """Where a step writes the attention of edges: those of mass entry m from start[m] on (-1: nowhere)."""

    start: NDArray[np.int64]  # [M]
    mean: NDArray[np.floating]  # mean over flows
    full: NDArray[np.floating]  # [.., W] all flows, or empty where the mean is enough


class FlowTargets(NamedTuple):
    """The entities whose mass a loss needs after the last step."""

    row: NDArray[np.int64]  # [B+1] targets of each query
    entity: NDArray[np.int32]  # [targets]
    out: NDArray[np.floating]  # [targets] their mean mass


class OutputGradient(NamedTuple):
    """Gradient of the mass that a step wrote, at the entities of its lists (or at the targets)."""

    row: NDArray[np.int64]  # [B+1]
    entity: NDArray[np.int32]
    grad: NDArray[np.floating]  # [.., W]


class FlowGradients(NamedTuple):
    """Gradients that the backward pass of a chunk writes; all come zeroed.

    Rows of mass, u, g and dense belong to one query each; shared and h are the chunk's own buffers.
    """

    mass: NDArray[np.floating]  # [M, W]
    u: NDArray[np.floating]  # [Q, n]
    g: NDArray[np.floating]  # [Q, n]
    h: NDArray[np.floating]  # row k of h stands at k + h_shift[b]
    h_shift: NDArray[np.int64]  # [B]
    shared: NDArray[np.floating]  # [S, n]
    dense: NDArray[np.floating]  # [rows, S, W]
    moves: NDArray[np.floating]  # [pairs, LANES] of the rows that blocks have scored, see ``BlockMoves``


class FlowScratch(NamedTuple):
    """Scratch buffers of one thread; every kernel leaves them as it found them (maps -1, stamps only grow)."""

    sub_index: NDArray[np.int32]  # [N] entity -> row in the subgraph list, or -1
    mass_index: NDArray[np.int32]  # [N] entity -> entry of the mass list, or -1
    out_index: NDArray[np.int32]  # [N] entity -> entry of the output list or of the targets, or -1
    stamp: NDArray[np.int64]  # [1] number of the current row
    shared_stamp: NDArray[np.int64]  # [S] row that a cached product belongs to
    shared_score: NDArray[np.floating]  # [S, W]
    shared_grad: NDArray[np.floating]  # [S, W]
    shared_list: NDArray[np.int64]  # [S] rows of the shared table that the current row uses
    used: NDArray[np.int64]  # [1] how many of them
    time_row: NDArray[np.int32]  # [largest degree] where the time of each edge stands in the shared table
    score: NDArray[np.floating]  # [H, room] exp(score - maximum) of each edge of the row
    arg_h: NDArray[np.floating]  # [H, room] x, the argument of the score's h part
    arg_g: NDArray[np.floating]  # [H, room] y, the argument of its g part
    scale: NDArray[np.floating]  # [W] 1 / (sum of ``score``)
    pair_h: NDArray[np.floating]  # [most pairs, W] u.k(h_j), then the gradient of it
    pair_g: NDArray[np.floating]  # [most pairs, W] u.k(g_j), then the gradient of it
    pair_move: NDArray[np.floating]  # [most pairs, W] transition to the neighbour


class RowBlocks(NamedTuple):
    """Which queries score a row together, see compiled_blocks.py."""

    entity: NDArray[np.int32]  # [K] whose row it is
    origin: NDArray[np.int64]  # [K] the time that displacements are measured from
    entry: NDArray[np.int64]  # [K, LANES] entry of the subgraph lists, or -1
    query: NDArray[np.int64]  # [K, LANES] its query, or -1
    mass: NDArray[np.int64]  # [K, LANES] its entry of the mass lists, or -1
    move_start: NDArray[np.int64]  # [K+1] where the pairs of the row begin in arrays of [pairs, LANES]
    member_row: NDArray[np.int64]  # [N+1] entries of the subgraph lists of each entity ...
    member: NDArray[np.int64]  # [Q] ... and which they are
    query_of: NDArray[np.int64]  # [Q] query of an entry


class BlockTables(NamedTuple):
    """The query side of the blocks and its products with the shared table."""

    transposed: NDArray[np.floating]  # [K, n, LANES] u of every lane
    rows: NDArray[np.floating]  # [K, LANES, n] the same
    dense: NDArray[np.floating]  # [K, S, LANES] products of u with the shared table


class BlockMoves(NamedTuple):
    """Transitions of the blocks' rows, and what the backward pass needs to form their scores again."""

    moves: NDArray[np.floating]  # [pairs, LANES]
    row_max: NDArray[np.floating]  # [K, LANES]
    row_scale: NDArray[np.floating]  # [K, LANES]


class BlockGradients(NamedTuple):
    """Gradients of the blocks: ``moves`` is read, the others are written and come zeroed."""

    moves: NDArray[np.floating]  # [pairs, LANES] gradient of each neighbour's scores
    rows: NDArray[np.floating]  # [K, LANES, n] of u, beside what ``dense`` brings
    dense: NDArray[np.floating]  # [K, S, LANES]
    g: NDArray[np.floating]  # [Q, n] the chunk's buffer
    h: NDArray[np.floating]  # the chunk's buffer; row k of h stands at k + h_shift
    h_shift: int


class BlockScratch(NamedTuple):
    """Scratch buffers of one chunk of blocks."""

    time_row: NDArray[np.int32]  # [largest degree] where the time of each edge stands in the shared table
    score: NDArray[np.floating]  # [largest degree, LANES]
    lane_of: NDArray[np.int64]  # [B] lane of a query in the current block, or -1
    of_h: NDArray[np.floating]  # [LANES] sums of a pair
    of_g: NDArray[np.floating]  # [LANES]
