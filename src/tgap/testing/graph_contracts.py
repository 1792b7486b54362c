"""Contracts of a scorer that declares ``reads_graph``: views, limits and facts that join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tgap.capabilities import GraphScorer
from tgap.data import Dataset, Fact, Facts, Vocabulary
from tgap.graph import View
from tgap.graph.setting import EvaluationSetting
from tgap.graph.temporal import graph_facts
from tgap.scorer import FloatArray, IntArray, QueryBatch
from tgap.testing.contract import ALONE, Contract, Trial, facts_outside, far_apart, query_at
from tgap.testing.score_contracts import kind_broken

NEW_NAMES = ("an entity that joined", "a relation that joined")


def _reader(trial: Trial) -> GraphScorer:
    found = trial.declared.reads_graph
    assert found is not None, "these contracts are of scorers that declare reads_graph"
    return found


def free(trial: Trial) -> GraphScorer:
    """The scorer without limits of its own."""
    return _reader(trial).restricted_to(View.all())


def fact_times(scorer: GraphScorer) -> IntArray:
    """[F] time of each fact of the graph."""
    graph = scorer.graph
    times: IntArray = graph.time[graph.fact_edge[graph.fact_row[:-1]]].astype(np.int64)
    return times


def some_views(scorer: GraphScorer) -> Sequence[View]:
    """Views of every kind."""
    times = fact_times(scorer)
    middle = int(np.median(times)) if len(times) else 0
    some = View.all().without(range(0, scorer.graph.num_facts, 3))
    past = View.all().before_query()
    window = View.all().window(max(1, int(np.ptp(times)) // 3 if len(times) else 1))
    return View.all().until(middle), View.all().since(middle), past, window, some, past.until(middle).without([0])


def _graph(trial: Trial) -> Iterator[str]:
    reader = _reader(trial)
    facts = graph_facts(trial.dataset, reader.setting.context)
    for row in np.flatnonzero(reader.graph.find_facts(*facts.columns) < 0)[:1]:
        yield f"the fact {tuple(facts[int(row)])} of the setting {reader.setting.context_name} is not in the graph"
    whole = reader.score(trial.queries)
    yield from far_apart(trial.queries, whole, reader.score(trial.queries, View.all()), "without a view and with all")


def _reacts(trial: Trial) -> Iterator[str]:
    scorer = free(trial)
    every = View.all().without(range(scorer.graph.num_facts))
    whole, nothing = scorer.score(trial.queries), scorer.score(trial.queries, every)
    if np.array_equal(whole, nothing):
        yield f"{len(trial.queries)} queries have the same scores when all facts are hidden"


def _views(trial: Trial) -> Iterator[str]:
    scorer, queries = free(trial), trial.queries.take(slice(0, ALONE))
    times = fact_times(scorer)
    for view in some_views(scorer):
        shown = scorer.score(queries, view)
        removed = _one_by_one(scorer, queries, view, times)
        yield from far_apart(queries, shown, removed, f"under {view}, and with facts outside of it taken away")


def _one_by_one(scorer: GraphScorer, queries: QueryBatch, view: View, times: IntArray) -> FloatArray:
    """Scores of each query under the view, with the facts that it does not show taken away by name as well."""
    rows = []
    for row in range(len(queries)):
        hidden = facts_outside(times, view, query_at(queries, row).time)
        rows.append(scorer.score(queries.take(slice(row, row + 1)), view.without(hidden.tolist())))
    return np.concatenate(rows)


def _future(trial: Trial) -> Iterator[str]:
    scorer, queries = free(trial), trial.queries.take(slice(0, ALONE))
    past = scorer.score(queries, View.all().before_query())
    times = fact_times(scorer)
    for row in range(len(queries)):
        one = queries.take(slice(row, row + 1))
        later = np.flatnonzero(times >= one.time[0])
        taken = scorer.score(one, View.all().without(later.tolist()))
        yield from far_apart(one, past[row : row + 1], taken, "with only the past seen, and without later facts")


def _limits(trial: Trial) -> Iterator[str]:
    scorer, queries = free(trial), trial.queries
    before, setting = scorer.score(queries), scorer.setting
    for view in some_views(scorer):
        limited = scorer.restricted_to(view)
        if limited.setting != replace(setting, limits=view):
            yield f"restricted to {view} the setting is {limited.setting}"
        if scorer.setting != setting:
            yield f"the setting of the scorer itself became {scorer.setting}; restricted_to gives a new scorer"
        yield from far_apart(queries, limited.score(queries), scorer.score(queries, view), f"restricted to {view}")
    narrow, other = View.all().until(int(queries.time.max())), View.all().before_query()
    both = scorer.restricted_to(narrow).score(queries, other)
    yield from far_apart(queries, both, scorer.score(queries, other.within(narrow)), "limits and a view together")
    yield from far_apart(queries, before, scorer.score(queries), "before and after another one was restricted")


def _same_context(trial: Trial) -> Iterator[str]:
    reader, queries = _reader(trial), trial.queries
    again = reader.with_context(trial.dataset, reader.setting)
    yield from far_apart(queries, reader.score(queries), again.score(queries), "with_context of the same facts")


def _more_context(trial: Trial) -> Iterator[str]:
    reader, queries = free(trial), trial.queries
    setting = EvaluationSetting(("valid", "test"))
    before = reader.score(queries)
    told = reader.with_context(trial.dataset, setting)
    if told.setting != setting:
        yield f"the setting is {told.setting}; expected {setting}"
    facts = graph_facts(trial.dataset, setting.context)
    for row in np.flatnonzero(told.graph.find_facts(*facts.columns) < 0)[:1]:
        yield f"the fact {tuple(facts[int(row)])} did not join the graph"
    if told.graph.num_facts > reader.graph.num_facts and np.array_equal(before, told.score(queries)):
        yield f"{told.graph.num_facts - reader.graph.num_facts} facts joined, and no score changed"
    yield from far_apart(queries, before, reader.score(queries), "before and after facts joined another one")


def grown(dataset: Dataset) -> Dataset:
    """The dataset with two facts appended, with an entity and a relation that it did not have."""
    entities, relations = (
        Vocabulary([*names.names, new], names.what)
        for names, new in zip((dataset.entities, dataset.relations), NEW_NAMES, strict=True)
    )
    entity, relation = dataset.num_entities, dataset.num_relations
    facts = [Fact(entity, 0, 0, dataset.timeline.span), Fact(0, relation, entity, dataset.timeline.span)]
    context = Facts.concatenate([dataset.context, Facts.of(facts)])
    return replace(dataset, entities=entities, relations=relations, context=context, before=dataset.base)


def _new_names(trial: Trial) -> Iterator[str]:
    reader = free(trial)
    dataset = grown(trial.dataset)
    more = reader.with_context(dataset, reader.setting)
    if (more.num_entities, more.num_relations) != (dataset.num_entities, dataset.num_relations):
        yield f"an entity and a relation joined, but the scorer has {more.num_entities} and {more.num_relations}"
        return
    entity, relation, last = dataset.num_entities - 1, dataset.num_relations - 1, dataset.timeline.span
    asked = np.array([[entity, 0, last], [0, relation, last], [entity, relation + dataset.num_relations, last]])
    queries = QueryBatch(*(column.copy() for column in asked.T))
    scores = more.score(queries)
    if scores.shape != (3, dataset.num_entities) or np.isnan(scores).any():
        yield f"three queries about names that joined give the shape {list(scores.shape)} or scores that are NaN"
    else:
        yield from kind_broken(queries, more.kind, scores)


GRAPH_CONTRACTS = (
    Contract("the graph holds the facts of the setting", _graph),
    Contract("facts that are hidden change scores", _reacts),
    Contract("scores depend only on facts that the view shows", _views),
    Contract("with only the past in sight, facts at or after the query's time change nothing", _future),
    Contract("restricted_to sets the limits of a new scorer and of nothing else", _limits),
    Contract("with_context of the same facts changes nothing", _same_context),
    Contract("with_context reads the facts of its setting", _more_context),
    Contract("with_context makes room for names that joined", _new_names),
)
