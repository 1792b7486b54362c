"""Contracts of a scorer that declares ``walks``, and of one that declares ``reads_facts`` besides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tgap.capabilities import FactReader, Walker
from tgap.graph import View
from tgap.graph.resolve import visible_graph
from tgap.scorer import Query, QueryBatch, StepTrace, Trace
from tgap.testing.contract import ALONE, Contract, Trial, far_apart, query_at, told
from tgap.testing.graph_contracts import some_views

_SUM = 1e-3  # how far masses that should sum to 1 may be from it


def _walker(trial: Trial) -> Walker:
    found = trial.declared.walks
    assert found is not None, "these contracts are of scorers that declare walks"
    return found


def _walks(trial: Trial) -> Iterator[tuple[Query, View, Trace]]:
    """Walks of some queries, with everything and with only the past in sight."""
    walker = _walker(trial)
    for row in range(min(ALONE, len(trial.queries))):
        for view in (View.all(), View.all().before_query()):
            query = query_at(trial.queries, row)
            yield query, view, walker.trace(query, view)


def _trace(trial: Trial) -> Iterator[str]:
    walker = _walker(trial)
    for query, view, trace in _walks(trial):
        if trace.query != query:
            yield f"the trace of {told(query)} names {told(trace.query)}"
        if trace.view != view.within(walker.setting.limits):
            yield f"the trace of {told(query)} under {view} names the view {trace.view}"
        batch = QueryBatch.of([query])
        yield from far_apart(
            batch, trace.scores[np.newaxis], walker.score(batch, view), f"trace and score under {view}"
        )


def _masses(trial: Trial) -> Iterator[str]:
    for query, _, trace in _walks(trial):
        if not trace.steps:
            yield f"the trace of {told(query)} has no step"
        for number, step in enumerate(trace.steps, start=1):
            for what, sums in (("mass", step.mass.sum(axis=0)), ("attention", step.attention.sum(axis=0))):
                if not (np.abs(sums - 1) < _SUM).all():
                    yield f"{what} of step {number} sums to {sums.tolist()} for {told(query)}"


def _edges(trial: Trial) -> Iterator[str]:
    walker = _walker(trial)
    for query, view, trace in _walks(trial):
        mask = visible_graph(walker.graph, view.within(walker.setting.limits).at(query.time)).mask
        held = {query.subject}
        for number, step in enumerate(trace.steps, start=1):
            where = f"in step {number} for {told(query)} under {view}"
            if not mask[step.edge].all():
                yield f"an edge is walked that the view does not show {where}"
            if not set(step.subject.tolist()) <= held:
                yield f"mass leaves an entity that holds none {where}"
            yield from (f"{column} is not that of the edge {where}" for column in _wrong_columns(walker, query, step))
            held = set(step.entities.tolist())


def _wrong_columns(walker: Walker, query: Query, step: StepTrace) -> Iterator[str]:
    graph = walker.graph
    loop = graph.fact[step.edge] < 0
    expected = {
        "subject": graph.source[step.edge],
        "relation": graph.relation[step.edge],
        "object": graph.neighbour[step.edge],
        "time": np.where(loop, query.time, graph.time[step.edge]),
    }
    for column, values in expected.items():
        if not np.array_equal(getattr(step, column), values):
            yield column


def _each(trial: Trial) -> Iterator[str]:
    walker = _walker(trial)
    for row in range(min(ALONE, len(trial.queries))):
        query = query_at(trial.queries, row)
        views = [View.all(), *some_views(walker)]
        found = walker.score_each(query, views)
        for place, view in enumerate(views):
            batch = QueryBatch.of([query])
            yield from far_apart(batch, found[place : place + 1], walker.score(batch, view), f"score_each under {view}")


def _reader(trial: Trial) -> FactReader:
    found = trial.declared.reads_facts
    assert found is not None, "this contract is of scorers that declare reads_facts"
    return found


def _facts(trial: Trial) -> Iterator[str]:
    reader, graph = _reader(trial), _walker(trial).graph
    for query, view, trace in _walks(trial):
        answer = int(trace.scores.argmax())
        visible = visible_graph(graph, trace.view.at(query.time))
        found = reader.facts_read(trace, answer, 5)
        where = f"for {told(query)} under {view} and the answer {answer}"
        if len(found) > 5 or len(np.unique(found)) < len(found):
            yield f"5 facts are asked for, {found.tolist()} are given {where}"
        for fact in found.tolist():
            if not 0 <= fact < graph.num_facts:
                yield f"fact {fact} does not exist, the graph has {graph.num_facts} {where}"
            elif not visible.mask[graph.fact_edge[graph.fact_row[fact]]]:
                yield f"fact {fact} is out of sight {where}"


WALK_CONTRACTS = (
    Contract("a trace is of its query and view, with the scores of score()", _trace),
    Contract("the masses of a trace sum to 1 in every step", _masses),
    Contract("a trace walks along visible edges from where mass is", _edges),
    Contract("score_each equals score under each view", _each),
)
READING_CONTRACTS = (Contract("facts_read gives facts of the graph that are in sight, each once", _facts),)
