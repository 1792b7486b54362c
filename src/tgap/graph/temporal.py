"""TemporalGraph: training facts, their inverses and a self-loop for every entity, as one compressed row table.

Layout. Row i holds the edges out of i, sorted by (neighbour, time, relation). Because every fact is there together
with its inverse, the edges INTO i are the same row read backwards: the edge out of i to j with relation r at t stands
for (j, inverse(r), i, t) too. So one table serves both directions.

The distinct-neighbour index groups a row's parallel edges into pairs (i, j): scores of an entity against its
neighbour are needed once per pair, not once per edge.

Memory: 24 bytes per edge (four of them lead from a fact to its edges), 20 per pair, 8 per fact, 16 per entity: 35 bytes
per edge in all on ICEWS14, 47 where hardly two edges are parallel. Building sorts once, O(E log E).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset
from tgap.data.facts import Facts, with_context
from tgap.errors import DataError

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]

FARTHEST = 2**30  # times lie strictly within, so that the difference of any two fits 32 bits


@dataclass(frozen=True)
class TemporalGraph:
    """Immutable; see the module for the layout. E edges, P pairs, F distinct facts."""

    num_entities: int  # N
    num_relations: int  # R, without inverses and self-loop
    row: Int64Array  # [N+1] edges of entity i stand at row[i]..row[i+1]
    source: Int32Array  # [E] i
    neighbour: Int32Array  # [E] j
    relation: Int32Array  # [E] r; inverse r + R; self-loop 2R
    time: Int32Array  # [E] t_e on the timeline; 0 for self-loops, which have no time
    fact: Int32Array  # [E] distinct fact behind the edge, the same for inverse and copies; -1 for self-loops
    pair_row: Int64Array  # [N+1] pairs of entity i stand at pair_row[i]..pair_row[i+1]
    pair_neighbour: Int32Array  # [P] j
    pair_source: Int32Array  # [P] i
    pair_twin: Int32Array  # [P] the pair (j, i)
    pair_edge: Int64Array  # [P+1] edges of pair p stand at pair_edge[p]..pair_edge[p+1]
    fact_row: Int64Array  # [F+1] edges of fact f are fact_edge[fact_row[f]..fact_row[f+1]]
    fact_edge: Int32Array  # edges sorted by fact, self-loops left out

    @property
    def num_edges(self) -> int:
        """E: two for each fact and copy, one for each entity."""
        return len(self.neighbour)

    @property
    def num_facts(self) -> int:
        """F: distinct facts."""
        return len(self.fact_row) - 1

    @property
    def loop_relation(self) -> int:
        """Relation id of self-loops."""
        return 2 * self.num_relations

    @property
    def degree(self) -> Int64Array:
        """[N] out-edges of each entity, self-loop included."""
        return np.diff(self.row)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def inverse(self, relation: Int64Array | Int32Array) -> Int64Array:
        """Relation of an edge seen from its other end."""
        count = self.num_relations
        relation = relation.astype(np.int64)
        return np.where(relation < count, relation + count, np.where(relation < 2 * count, relation - count, relation))

    def find_facts(self, subject: Int64Array, relation: Int64Array, obj: Int64Array, time: Int64Array) -> Int64Array:
        """Distinct-fact id for each (s, r, o, t), inverse relations allowed; -1 where the graph has no such fact."""
        found = np.full(len(subject), -1, dtype=np.int64)
        known = np.flatnonzero((subject >= 0) & (subject < self.num_entities))
        if len(known):
            found[known] = self._facts_in_rows(subject[known], relation[known], obj[known], time[known])
        return found

    def _facts_in_rows(
        self, source: Int64Array, relation: Int64Array, neighbour: Int64Array, time: Int64Array
    ) -> Int32Array:
        """``find_facts`` where all subjects exist: binary searches, side by side, in rows that are sorted already."""
        low, high = self.row[source], self.row[source + 1]
        last = high - 1  # there is one: every row holds a self-loop
        while (undecided := low < high).any():
            middle = np.minimum((low + high) // 2, last)
            j, t, r = self.neighbour[middle], self.time[middle], self.relation[middle]
            early = (j < neighbour) | ((j == neighbour) & ((t < time) | ((t == time) & (r < relation))))
            low = np.where(undecided & early, middle + 1, low)
            high = np.where(undecided & ~early, middle, high)
        edge = np.minimum(low, last)
        hit = (self.neighbour[edge] == neighbour) & (self.time[edge] == time) & (self.relation[edge] == relation)
        facts: Int32Array = np.where(hit, self.fact[edge], -1)
        return facts

    @classmethod
    def of(cls, dataset: Dataset, context: Sequence[str] = ()) -> TemporalGraph:
        """The graph that is walked: the training facts of a dataset, what was appended, and the ``context`` splits.

        What one of these repeats of train or of an earlier one joins no second time.
        """
        facts = graph_facts(dataset, context)
        return cls.build(dataset.num_entities, dataset.num_relations, *facts.columns)

    @classmethod
    def build(
        cls,
        num_entities: int,
        num_relations: int,
        subject: NDArray[np.integer],
        relation: NDArray[np.integer],
        obj: NDArray[np.integer],
        time: NDArray[np.integer],
    ) -> TemporalGraph:
        """Graph of the given facts. Repeated facts stay as parallel edges and share one fact id.

        >>> graph = TemporalGraph.build(2, 1, np.array([0]), np.array([0]), np.array([1]), np.array([5]))
        >>> graph.num_edges, graph.num_facts
        (4, 1)
        """
        _check_ids("subject", subject, num_entities)
        _check_ids("object", obj, num_entities)
        _check_ids("relation", relation, num_relations)
        if len(time) and (time.min() <= -FARTHEST or time.max() >= FARTHEST):
            far = time[(time <= -FARTHEST) | (time >= FARTHEST)][0]
            raise DataError(f"time {far} is 2**30 units or more from 0; choose a coarser time unit for this dataset")
        if 2 * len(subject) + num_entities >= 2**31:
            raise DataError(f"{len(subject)} facts are more than 2**30, the most a graph holds")

        # Distinct facts, numbered in sorted order: the numbers do not depend on the order of the facts given.
        order = np.lexsort((time, obj, relation, subject))
        columns = [column[order].astype(np.int32) for column in (subject, relation, obj, time)]
        fresh = np.ones(len(order), dtype=bool)
        if len(order):
            fresh[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
        fact = (np.cumsum(fresh) - 1).astype(np.int32)
        head, rel, tail, when = columns
        count = len(head)
        loops = np.arange(num_entities, dtype=np.int32)

        # Edges before sorting: facts, inverses, self-loops. Seen from its other end, fact k is inverse k.
        source = np.concatenate([head, tail, loops])
        neighbour = np.concatenate([tail, head, loops])
        edge_relation = np.concatenate([rel, rel + num_relations, np.full(num_entities, 2 * num_relations, np.int32)])
        edge_time = np.concatenate([when, when, np.zeros(num_entities, np.int32)])
        edge_fact = np.concatenate([fact, fact, np.full(num_entities, -1, np.int32)])
        order = np.lexsort((edge_relation, edge_time, neighbour, source)).astype(np.int32)
        place = np.empty_like(order)
        place[order] = np.arange(len(order), dtype=np.int32)
        other_end = np.concatenate([place[count : 2 * count], place[:count], place[2 * count :]])

        source, neighbour = source[order], neighbour[order]
        row = np.zeros(num_entities + 1, dtype=np.int64)
        np.cumsum(np.bincount(source, minlength=num_entities), out=row[1:])
        new_pair = np.ones(len(source), dtype=bool)
        new_pair[1:] = (source[1:] != source[:-1]) | (neighbour[1:] != neighbour[:-1])
        pair_start = np.flatnonzero(new_pair)
        pair_row = np.zeros(num_entities + 1, dtype=np.int64)
        np.cumsum(np.bincount(source[pair_start], minlength=num_entities), out=pair_row[1:])

        pair_of_edge = np.cumsum(new_pair, dtype=np.int32) - 1

        distinct = int(fact[-1]) + 1 if count else 0
        fact_row = np.zeros(distinct + 1, dtype=np.int64)
        np.cumsum(2 * np.bincount(fact, minlength=distinct), out=fact_row[1:])
        fact_order = np.argsort(np.concatenate([fact, fact]), kind="stable")  # plain copies first, then inverses
        return cls(
            num_entities=num_entities,
            num_relations=num_relations,
            row=row,
            source=source,
            neighbour=neighbour,
            relation=edge_relation[order],
            time=edge_time[order],
            fact=edge_fact[order],
            pair_row=pair_row,
            pair_neighbour=neighbour[pair_start],
            pair_source=source[pair_start],
            pair_twin=pair_of_edge[other_end[order[pair_start]]],
            pair_edge=np.append(pair_start, len(source)),
            fact_row=fact_row,
            fact_edge=place[: 2 * count][fact_order].astype(np.int32),
        )


def graph_facts(dataset: Dataset, context: Sequence[str]) -> Facts:
    """Facts of train, what was appended, and the splits named as ``context``."""
    more = [dataset.splits[split] for split in context]
    return with_context(dataset.train, [*more, dataset.context] if len(dataset.context) else more)


def _check_ids(what: str, ids: NDArray[np.integer], bound: int) -> None:
    if len(ids) and (ids.min() < 0 or ids.max() >= bound):
        bad = ids[(ids < 0) | (ids >= bound)][0]
        raise DataError(f"{what} id {bad} is out of range; expected 0 to {bound - 1}")
