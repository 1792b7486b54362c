"""The relation's own prior: how often its facts have an answer, whatever the subject is.

Attention cannot reach what no chain of facts leads to: an unseen subject has no edge at all, and some answers are too
far away. All of these have exactly probability 0 and tie. With ``prior`` = w above 0,

    score(o) = (1 - w) a^(T)(o) + w p_r(o),       p_r(o) = (n_r(o) + n(o) / n) / (n_r + 1)

where n_r(o) counts the visible facts that have o as an answer to r, n_r all facts of r, n(o) and n the same over all
relations: one fact's worth of how often o occurs at all. It orders what no attention reaches; a small w leaves the
order of everything else. It is no part of training.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.graph import TemporalGraph
from tgap.graph.resolve import VisibleGraph


class RelationPrior:
    """p_r under any view of one graph."""

    def __init__(self, graph: TemporalGraph) -> None:
        self.graph = graph
        self._order = np.argsort(graph.relation, kind="stable")  # edges by relation
        relations = 2 * graph.num_relations + 1
        self._row = np.searchsorted(graph.relation[self._order], np.arange(relations + 1))

    def __call__(self, visible: VisibleGraph, relation: int) -> NDArray[np.float64]:
        """[N] p_r: sums to 1 where the view shows any fact, else all 0. O(edges of the relation + entities)."""
        graph = self.graph
        edges = self._order[self._row[relation] : self._row[relation + 1]]
        edges = edges[visible.mask[edges] == 1]
        own = np.bincount(graph.neighbour[edges], minlength=graph.num_entities)
        every = visible.degree - 1  # without the self-loop; an edge into an entity for every one out of it
        total = int(every.sum())
        if not total:
            return np.zeros(graph.num_entities)
        return (own + every / total) / (len(edges) + 1)
