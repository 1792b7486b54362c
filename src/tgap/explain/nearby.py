"""The known facts of a pair that lie nearest in time: what can be held against an answer that has no walk.

They are no reason. A method that compares learned vectors does not say which facts it learned them from; these are
what a reader would look up first.
"""

from __future__ import annotations

import numpy as np

from tgap.data import Facts
from tgap.data.facts import both_directions
from tgap.explain.naming import NamedEdge, Names
from tgap.scorer import Query


def nearby_facts(facts: Facts, names: Names, query: Query, answer: int, count: int) -> tuple[NamedEdge, ...]:
    """Up to ``count`` of the facts between the query's subject and an answer, either way round, nearest first.

    Of facts equally far away those of the asked relation come first. All are told from the subject's side.
    """
    relations = names.num_relations
    seen = both_directions(facts, relations)
    pair = (seen.subject == query.subject) & (seen.object == answer)
    if query.subject == answer:  # a fact of an entity with itself is seen from both sides
        pair &= seen.relation < relations
    relation, time = np.unique(np.stack([seen.relation[pair], seen.time[pair]]), axis=1)  # copies are told once
    order = np.lexsort((time, relation, relation != query.relation, np.abs(time - query.time)))[:count]
    ends = (query.subject, answer)
    return tuple(names.edge(ends, int(relation[at]), int(time[at]), query.time) for at in order)
