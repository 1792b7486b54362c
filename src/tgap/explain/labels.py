"""What a piece of evidence is besides a fact: codes for the document, which the text turns into words.

copy       the asked fact itself, with this answer
mirror     the same event recorded from the other side: ends swapped, same time, and the same relation or one that
           is recorded together with it at least every second time
same_day   another event of the same two at the time asked about
rival      another answer to the same question, already on record
other_end  the other end of the same statement: it began, or it ended
after      later than the time asked about: it fits with the answer, it cannot be its cause
"""

from __future__ import annotations

import re

import numpy as np

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.naming import Names
from tgap.graph import TemporalGraph
from tgap.scorer import Query, Trace

COPY, MIRROR, SAME_DAY, RIVAL, OTHER_END, AFTER = LABELS = (
    "copy",
    "mirror",
    "same_day",
    "rival",
    "other_end",
    "after",
)
_TOGETHER = 0.5  # share of a relation's facts that another one accompanies, swapped, to be its mirror
_LOOKED_AT = 500  # facts of a relation that this is measured on
_END = re.compile(r"(?P<stem>.+?)[-_ ]*(?:occur)?(?:since|until|start|end|began|ended)$", re.IGNORECASE)


def fact_labels(names: Names, flow: AnswerFlow, fact: int) -> tuple[str, ...]:
    """The codes that fit a fact (id as in ``graph.fact``), in the order of ``LABELS``."""
    graph, query = flow.graph, flow.trace.query
    edge = int(flow.stored_edge[fact])
    ends, relation = (int(graph.source[edge]), int(graph.neighbour[edge])), int(graph.relation[edge])
    time = int(graph.time[edge])
    asked, asked_relation = asked_ends(graph, query, flow.answer)
    found = []
    if time == query.time and set(ends) == set(asked):
        if (ends, relation) == (asked, asked_relation):
            found.append(COPY)
        elif ends == asked[::-1] and (relation == asked_relation or _accompanied(graph, asked_relation, relation)):
            found.append(MIRROR)
        else:
            found.append(SAME_DAY)
    if time == query.time and relation == asked_relation and ends != asked:
        side = 0 if query.relation < graph.num_relations else 1  # of the entity asked about
        if ends[side] == query.subject:
            found.append(RIVAL)
    if ends == asked and relation != asked_relation and _two_ends(names, relation, asked_relation):
        found.append(OTHER_END)
    if time > query.time:
        found.append(AFTER)
    return tuple(found)


def first_new_answer(graph: TemporalGraph, trace: Trace) -> int:
    """The likeliest entity among those that no fact of the graph makes true at that time."""
    query = trace.query
    own = slice(graph.row[query.subject], graph.row[query.subject + 1])
    told = graph.neighbour[own][(graph.relation[own] == query.relation) & (graph.time[own] == query.time)]
    if not trace.view.at(query.time).shows(query.time):
        told = told[:0]  # out of sight
    scores = trace.scores.copy()
    scores[told] = -1.0
    return int(scores.argmax())


def asked_ends(graph: TemporalGraph, query: Query, answer: int) -> tuple[tuple[int, int], int]:
    """Subject and object of the fact that a question makes with an answer, and its stored relation."""
    if query.relation < graph.num_relations:
        return (query.subject, answer), query.relation
    return (answer, query.subject), query.relation - graph.num_relations


def _accompanied(graph: TemporalGraph, relation: int, other: int) -> bool:
    """Whether facts of a relation mostly come with one of another, ends swapped, at the same time."""
    stored = graph.fact_edge[graph.fact_row[:-1]]
    edge = stored[graph.relation[stored] == relation][:_LOOKED_AT]
    if not len(edge):
        return False
    columns = (graph.neighbour[edge], np.full(len(edge), other), graph.source[edge], graph.time[edge])
    return bool((graph.find_facts(*(column.astype(np.int64) for column in columns)) >= 0).mean() >= _TOGETHER)


def _two_ends(names: Names, one: int, other: int) -> bool:
    """Whether two relations are the beginning and the end of one statement, by their names."""
    parts = [_END.match(names.relation(relation)[0]) for relation in (one, other)]
    return all(parts) and len({part["stem"].lower() for part in parts if part}) == 1
