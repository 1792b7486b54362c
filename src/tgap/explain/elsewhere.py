"""Do the reasons carry the answer elsewhere? The facts of the entity asked about are given to other entities.

An explanation is sufficient in the sense of Kelpie (Rossi et al., 2022) if its facts make the model give the same
answer for entities of which it did not. Entities are drawn that train knows with the relation asked about, and for
which the answer does not come first. All get the facts at once, at the same times, and are asked the same question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from pydantic import Field

from tgap.capabilities import require_graph
from tgap.data import Dataset
from tgap.data.facts import Fact, Facts
from tgap.evaluation.ranks import scored_rank
from tgap.graph import TemporalGraph
from tgap.scorer import IntArray, Query, QueryBatch, Scorer

_MORE = 4  # entities that are looked at for each one that is wanted


@dataclass(frozen=True)
class ElsewhereRow:
    """What the first facts do for other entities."""

    facts: Annotated[
        int, Field(description="how many of the facts that speak for the answer and name the asked entity")
    ]
    entities: Annotated[int, Field(description="other entities that were given them")]
    before: Annotated[float, Field(description="mean probability of the answer for those, as things are")]
    after: Annotated[float, Field(description="the same with the facts")]
    first: Annotated[float, Field(description="share of them for which the answer then comes first; 0 as things are")]


def elsewhere(
    scorer: Scorer, dataset: Dataset, query: Query, answer: int, facts: Sequence[int], entities: int = 10, seed: int = 0
) -> tuple[ElsewhereRow, ...]:
    """Rows for the first 1, 3 and 5 of ``facts`` (ids as in ``graph.fact``) that have the asked entity at an end."""
    walker = require_graph(scorer)
    own = [fact for fact in facts if query.subject in _ends(walker.graph, fact)]
    others = _others(scorer, dataset, query, answer, entities, seed)
    if not own or not len(others):
        return ()
    batch = QueryBatch.of([Query(other, query.relation, query.time) for other in others.tolist()])
    before = walker.score(batch)[:, answer]
    rows = []
    for count in sorted({min(size, len(own)) for size in (1, 3, 5)}):
        given = [_given(walker.graph, fact, query.subject, other) for fact in own[:count] for other in others.tolist()]
        known = Facts.concatenate([dataset.context, Facts.of(given)])
        scores = walker.with_context(replace(dataset, context=known), walker.setting).score(batch)
        firsts = [scored_rank(row, answer).rank == 1.0 for row in scores]
        rows.append(
            ElsewhereRow(
                count, len(others), float(before.mean()), float(scores[:, answer].mean()), sum(firsts) / len(firsts)
            )
        )
    return tuple(rows)


def _others(scorer: Scorer, dataset: Dataset, query: Query, answer: int, count: int, seed: int) -> IntArray:
    """Entities that are on the asked side of the relation in train, for which the answer does not come first."""
    train, inverse = dataset.train, query.relation >= dataset.num_relations
    side = (train.object if inverse else train.subject)[train.relation == query.relation % dataset.num_relations]
    known = np.setdiff1d(np.unique(side), [query.subject, answer])
    random = np.random.default_rng([seed, query.subject, query.relation % dataset.num_relations])
    drawn = random.permutation(known)[: _MORE * count].astype(np.int64)
    if not len(drawn):
        return drawn
    scores = scorer.score(QueryBatch.of([Query(other, query.relation, query.time) for other in drawn.tolist()]))
    found: IntArray = drawn[scores.argmax(axis=1) != answer][:count]
    return found


def _ends(graph: TemporalGraph, fact: int) -> tuple[int, int]:
    edge = int(graph.fact_edge[graph.fact_row[fact]])
    return int(graph.source[edge]), int(graph.neighbour[edge])


def _given(graph: TemporalGraph, fact: int, old: int, new: int) -> Fact:
    """The fact with one entity in place of another."""
    edge = int(graph.fact_edge[graph.fact_row[fact]])
    subject, obj = (new if end == old else end for end in _ends(graph, fact))
    return Fact(subject, int(graph.relation[edge]), obj, int(graph.time[edge]))
