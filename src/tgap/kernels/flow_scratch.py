"""Scratch buffers of the compiled flow: made once per size and thread, then used again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.kernels.flow_plan import FlowPlan
from tgap.kernels.flow_records import BlockScratch, FlowScratch
from tgap.kernels.layout import LANES, WIDTH
from tgap.kernels.threads import run_chunks


class ScratchSize(NamedTuple):
    """What the sizes of the buffers depend on."""

    entities: int
    shared: int  # rows of the shared table
    degree: int  # edges of the longest row
    pairs: int  # most pairs of a row
    flows: int
    width: int
    dtype: np.dtype[np.floating]

    @classmethod
    def of(cls, plan: FlowPlan, shared: int, dtype: np.dtype[np.floating]) -> ScratchSize:
        """For the rows of a plan; ``shared``: rows of the shared table."""
        entities = len(plan.adjacency.row) - 1
        return cls(entities, shared, *plan.longest, plan.settings.flows, plan.lanes.width, dtype)


class ScratchPool:
    """Scratch buffers by size, each set used by one chunk at a time. Threads may share the pool."""

    def __init__(self) -> None:
        self._free: dict[ScratchSize, list[FlowScratch]] = {}
        self._lock = threading.Lock()

    def acquire(self, size: ScratchSize) -> FlowScratch:
        """Buffers for exclusive use, until they are released."""
        with self._lock:
            if self._free.get(size):
                return self._free[size].pop()
        return _flow_scratch(size)

    def release(self, size: ScratchSize, scratch: FlowScratch) -> None:
        """Return buffers; those of other sizes are dropped, so memory stays bounded."""
        with self._lock:
            if size not in self._free and len(self._free) >= 4:
                self._free.pop(next(iter(self._free)))
            self._free.setdefault(size, []).append(scratch)


POOL = ScratchPool()


def _flow_scratch(size: ScratchSize) -> FlowScratch:
    """Fresh buffers."""
    entities, shared, degree, pairs, flows, width, dtype = size
    room = -(-degree // WIDTH) * WIDTH * flows  # numbers for the edges of a row, in whole vectors
    return FlowScratch(
        sub_index=np.full(entities, -1, np.int32),
        mass_index=np.full(entities, -1, np.int32),
        out_index=np.full(entities, -1, np.int32),
        stamp=np.zeros(1, np.int64),
        shared_stamp=np.zeros(shared, np.int64),
        shared_score=np.zeros(shared * width, dtype),
        shared_grad=np.zeros(shared * width, dtype),
        shared_list=np.zeros(shared, np.int64),
        used=np.zeros(1, np.int64),
        time_row=np.zeros(degree, np.int32),
        score=np.zeros(room, dtype),
        arg_h=np.zeros(room, dtype),
        arg_g=np.zeros(room, dtype),
        scale=np.zeros(width, dtype),
        pair_h=np.zeros(pairs * width, dtype),
        pair_g=np.zeros(pairs * width, dtype),
        pair_move=np.zeros(pairs * width, dtype),
    )


def block_scratch(plan: FlowPlan, dtype: np.dtype[np.floating]) -> BlockScratch:
    """Fresh buffers for a chunk of blocks."""
    degree = plan.longest[0]
    return BlockScratch(
        time_row=np.empty(degree, np.int32),
        score=np.empty(degree * LANES, dtype),
        lane_of=np.full(plan.num_queries, -1, np.int64),
        of_h=np.zeros(LANES, dtype),
        of_g=np.zeros(LANES, dtype),
    )


def run_queries(
    plan: FlowPlan,
    shared: int,
    dtype: np.dtype[np.floating],
    work: Callable[[int, NDArray[np.int64], FlowScratch], None],
) -> None:
    """Call ``work(chunk, queries, scratch)`` for every chunk of the plan side by side and wait for all."""
    size, parts = ScratchSize.of(plan, shared, dtype), plan.chunks

    def kernel(chunk: int) -> None:
        scratch = POOL.acquire(size)
        work(chunk, parts[chunk], scratch)
        POOL.release(size, scratch)  # not after an exception: the buffers are not clean then

    run_chunks(kernel, len(parts))
