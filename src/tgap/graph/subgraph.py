"""The growing subgraphs of a batch: entities and edges of each query, and the edge set that SGNN passes messages on."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tgap.graph.resolve import VisibleGraph
from tgap.graph.temporal import Int32Array, Int64Array, TemporalGraph
from tgap.jit import kernel
from tgap.kernels.structure import Adjacency, EdgeSet, Incoming

_FEW = 32  # a sort of so few values is cheaper than a pass over everything they might be


@dataclass(frozen=True)
class Subgraphs:
    """G^(t) of every query of a batch: lists of entities and of edges."""

    row: Int64Array  # [B+1]
    entity: Int32Array  # [Q]
    edge_row: Int64Array  # [B+1]
    edge: Int64Array  # edges (index in the graph), sorted within a query
    origin: (
        Int64Array  # [Q] where the entity stood in the subgraph of the step before, -1 for entities that are new to it
    )

    @property
    def query(self) -> Int64Array:
        """[Q] query that each entity belongs to."""
        return np.repeat(np.arange(len(self.row) - 1), np.diff(self.row))

    @classmethod
    def start(cls, subject: Int64Array) -> Subgraphs:
        """G^(0): the subject alone."""
        count = len(subject)
        return cls(
            row=np.arange(count + 1, dtype=np.int64),
            entity=subject.astype(np.int32),
            edge_row=np.zeros(count + 1, np.int64),
            edge=np.empty(0, np.int64),
            origin=np.full(count, -1, np.int64),
        )

    @classmethod
    def everything(cls, num_entities: int) -> Subgraphs:
        """The ablation without subgraph, for one query: all entities (its edges are those of the graph)."""
        return cls(
            row=np.array([0, num_entities], np.int64),
            entity=np.arange(num_entities, dtype=np.int32),
            edge_row=np.zeros(2, np.int64),
            edge=np.empty(0, np.int64),
            origin=np.arange(num_entities, dtype=np.int64),
        )

    def grow(self, graph: TemporalGraph, added_row: Int64Array, added: Int64Array) -> Subgraphs:
        """G^(t): the added edges join, and both ends of each."""
        return Subgraphs(
            *_grow(self.row, self.entity, self.edge_row, self.edge, added_row, added, graph.source, graph.neighbour)
        )

    def edge_set(self, graph: TemporalGraph, time: Int64Array, signs: int) -> EdgeSet:
        """Edges among the entities [Q] as SGNN reads them; ``time`` [B] is what displacements are measured from."""
        query = np.repeat(np.arange(len(self.row) - 1), np.diff(self.edge_row))
        source = find_entries(self.row, self.entity, query, graph.source[self.edge], graph.num_entities)
        target = find_entries(self.row, self.entity, query, graph.neighbour[self.edge], graph.num_entities)
        relation = graph.relation[self.edge]
        loop = graph.loop_relation
        dt = np.where(relation == loop, 0, graph.time[self.edge].astype(np.int64) - time[query])
        order = np.argsort(target, kind="stable")
        row = np.zeros(len(self.entity) + 1, np.int64)
        np.cumsum(np.bincount(target, minlength=len(self.entity)), out=row[1:])
        return compact_edge_set(row, source[order], relation[order], dt[order], signs, len(self.entity), loop)


def compact_edge_set(
    row: Int64Array, source: Int64Array, relation: Int32Array, dt: Int64Array, signs: int, num_sources: int, loop: int
) -> EdgeSet:
    """Edges given target by target (``row``), with displacements already measured.

    Few entities send messages, so only the (source, sign) pairs that occur get a row in the table of messages.
    """
    sender, senders = _numbered(_sender(source, dt, signs, num_sources), signs * num_sources)
    source_row, source_pair = _transpose(sender, len(senders))
    incoming = Incoming(
        pair_row=row,
        pair_edge=np.arange(len(source) + 1, dtype=np.int64),
        pair_source=sender,
        relation=relation.astype(np.int32, copy=False),
        time=dt.astype(np.int32),
        mask=np.ones(len(source), np.uint8),
        source_row=source_row,
        source_pair=source_pair,
        pair_target=np.repeat(np.arange(len(row) - 1, dtype=np.int32), np.diff(row)),
    )
    parts = max(num_sources, 1)
    return EdgeSet(incoming, origin=0, loop=loop, source_index=senders % parts, source_sign=senders // parts)


def whole_edge_set(visible: VisibleGraph, inverse: Int32Array, origin: int) -> EdgeSet:
    """All visible edges as PGNN reads them. ``inverse`` [E] is the relation of each edge seen from its far end."""
    graph = visible.graph
    incoming = Incoming(
        pair_row=graph.pair_row,
        pair_edge=graph.pair_edge,
        pair_source=graph.pair_neighbour,
        relation=inverse,
        time=graph.time,
        mask=visible.mask,
        source_row=graph.pair_row,
        source_pair=graph.pair_twin,
        pair_target=graph.pair_source,
    )
    return EdgeSet(incoming, origin=origin, loop=graph.loop_relation)


def visible_adjacency(visible: VisibleGraph) -> Adjacency:
    """The visible graph as the flow reads it."""
    graph = visible.graph
    return Adjacency(
        row=graph.row,
        relation=graph.relation,
        time=graph.time,
        pair_row=graph.pair_row,
        pair_neighbour=graph.pair_neighbour,
        pair_edge=graph.pair_edge,
        mask=visible.mask,
        degree=visible.degree,
        pair_count=visible.pair_count,
        edge=np.empty(0, np.int64),
        symmetric=True,
    )


def find_entries(
    row: Int64Array, entity: Int32Array, query: Int64Array, wanted: Int32Array, num_entities: int
) -> Int64Array:
    """Entry of ``wanted[k]`` in the list of ``query[k]`` (non-decreasing), -1 where it is not in it."""
    entries: Int64Array = _find(row, entity, query, wanted, num_entities)
    return entries


def _numbered(value: Int64Array, bound: int) -> tuple[Int32Array, Int64Array]:
    """Dense numbers for the values that occur, in ascending order of the values; and those values."""
    if _FEW * len(value) < bound:
        values, number = np.unique(value, return_inverse=True)
        return number.astype(np.int32), values
    numbers: tuple[Int32Array, Int64Array] = _number(value, bound)
    return numbers


@kernel()
def _number(value, bound):
    """Without a sort, by a pass over all numbers below the bound."""
    occurs = np.zeros(bound, np.uint8)
    for k in range(len(value)):
        occurs[value[k]] = 1
    values = np.flatnonzero(occurs)
    place = np.empty(bound, np.int32)
    for k in range(len(values)):
        place[values[k]] = k
    number = np.empty(len(value), np.int32)
    for k in range(len(value)):
        number[k] = place[value[k]]
    return number, values


@kernel()
def _sender(source, dt, signs, num_sources):
    """Number of each edge's pair (sign, source) among all there could be."""
    sender = np.empty(len(source), np.int64)
    for k in range(len(source)):
        sign = np.sign(dt[k]) + 1 if signs > 1 else 0
        sender[k] = sign * num_sources + source[k]
    return sender


@kernel()
def _transpose(number, count):
    """Positions grouped by their number, as rows."""
    row = np.zeros(count + 1, np.int64)
    for k in range(len(number)):
        row[number[k] + 1] += 1
    for v in range(count):
        row[v + 1] += row[v]
    place = row[:-1].copy()
    position = np.empty(len(number), np.int32)
    for k in range(len(number)):
        position[place[number[k]]] = k
        place[number[k]] += 1
    return row, position


@kernel()
def _find(row, entity, query, wanted, num_entities):
    """Nothing is cleared: what stands in ``place`` is believed only if the list itself confirms it."""
    place = np.empty(num_entities, np.int64)
    result = np.full(len(wanted), -1, np.int64)
    k = 0
    for b in range(len(row) - 1):
        for q in range(row[b], row[b + 1]):
            place[entity[q]] = q
        while k < len(wanted) and query[k] == b:
            q = place[wanted[k]]
            if row[b] <= q < row[b + 1] and entity[q] == wanted[k]:
                result[k] = q
            k += 1
    return result


@kernel()
def _grow(row, entity, edge_row, edge, added_row, added, source, neighbour):
    queries = len(row) - 1
    new_row = np.zeros(queries + 1, np.int64)
    new_edge_row = np.zeros(queries + 1, np.int64)
    new_entity = np.empty(len(entity) + 2 * len(added), np.int32)
    origin = np.empty(len(new_entity), np.int64)
    new_edge = np.empty(len(edge) + len(added), np.int64)
    for b in range(queries):
        # Edges: sorted union.
        joint = np.concatenate((edge[edge_row[b] : edge_row[b + 1]], added[added_row[b] : added_row[b + 1]]))
        joint.sort()
        count = new_edge_row[b]
        for k in range(len(joint)):
            if k == 0 or joint[k] != joint[k - 1]:
                new_edge[count] = joint[k]
                count += 1
        new_edge_row[b + 1] = count
        # Entities: the old ones in their order, then the ends of added edges.
        begin = new_row[b]
        at = begin
        seen = {np.int64(-1)}
        for q in range(row[b], row[b + 1]):
            new_entity[at] = entity[q]
            origin[at] = q
            seen.add(np.int64(entity[q]))
            at += 1
        for k in range(added_row[b], added_row[b + 1]):
            for end in (source[added[k]], neighbour[added[k]]):
                if np.int64(end) not in seen:
                    seen.add(np.int64(end))
                    new_entity[at] = end
                    origin[at] = -1
                    at += 1
        new_row[b + 1] = at
    return (
        new_row,
        new_entity[: new_row[queries]],
        new_edge_row,
        new_edge[: new_edge_row[queries]],
        origin[: new_row[queries]],
    )
