"""Groups of events that people name together; an explanation takes each away as a whole.

    pair     all visible events of one subject, relation and object, whenever they happened
    between  all visible events between two entities: the one asked about and the answer, or two others on the way
    time     all visible events of one time

Wider ones, for answers that none of these decides:

    day      events at the time asked about, of the entity asked about or of the answer
    own      events of the entity asked about with others, of the relation asked about
    toward   events of the answer with others, of the relation asked about
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.explain.answer_flow import AnswerFlow
from tgap.scorer import IntArray

PAIR, BETWEEN, TIME, DAY, OWN, TOWARD = KINDS = ("pair", "between", "time", "day", "own", "toward")
_OTHERS = 2  # couples of entities on the way that are tried besides the two of the question
_MOST = 2000  # events of a wider group; a larger one says nothing


@dataclass(frozen=True)
class Group:
    """Facts (ids as in ``graph.fact``, ascending) that belong together."""

    kind: str  # one of ``KINDS``
    facts: tuple[int, ...]
    ends: tuple[int, ...] = ()  # the entities that it is about


def named_groups(flow: AnswerFlow, pairs: int, times: int) -> list[Group]:
    """The ``pairs`` and ``times`` of highest share, and events between two; each of at least two facts, each once."""
    found = [*_pairs(flow, pairs), *(_between(flow) if pairs else ()), *_times(flow, times)]
    return _distinct(found)


def wider_groups(flow: AnswerFlow) -> list[Group]:
    """Events of the day, and of the asked relation."""
    graph, query = flow.graph, flow.trace.query
    now = graph.time[flow.stored_edge] == query.time
    start, answer = query.subject, flow.answer
    ends = np.union1d(_facts_of(flow, start), _facts_of(flow, answer))
    back = int(graph.inverse(np.array([query.relation]))[0])
    return _distinct(
        group
        for group in (
            Group(DAY, _ids(ends[now[ends]]), (start, answer)),
            Group(OWN, _ids(_facts_of(flow, start, query.relation)), (start,)),
            Group(TOWARD, _ids(_facts_of(flow, answer, back)), (answer,)),
        )
        if len(group.facts) <= _MOST
    )


def _pairs(flow: AnswerFlow, count: int) -> list[Group]:
    graph, carried = flow.graph, np.flatnonzero(flow.facts > 0)
    edge = flow.stored_edge[carried]
    ends = graph.source[edge].astype(np.int64) * graph.num_entities + graph.neighbour[edge]
    found: list[Group] = []
    for fact in _strongest(flow, carried, ends * graph.num_relations + graph.relation[edge]):
        if len(found) == count:
            break
        members = flow.alike(fact, same_pair=True)
        if len(members) > 1:
            found.append(Group(PAIR, _ids(members), _ends_of(flow, fact)))
    return found


def _times(flow: AnswerFlow, count: int) -> list[Group]:
    carried = np.flatnonzero(flow.facts > 0)
    found: list[Group] = []
    for fact in _strongest(flow, carried, flow.graph.time[flow.stored_edge[carried]].astype(np.int64)):
        if len(found) == count:
            break
        members = flow.alike(fact, same_pair=False)
        if len(members) > 1:
            found.append(Group(TIME, _ids(members)))
    return found


def _between(flow: AnswerFlow) -> list[Group]:
    """Events between the two entities of the question, and between the others that carried most."""
    graph, carried = flow.graph, np.flatnonzero(flow.facts > 0)
    edge = flow.stored_edge[carried]
    low, high = (
        np.minimum(graph.source[edge], graph.neighbour[edge]),
        np.maximum(graph.source[edge], graph.neighbour[edge]),
    )
    couples = [(flow.trace.query.subject, flow.answer)]
    strongest = _strongest(flow, carried, low.astype(np.int64) * graph.num_entities + high)
    couples += [_ends_of(flow, fact) for fact in list(strongest)[: _OTHERS + 1]]
    distinct = list({frozenset(couple): couple for couple in reversed(couples)}.values())[::-1]
    return [
        Group(BETWEEN, _ids(facts_between(flow, *couple)), couple) for couple in distinct if couple[0] != couple[1]
    ][: _OTHERS + 1]


def facts_between(flow: AnswerFlow, one: int, other: int) -> IntArray:
    """Visible facts between two entities, either way round, ascending."""
    graph = flow.graph
    if graph.degree[other] < graph.degree[one]:
        one, other = other, one
    row = slice(int(graph.row[one]), int(graph.row[one + 1]))
    return _visible(flow, graph.fact[row][graph.neighbour[row] == other])


def _facts_of(flow: AnswerFlow, entity: int, relation: int | None = None) -> IntArray:
    """Visible facts of an entity, ascending; of one relation as seen from the entity, if it is given."""
    graph = flow.graph
    row = slice(int(graph.row[entity]), int(graph.row[entity + 1]))
    facts = graph.fact[row]
    return _visible(flow, facts if relation is None else facts[graph.relation[row] == relation])


def _visible(flow: AnswerFlow, facts: NDArray[np.integer]) -> IntArray:
    found = np.unique(facts[facts >= 0]).astype(np.int64)
    return found[flow.visible[found]]


def _strongest(flow: AnswerFlow, carried: IntArray, key: IntArray) -> Iterable[int]:
    """One fact of each group of equal keys, groups in falling order of their share.

    The few facts that have a share tell which groups there are; only of the best of them the members are looked up.
    """
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    shares = np.bincount(group.ravel(), weights=flow.facts[carried])
    return (int(carried[first[number]]) for number in np.argsort(-shares, kind="stable"))


def _ends_of(flow: AnswerFlow, fact: int) -> tuple[int, int]:
    edge = flow.stored_edge[fact]
    return int(flow.graph.source[edge]), int(flow.graph.neighbour[edge])


def _ids(facts: IntArray) -> tuple[int, ...]:
    return tuple(facts.tolist())


def _distinct(groups: Iterable[Group]) -> list[Group]:
    """Those of at least two facts, each set of facts once."""
    found: dict[tuple[int, ...], Group] = {}
    for group in groups:
        if len(group.facts) > 1:
            found.setdefault(group.facts, group)
    return list(found.values())
