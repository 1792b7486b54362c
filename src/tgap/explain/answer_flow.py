"""Flow to one answer: attention conditioned on ending there, exact.

Attention goes many ways; most of it may end elsewhere. Of all that crosses an edge in a step, only the part that will
arrive at the answer is a reason for *this* answer. With H flows, forward mass a~ and transitions T of the trace,

    chance[T, j, h]   = 1 at the answer, else 0
    chance[t-1, i, h] = sum over edges e = (i, j) of  T_e[t, h] chance[t, j, h]         (backward pass)
    share[t, e]       = mean over h of  a~_e[t, h] chance[t, j, h]  /  mass of the answer

``share[t]`` sums to 1 over the edges of a step, self-loops among them (the forward pass made a~): what arrived must
have crossed something in every step. An entity's share after step t is the sum over the edges into it.

Facts. One fact may be crossed in several steps, in both directions and by its copies. Its share is the sum of all these
over steps, divided by the number of steps T: of all moves on the way to the answer, the part that took this fact. The
shares of all facts and the waiting on self-loops sum to 1, and so do relations and times, which are sums over facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tgap.graph import TemporalGraph
from tgap.graph.resolve import visible_graph
from tgap.jit import kernel
from tgap.scorer import FloatArray, IntArray, Trace

Float64Array = NDArray[np.float64]


@dataclass(frozen=True)
class AnswerFlow:
    """The part of a trace that arrived at ``answer``. All shares are 0 where nothing arrived."""

    graph: TemporalGraph
    trace: Trace
    answer: int
    mass: float  # a-bar^(T)[answer]: the whole that the shares are parts of
    edges: tuple[Float64Array, ...]  # for each step, [E] share of each edge of the trace

    @classmethod
    def of(cls, graph: TemporalGraph, trace: Trace, answer: int) -> AnswerFlow:
        """One pass backwards over the steps. O(edges of the trace times flows)."""
        mass = trace.mass(answer)
        chance = np.zeros((len(trace.scores), trace.steps[0].transition.shape[1]))
        chance[answer] = 1.0
        shares: list[Float64Array] = []
        for step in reversed(trace.steps):
            arriving, chance = _step_back(step.subject, step.object, step.transition, step.attention, chance)
            shares.append(arriving / mass if mass > 0 else np.zeros(len(arriving)))
        return cls(graph, trace, answer, mass, tuple(shares[::-1]))

    @cached_property
    def entities(self) -> tuple[Float64Array, ...]:
        """For 0, 1, ..., T steps, [N] share of the answer's mass that then stood on each entity."""
        count = len(self.trace.scores)
        start = np.zeros(count)
        start[self.trace.query.subject] = float(self.mass > 0)
        after = [_sums(step.object, share, count) for step, share in zip(self.trace.steps, self.edges, strict=True)]
        return (start, *after)

    @cached_property
    def facts(self) -> Float64Array:
        """[F] share of each fact, over all steps and both directions."""
        shares = np.zeros(self.graph.num_facts)
        for step, share in zip(self.trace.steps, self.edges, strict=True):
            fact = self.graph.fact[step.edge]
            moved = fact >= 0
            shares += _sums(fact[moved], share[moved], len(shares))
        return shares / len(self.edges)

    @property
    def self_loops(self) -> float:
        """Share that stayed on self-loops: what all facts together leave of 1."""
        loop = self.graph.loop_relation
        parts = [share[step.relation == loop].sum() for step, share in zip(self.trace.steps, self.edges, strict=True)]
        return float(sum(parts)) / len(self.edges)

    def strongest_facts(self, count: int) -> IntArray:
        """Facts (ids as in ``graph.fact``) of highest share, falling; equal shares in order of id."""
        carried = np.flatnonzero(self.facts)
        order = np.argsort(-self.facts[carried], kind="stable")[:count]
        return carried[order].astype(np.int64)

    def by_relation(self) -> Float64Array:
        """[R] share of each stored relation, both directions together."""
        relation = self.graph.relation[self.stored_edge]
        return _sums(relation, self.facts, self.graph.num_relations)

    def by_time(self) -> tuple[IntArray, Float64Array]:
        """Times of the facts that brought the answer, rising, and the share of each."""
        carried = np.flatnonzero(self.facts)
        times, place = np.unique(self.graph.time[self.stored_edge[carried]], return_inverse=True)
        return times.astype(np.int64), _sums(place, self.facts[carried], len(times))

    @cached_property
    def visible(self) -> NDArray[np.bool_]:
        """[F] whether the trace could see a fact."""
        seen = visible_graph(self.graph, self.trace.view.at(self.trace.query.time))
        return seen.mask[self.stored_edge] == 1

    def alike(self, fact: int, same_pair: bool) -> IntArray:
        """Visible facts, ascending, of a fact's subject, relation and object, or else those of its time."""
        graph = self.graph
        edge = int(self.graph.fact_edge[self.graph.fact_row[fact]])
        if same_pair:
            row = slice(int(graph.row[graph.source[edge]]), int(graph.row[graph.source[edge] + 1]))
            same = (graph.neighbour[row] == graph.neighbour[edge]) & (graph.relation[row] == graph.relation[edge])
            members = np.unique(graph.fact[row][same]).astype(np.int64)
        else:
            members = np.flatnonzero(graph.time[self.stored_edge] == graph.time[edge])
        return members[self.visible[members]]

    @property
    def stored_edge(self) -> NDArray[np.int32]:
        """[F] the edge of each fact in its stored direction."""
        edges: NDArray[np.int32] = self.graph.fact_edge[self.graph.fact_row[:-1]]
        return edges


def _sums(place: NDArray[np.integer], weights: Float64Array, count: int) -> Float64Array:
    """[count] sums of ``weights`` that share a place."""
    return np.bincount(place, weights=weights, minlength=count).astype(np.float64, copy=False)


@kernel()
def _step_back(
    subject: IntArray,
    obj: IntArray,
    transition: FloatArray,
    attention: FloatArray,
    chance: Float64Array,
) -> tuple[Float64Array, Float64Array]:
    """One step backwards: [E] mass that crossed each edge and will arrive, [N, H] chance to arrive before the step."""
    edges, flows = attention.shape
    arriving = np.zeros(edges)
    before = np.zeros(chance.shape)
    for edge in range(edges):
        total = 0.0
        for flow in range(flows):
            onward = chance[obj[edge], flow]
            total += attention[edge, flow] * onward
            before[subject[edge], flow] += transition[edge, flow] * onward
        arriving[edge] = total / flows
    return arriving, before
