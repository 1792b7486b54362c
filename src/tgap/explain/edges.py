"""Strongest edges: the paper's case-study table, one list a step.

An edge's attention in a step is the mean over flows of a~_e, the mass that crossed it. Self-loops are kept out of the
lists (they say only that attention waited); how much waited stands beside them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.explain.answer_flow import AnswerFlow
from tgap.scorer import IntArray, StepTrace, Trace


@dataclass(frozen=True)
class StrongEdge:
    """An edge in one step, as ids."""

    edge: int  # index in the graph
    subject: int
    relation: int
    object: int
    time: int
    before: float  # a-bar of the subject before the step
    attention: float  # a-bar~ of the edge: the mass that crossed
    answer_share: float  # share of the answer's mass that crossed this edge in this step


@dataclass(frozen=True)
class StepEdges:
    """The strongest edges of step ``step`` (from 1), in falling order."""

    step: int
    edges: tuple[StrongEdge, ...]
    carried: int  # edges that carried mass, self-loops left out
    self_loops: float  # mass that stayed on self-loops
    nodes: tuple[tuple[int, float], ...]  # entities of highest mass after the step


def strongest_edges(
    trace: Trace, loop_relation: int, count: int = 5, flow: AnswerFlow | None = None
) -> tuple[StepEdges, ...]:
    """The ``count`` strongest edges and entities of every step.

    With the ``flow`` to an answer each edge also tells how much of its mass went through it; else ``through`` is 0.
    """
    lists: list[StepEdges] = []
    for number, (step, held) in enumerate(zip(trace.steps, masses(trace), strict=False)):
        attention = mean_attention(step)
        loops = step.relation == loop_relation
        shares = np.zeros(len(attention)) if flow is None else flow.edges[number]
        top = highest(np.where(loops, -1.0, attention), min(count, int((~loops).sum())))
        edges = tuple(
            StrongEdge(
                edge=int(step.edge[place]),
                subject=int(step.subject[place]),
                relation=int(step.relation[place]),
                object=int(step.object[place]),
                time=int(step.time[place]),
                before=float(held[step.subject[place]]),
                attention=float(attention[place]),
                answer_share=float(shares[place]),
            )
            for place in top
        )
        mass = step.mass.astype(np.float64).mean(axis=1)
        nodes = tuple((int(step.entities[place]), float(mass[place])) for place in highest(mass, count))
        lists.append(StepEdges(number + 1, edges, int((~loops).sum()), float(attention[loops].sum()), nodes))
    return tuple(lists)


def masses(trace: Trace) -> list[NDArray[np.float64]]:
    """a-bar^(0), ..., a-bar^(T), each [N]: the attention that every entity holds after 0, 1, ... steps."""
    start = np.zeros(len(trace.scores))
    start[trace.query.subject] = 1.0
    columns: list[NDArray[np.float64]] = [start]
    for step in trace.steps:
        held = np.zeros(len(trace.scores))
        held[step.entities] = step.mass.astype(np.float64).mean(axis=1)
        columns.append(held)
    return columns


def mean_attention(step: StepTrace) -> NDArray[np.float64]:
    """a-bar~ of every edge of a step: the mean over flows."""
    means: NDArray[np.float64] = step.attention.astype(np.float64).mean(axis=1)
    return means


def highest(values: NDArray[np.float64], count: int) -> IntArray:
    """Places of the ``count`` highest values, falling; equal values in order of place."""
    count = min(count, len(values))
    if count == 0:
        return np.empty(0, dtype=np.int64)
    bar = np.partition(values, len(values) - count)[len(values) - count]
    places = np.flatnonzero(values >= bar)
    return places[np.argsort(-values[places], kind="stable")][:count].astype(np.int64)
