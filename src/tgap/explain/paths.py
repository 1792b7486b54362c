"""Paths: the mass that arrived at an answer, taken apart into the walks that brought it.

A walk takes one edge a step, v_q -> ... -> answer, and weighs the mean over flows of its product of transitions; the
weights of all walks sum to a-bar^(T)[answer], so weight / a-bar is its exact share. Parallel edges (same entities,
another date or relation) make different walks.

Self-loops are folded away: walks that differ only in when they wait are one walk here, with their shares summed. The
shares of all folded walks still sum to 1. A folded walk may have no edge at all: the answer is v_q, attention stayed.

Cost for a trace of E edges: O(E T^2 H) to drop every edge that does not lead to the answer and to bound the rest, then
the search of ``walk_search``. The walks it returns are the heaviest ones unless it ran out of its budget, which
``Walks.complete`` tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tgap.explain.walk_search import WalkTable, completion_bounds, search
from tgap.scorer import IntArray, Trace

BUDGET = 20_000_000  # edges looked at before the search gives up: a few seconds at worst


@dataclass(frozen=True)
class Walk:
    """A folded walk; ``edges`` are indices in the graph, the other tuples stand beside them.

    ``steps`` says in which step (from 1) each edge is taken: of all ways to spread the waits between the edges, the one
    that weighs most.
    """

    edges: tuple[int, ...]
    subjects: tuple[int, ...]
    relations: tuple[int, ...]
    objects: tuple[int, ...]
    times: tuple[int, ...]
    steps: tuple[int, ...]
    share: float  # of the answer's mass, 0..1

    def __len__(self) -> int:
        return len(self.edges)

    def stands(self, start: int, number: int) -> tuple[int, ...]:
        """Entities on which the walk from ``start`` stands after 0, 1, ... ``number`` steps."""
        moves = dict(zip(self.steps, self.objects, strict=True))
        places = [start]
        for step in range(1, number + 1):
            places.append(moves.get(step, places[-1]))
        return tuple(places)


@dataclass(frozen=True)
class Walks:
    """The heaviest folded walks to an answer, in falling order."""

    answer: int
    mass: float  # a-bar^(T)[answer], the whole of which the shares are parts
    walks: tuple[Walk, ...]
    number: float  # unfolded walks that lead to the answer (waits counted); a float, for they can be very many
    complete: bool  # False: the search stopped at its budget, heavier walks may be missing

    @property
    def rest(self) -> float:
        """Share of all walks that are not listed."""
        return max(0.0, 1.0 - sum(walk.share for walk in self.walks))


def heaviest_walks(trace: Trace, answer: int, loop_relation: int, count: int = 5, budget: int = BUDGET) -> Walks:
    """The ``count`` folded walks that brought most of the answer's mass.

    ``loop_relation`` is the relation id of self-loops (``graph.loop_relation``).
    """
    mass = trace.mass(answer)
    kept = leading_to(trace, answer)
    if mass <= 0.0 or not all(len(edges) for edges in kept):
        return Walks(answer, mass, (), 0.0, True)
    number = _number_of_walks(trace, kept, answer)
    table, rows = walk_table(trace, kept, answer, loop_relation)
    weights, found, looked = search(table, completion_bounds(table), count, budget)
    walks = tuple(
        _walk(table, rows, edges[edges >= 0], weight / mass)
        for weight, edges in zip(weights, found, strict=True)
        if weight > 0
    )
    return Walks(answer, mass, walks, number, bool(looked <= budget))


def leading_to(trace: Trace, answer: int) -> list[IntArray]:
    """For every step, the places of the edges from which the remaining steps can still reach the answer."""
    alive = np.zeros(len(trace.scores), dtype=bool)
    alive[answer] = True
    kept: list[IntArray] = []
    for step in reversed(trace.steps):
        edges = np.flatnonzero(alive[step.object]).astype(np.int64)
        kept.append(edges)
        alive = np.zeros_like(alive)
        alive[step.subject[edges]] = True
    return kept[::-1]


def _number_of_walks(trace: Trace, kept: list[IntArray], answer: int) -> float:
    ways: NDArray[np.float64] = np.zeros(len(trace.scores))
    ways[answer] = 1.0
    for step, edges in zip(reversed(trace.steps), reversed(kept), strict=True):
        onward = ways[step.object[edges]]
        ways = np.bincount(step.subject[edges], weights=onward, minlength=len(ways)).astype(np.float64)
    return float(ways[trace.query.subject])


@dataclass(frozen=True)
class EdgeRows:
    """The edges of a ``WalkTable`` by their ids: index in the graph, ends, relation, time."""

    edge: IntArray
    subject: IntArray
    relation: IntArray
    object: IntArray
    time: IntArray


def walk_table(trace: Trace, kept: list[IntArray], answer: int, loop_relation: int) -> tuple[WalkTable, EdgeRows]:
    """One row table for all steps: an edge that carried mass in several steps is one edge with several transitions.

    ``kept``: the edges of each step that lead to the answer, see ``leading_to``.
    """
    flows = trace.steps[0].transition.shape[1]
    present = np.zeros(1 + max(int(step.edge.max()) for step in trace.steps), dtype=bool)
    is_node = np.zeros(len(trace.scores), dtype=bool)
    is_node[[trace.query.subject, answer]] = True
    moves: list[IntArray] = []
    for step, edges in zip(trace.steps, kept, strict=True):
        moving = edges[step.relation[edges] != loop_relation]
        moves.append(moving)
        present[step.edge[moving]] = True
        is_node[step.subject[edges]] = True
        is_node[step.object[edges]] = True
    node_of = np.cumsum(is_node) - 1  # entity -> node of the table
    edge_ids = np.flatnonzero(present)
    place_of = np.cumsum(present) - 1  # edge of the graph -> row of the arrays below

    columns = {name: np.zeros(len(edge_ids), dtype=np.int64) for name in ("subject", "relation", "object", "time")}
    transition = np.zeros((len(edge_ids), len(trace.steps), flows), dtype=np.float32)
    loop = np.zeros((int(is_node.sum()), len(trace.steps), flows), dtype=np.float32)
    for number, (step, edges, moving) in enumerate(zip(trace.steps, kept, moves, strict=True)):
        places = place_of[step.edge[moving]]
        for name, column in columns.items():
            column[places] = getattr(step, name)[moving]
        transition[places, number] = step.transition[moving]
        waiting = edges[step.relation[edges] == loop_relation]
        loop[node_of[step.subject[waiting]], number] = step.transition[waiting]

    order = np.argsort(columns["subject"], kind="stable")
    rows = EdgeRows(edge_ids[order].astype(np.int64), *(column[order] for column in columns.values()))
    row = np.zeros(len(loop) + 1, dtype=np.int64)
    np.cumsum(np.bincount(node_of[rows.subject], minlength=len(loop)), out=row[1:])
    table = WalkTable(
        row=row,
        end=node_of[rows.object].astype(np.int64),
        transition=np.ascontiguousarray(transition[order]),
        loop=loop,
        start=int(node_of[trace.query.subject]),
        answer=int(node_of[answer]),
    )
    return table, rows


def _walk(table: WalkTable, rows: EdgeRows, edges: IntArray, share: float) -> Walk:
    def ids(column: IntArray) -> tuple[int, ...]:
        return tuple(int(value) for value in column[edges])

    return Walk(
        edges=ids(rows.edge),
        subjects=ids(rows.subject),
        relations=ids(rows.relation),
        objects=ids(rows.object),
        times=ids(rows.time),
        steps=_steps_taken(table, edges),
        share=float(share),
    )


def _steps_taken(table: WalkTable, edges: IntArray) -> tuple[int, ...]:
    """Steps, from 1, in which a folded walk takes its edges on its heaviest way; the earlier ones where ways tie."""
    nodes = [table.start, *(int(table.end[edge]) for edge in edges)]
    number = table.transition.shape[1]

    def weight(steps: tuple[int, ...]) -> float:
        product: NDArray[np.float64] = np.ones(table.transition.shape[2])
        taken = 0
        for step in range(number):
            if step in steps:
                product *= table.transition[edges[taken], step]
                taken += 1
            else:
                product *= table.loop[nodes[taken], step]
        return float(product.mean())

    best = max(combinations(range(number), len(edges)), key=weight)
    return tuple(step + 1 for step in best)
