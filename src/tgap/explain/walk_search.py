"""Search for the heaviest folded walks in one table of transitions: branch and bound, compiled.

A walk takes T edges, one a step; with H flows it weighs the mean over flows of its product of transitions. Folding
drops its self-loops, so a folded walk f_1..f_m (m <= T) stands for every way to spread T - m waits between its edges,
and weighs their sum. For a prefix f_1..f_n that ends in node i keep

    F[t, h] = weight in flow h of all ways to take it in exactly t steps, the last step being f_n

A further edge f out of i, and an end at the answer, follow from it (L: product of i's self-loop over steps t+1..s):

    F'[s+1, h] = sum over t <= s of  F[t, h] L[i, t..s, h] transition[f, s+1, h]
    weight     = mean over h of  sum over t of  F[t, h] L[i, t..T, h]                        where i is the answer

Bound. U[t, i, h] is at least what any one folded completion from i after t steps can weigh in flow h:

    U[t, i, h] = the larger of  L[i, t..T, h]  (only where i is the answer)  and
                 max over f of  sum over s of  L[i, t..s, h] transition[f, s+1, h] U[s+1, end of f, h]

so no completion of a prefix weighs more than the mean over h of sum over t of F[t, h] U[t, i, h]: the bound is a mean
of maxima, never less than the maximum of means that is wanted. A branch whose bound does not beat the k-th best walk
by one part in 10^9 is cut (so that exact ties, which are everywhere in uniform rows, are not all walked).

Cost: U takes O(E T^2 H). The search is exponential in T in the worst case; it counts the edges it looks at and stops at
a budget, and then says so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.jit import kernel

_MARGIN = 1.0 + 1e-9  # ties closer than this are not told apart


class WalkTable(NamedTuple):
    """Edges that lie on some walk to the answer, in rows by the node they leave. M nodes, E edges, T steps, H flows."""

    row: NDArray[np.int64]  # [M+1]
    end: NDArray[np.int64]  # [E] node that the edge leads to
    transition: NDArray[np.float32]  # [E, T, H] 0 where the edge did not carry mass in that step
    loop: NDArray[np.float32]  # [M, T, H] transition of the node's self-loop
    start: int
    answer: int


@kernel()
def completion_bounds(table: WalkTable) -> NDArray[np.float64]:
    """U of the module's text, [T+1, M, H]."""
    nodes = len(table.row) - 1
    steps, flows = table.transition.shape[1], table.transition.shape[2]
    bound = np.zeros((steps + 1, nodes, flows))
    bound[steps, table.answer] = 1.0
    for taken in range(steps - 1, -1, -1):
        for node in range(nodes):
            for flow in range(flows):
                if node == table.answer:
                    wait = 1.0
                    for step in range(taken, steps):
                        wait *= table.loop[node, step, flow]
                    bound[taken, node, flow] = wait
            for edge in range(table.row[node], table.row[node + 1]):
                end = table.end[edge]
                for flow in range(flows):
                    wait, total = 1.0, 0.0
                    for step in range(taken, steps):
                        total += wait * table.transition[edge, step, flow] * bound[step + 1, end, flow]
                        wait *= table.loop[node, step, flow]
                    bound[taken, node, flow] = max(bound[taken, node, flow], total)
    return bound


@kernel()
def _extend(table: WalkTable, node: int, edge: int, prefix: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """F' of the module's text: ``prefix`` [T+1, H] ends in ``node``, ``out`` takes ``edge`` after it."""
    steps, flows = table.transition.shape[1], table.transition.shape[2]
    for flow in range(flows):
        waiting = 0.0
        out[0, flow] = 0.0
        for step in range(steps):
            waiting += prefix[step, flow]
            out[step + 1, flow] = waiting * table.transition[edge, step, flow]
            waiting *= table.loop[node, step, flow]


@kernel()
def _mean_product(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Mean over flows of the sum over steps of two [T+1, H] tables."""
    total = 0.0
    for step in range(left.shape[0]):
        for flow in range(left.shape[1]):
            total += float(left[step, flow] * right[step, flow])
    return total / int(left.shape[1])


@kernel()
def search(
    table: WalkTable, bound: NDArray[np.float64], count: int, budget: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
    """Weights [k] in falling order, edges [k, T] (-1 after a walk's end), and how many edges were looked at.

    More than ``budget`` means that the search was cut short: its walks are real, but there may be heavier ones.
    """
    steps, flows = table.transition.shape[1], table.transition.shape[2]
    weights = np.zeros(count)
    walks = np.full((count, steps), -1, dtype=np.int64)
    prefix = np.zeros((steps + 1, steps + 1, flows))  # F at each depth of the stack
    prefix[0, 0] = 1.0
    node = np.zeros(steps + 1, dtype=np.int64)
    node[0] = table.start
    taken = np.full(steps, -1, dtype=np.int64)
    looked = 0

    # Edges of the start, most promising first: a good k-th walk early cuts the rest.
    first, last = table.row[table.start], table.row[table.start + 1]
    promise = np.zeros(last - first)
    for edge in range(first, last):
        _extend(table, table.start, edge, prefix[0], prefix[1])
        promise[edge - first] = _mean_product(prefix[1], bound[:, table.end[edge]])
    order = np.argsort(-promise)
    if table.start == table.answer:
        _keep(weights, walks, taken, 0, _finish(table, table.start, prefix[0]))

    for place in order:
        if promise[place] <= weights[count - 1] * _MARGIN or looked > budget:
            break
        depth = 1
        _extend(table, table.start, first + place, prefix[0], prefix[1])
        taken[0] = first + place
        node[1] = table.end[first + place]
        cursor = np.zeros(steps + 1, dtype=np.int64)
        cursor[1] = -1  # -1: the node was just entered
        while depth > 0 and looked <= budget:
            here = node[depth]
            if cursor[depth] < 0:
                cursor[depth] = table.row[here]
                if here == table.answer:
                    _keep(weights, walks, taken, depth, _finish(table, here, prefix[depth]))
            if depth == steps or cursor[depth] == table.row[here + 1]:
                depth -= 1
                continue
            edge = cursor[depth]
            cursor[depth] += 1
            looked += 1
            _extend(table, here, edge, prefix[depth], prefix[depth + 1])
            if _mean_product(prefix[depth + 1], bound[:, table.end[edge]]) > weights[count - 1] * _MARGIN:
                taken[depth] = edge
                depth += 1
                node[depth] = table.end[edge]
                cursor[depth] = -1
    return weights, walks, looked


@kernel()
def _finish(table: WalkTable, node: int, prefix: NDArray[np.float64]) -> float:
    """Weight of the walk that ends here and waits out the remaining steps."""
    steps, flows = table.transition.shape[1], table.transition.shape[2]
    total = 0.0
    for flow in range(flows):
        waiting = 0.0
        for step in range(steps):
            waiting = (waiting + prefix[step, flow]) * table.loop[node, step, flow]
        total += float(waiting + prefix[steps, flow])
    return total / int(flows)


@kernel()
def _keep(
    weights: NDArray[np.float64], walks: NDArray[np.int64], taken: NDArray[np.int64], length: int, weight: float
) -> None:
    """Insert a walk into the list of the best if it belongs there."""
    place = len(weights)
    while place > 0 and weights[place - 1] < weight:
        place -= 1
    if place == len(weights):
        return
    for other in range(len(weights) - 1, place, -1):
        weights[other] = weights[other - 1]
        walks[other] = walks[other - 1]
    weights[place] = weight
    walks[place] = -1
    walks[place, :length] = taken[:length]
