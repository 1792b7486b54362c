"""Chains: walks that pass through the same entities, taken together.

Two entities may have met in a hundred events, and a walk picks one of them at every step: millions of walks, each of a
tiny share, tell one story. A chain is the sequence of entities alone; its share is the sum over all walks (self-loops
folded away, as in ``paths``) that pass through them in this order, whichever events they took.

Exact: which event carries the walk from one entity to the next does not change what follows, so the sum over events of
products is the product of sums. The search is that of ``walk_search`` on a table whose parallel edges are added up.

Each link of a chain then says how its share is divided among events: with P[s, h] the weight of all ways to stand at
its beginning before step s, B[s, h] that of all ways to go on from its end after it, event e brings

    mean over h of  sum over s of  P[s, h] T_e[s, h] B[s, h]

and over the events of a link these sum to the weight of the chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.paths import BUDGET, EdgeRows, leading_to, walk_table
from tgap.explain.walk_search import WalkTable, completion_bounds, search
from tgap.scorer import IntArray

Float64Array = NDArray[np.float64]


@dataclass(frozen=True)
class Link:
    """One hop of a chain."""

    subject: int
    object: int
    edges: IntArray  # indices in the graph of the edges between the two that carried the chain, strongest first
    shares: Float64Array  # what each of them brings, as parts of the chain: sum 1


@dataclass(frozen=True)
class Chain:
    """Entities in the order they are visited; no link at all where attention stayed."""

    links: tuple[Link, ...]
    share: float  # of the answer's mass


@dataclass(frozen=True)
class Chains:
    """The heaviest chains to an answer, in falling order."""

    chains: tuple[Chain, ...]
    complete: bool  # False: the search stopped at its budget, heavier chains may be missing

    @property
    def rest(self) -> float:
        """Share of all chains that are not listed."""
        return max(0.0, 1.0 - sum(chain.share for chain in self.chains))


def heaviest_chains(flow: AnswerFlow, count: int = 5, budget: int = BUDGET) -> Chains:
    """The ``count`` chains that brought most of the answer's mass."""
    kept = leading_to(flow.trace, flow.answer)
    if flow.mass <= 0.0 or not all(len(edges) for edges in kept):
        return Chains((), True)
    table, rows = walk_table(flow.trace, kept, flow.answer, flow.graph.loop_relation)
    merged, pair_row = _merge(table)
    weights, found, looked = search(merged, completion_bounds(merged), count, budget)
    chains = tuple(
        Chain(_links(table, rows, merged, pair_row, pairs[pairs >= 0]), float(weight / flow.mass))
        for weight, pairs in zip(weights, found, strict=True)
        if weight > 0
    )
    return Chains(chains, bool(looked <= budget))


def _merge(table: WalkTable) -> tuple[WalkTable, IntArray]:
    """The table with parallel edges added up to one, and which edges each new one stands for ([pairs + 1])."""
    edges = len(table.end)
    subject = np.repeat(np.arange(len(table.row) - 1), np.diff(table.row))
    fresh = np.ones(edges, dtype=bool)  # edges between the same two entities stand side by side
    fresh[1:] = (subject[1:] != subject[:-1]) | (table.end[1:] != table.end[:-1])
    first = np.flatnonzero(fresh).astype(np.int64)
    row = np.zeros(len(table.row), dtype=np.int64)
    np.cumsum(np.bincount(subject[first], minlength=len(row) - 1), out=row[1:])
    sums = np.add.reduceat(table.transition, first, axis=0) if edges else table.transition
    merged = table._replace(row=row, end=table.end[first], transition=np.ascontiguousarray(sums))
    return merged, np.append(first, edges)


def _links(
    table: WalkTable, rows: EdgeRows, merged: WalkTable, pair_row: IntArray, pairs: IntArray
) -> tuple[Link, ...]:
    """The hops of one chain, each with its events."""
    nodes = [table.start, *(int(merged.end[pair]) for pair in pairs)]
    hops = merged.transition[pairs].astype(np.float64)  # [m, T, H]
    waits = table.loop[nodes].astype(np.float64)  # [m + 1, T, H]
    before = _arrivals(hops, waits)
    after = _completions(hops, waits)
    links = []
    for number, pair in enumerate(pairs.tolist()):
        edges = np.arange(pair_row[pair], pair_row[pair + 1])
        parts = (before[number] * table.transition[edges] * after[number + 1, 1:]).sum(axis=1).mean(axis=1)
        order = np.argsort(-parts, kind="stable")
        order = order[parts[order] > 0]
        mine = edges[order]
        ends = int(rows.subject[edges[0]]), int(rows.object[edges[0]])
        links.append(Link(*ends, rows.edge[mine], parts[order] / parts.sum()))
    return tuple(links)


def _arrivals(hops: Float64Array, waits: Float64Array) -> Float64Array:
    """[m, T, H]: weight of all ways to stand at the k-th entity before each step, the links up to it taken."""
    links, steps, flows = hops.shape
    standing = np.zeros((links, steps, flows))
    arriving = np.zeros((steps + 1, flows))  # by the number of steps taken
    arriving[0] = 1.0
    for link in range(links):
        held = np.zeros(flows)
        onward = np.zeros_like(arriving)
        for step in range(steps):
            held = held + arriving[step]
            standing[link, step] = held
            onward[step + 1] = held * hops[link, step]
            held = held * waits[link, step]
        arriving = onward
    return standing


def _completions(hops: Float64Array, waits: Float64Array) -> Float64Array:
    """[m + 1, T + 1, H]: weight of all ways to go on from the k-th entity after a number of steps, to the very end."""
    links, steps, flows = hops.shape
    onward = np.zeros((links + 1, steps + 1, flows))
    onward[links, steps] = 1.0
    for link in range(links, -1, -1):
        for step in range(steps - 1, -1, -1):
            onward[link, step] = waits[link, step] * onward[link, step + 1]
            if link < links:
                onward[link, step] += hops[link, step] * onward[link + 1, step + 1]
    return onward
