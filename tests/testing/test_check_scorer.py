"""Every method keeps the contracts of a scorer, and a scorer that breaks one is told which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.tiny import tiny_config
from tests.training.standin import small_dataset
from tgap.baselines.history import HistoryScorer
from tgap.capabilities import Capabilities
from tgap.combined.judge import Judge
from tgap.combined.judged import JudgedScorer, JudgedSettings
from tgap.config import EvaluationConfig
from tgap.data import Dataset
from tgap.graph import TemporalGraph, View
from tgap.graph.setting import EvaluationSetting
from tgap.graph.view import WHOLE
from tgap.methods import METHODS, config_for, find_method, make_learner, make_scorer
from tgap.model.scorer import TGAPScorer
from tgap.model.tgap import TGAP
from tgap.scorer import FloatArray, IntArray, Query, QueryBatch, ScoreKind, Scorer, Trace
from tgap.testing import ContractError, check_scorer
from tgap.testing.check import contracts_for
from tgap.testing.contract import Trial
from tgap.universal import UniversalScorer

DATA = small_dataset()
GRAPH = TemporalGraph.of(DATA)
STEPS = 3
CASES = [
    (name, task)
    for name, place in METHODS.items()
    for task in find_method(name).tasks
    if place.startswith("tgap.") and not find_method(name).built_on
]


def trained(name: str, task: str) -> Scorer:
    """A small model of the method after a few steps."""
    config = config_for(name, "small", task=task)
    small: dict[str, Any] = {"dimension": 8, "heads": 2, "rank": 8}
    fitting = {f"model.{key}": value for key, value in small.items() if key in type(config.model).model_fields}
    config = config.with_values({**fitting, "training.batch_size": 16})
    if find_method(name).build:
        return make_scorer(config, DATA)
    learner = make_learner(config, DATA)
    optimiser, plan = learner.optimiser(), learner.plan(0)
    for index in range(STEPS):
        optimiser.zero_grad()
        learner.module(plan[index]).value.backward()
        optimiser.step()
    learner.module.eval()
    return learner.scorer()


@pytest.mark.parametrize(("name", "task"), [case for case in CASES if case[0] != "universal"])
def test_every_method_keeps_the_contracts(name: str, task: str) -> None:
    check_scorer(trained(name, task), DATA)


@pytest.mark.parametrize("task", ["completion", "forecast"])
def test_the_universal_model_keeps_every_contract_but_one(task: str) -> None:
    """Under past-only its statistics are counted from the past of each fact alone, so it is another scorer then."""
    scorer = trained("universal", task)
    trial = Trial.of(scorer, DATA, 12)
    broken = [one.rule for one in contracts_for(scorer) if next(one.broken_by(trial), None) is not None]
    assert broken == ["with only the past in sight, facts at or after the query's time change nothing"]


@pytest.mark.parametrize("task", ["completion", "forecast"])
def test_the_future_tells_the_universal_model_nothing(task: str) -> None:
    """What that contract is about, on the data themselves: facts at or after the query's time are deleted."""
    scorer = trained("universal", task)
    assert isinstance(scorer, UniversalScorer)
    queries = Trial.of(scorer, DATA, 12).queries
    past = View.all().before_query()
    for row in range(len(queries)):
        one = queries.take(slice(row, row + 1))
        parts = {split: facts[facts.time < one.time[0]] for split, facts in DATA.splits.items()}
        cut = scorer.with_context(replace(DATA, **parts), scorer.setting)
        np.testing.assert_allclose(scorer.score(one, past), cut.score(one, past), atol=2e-5)


def walker() -> TGAPScorer:
    """A T-GAP with random weights."""
    return TGAPScorer(TGAP(tiny_config(), GRAPH, DATA.timeline.span).eval(), EvaluationConfig())


@pytest.mark.parametrize("weight", [0.0, 0.6])
def test_a_re_ranked_walker_keeps_them(weight: float) -> None:
    settings, span = JudgedSettings(candidates=5, near=4, width=6, weight=weight), DATA.timeline.span
    check_scorer(JudgedScorer(walker(), Judge(DATA.num_relations, span, 6, 0), settings, span), DATA)


@pytest.mark.parametrize("settings", [{"flow_heads": True}, {"lazy": True}, {"walk_cap": 5}, {"subgraph": False}])
def test_all_ways_of_walking_keep_them(settings: dict[str, Any]) -> None:
    model = TGAP(tiny_config(**settings), GRAPH, DATA.timeline.span).eval()
    check_scorer(TGAPScorer(model, EvaluationConfig()), DATA)


# ----------------------------------------------------------------------------------------------- planted violations


class Plain:
    """A scorer that keeps all contracts, for others to break one."""

    name = "plain"
    kind = ScoreKind.PROBABILITY
    num_entities, num_relations = DATA.num_entities, DATA.num_relations

    def score(self, queries: QueryBatch) -> FloatArray:
        queries.check_ids(self.num_entities, self.num_relations)
        rows = 1.0 + (queries.subject[:, np.newaxis] + np.arange(self.num_entities)) % 3
        scores: FloatArray = (rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)
        return scores


def changed(change: Callable[[FloatArray, QueryBatch], Any]) -> Plain:
    """The plain scorer with its scores changed."""

    class Changed(Plain):
        def score(self, queries: QueryBatch) -> FloatArray:
            found: FloatArray = change(super().score(queries), queries)
            return found

    return Changed()


class WrongSize(Plain):
    num_entities = DATA.num_entities + 1


class NoKind(Plain):
    kind = "order"  # type: ignore[assignment]


class AnyIds(Plain):
    def score(self, queries: QueryBatch) -> FloatArray:
        inside = QueryBatch(queries.subject % 3, queries.relation % 3, queries.time)
        return super().score(inside)


class Reused(Plain):
    """Gives the same array again and again."""

    def __init__(self) -> None:
        self.array = np.zeros((100, DATA.num_entities), np.float32)

    def score(self, queries: QueryBatch) -> FloatArray:
        found = self.array[: len(queries)]
        found[:] = super().score(queries)
        return found


class Drifting(Plain):
    """Answers differ from one call to the next."""

    def __init__(self) -> None:
        self.calls = 0

    def score(self, queries: QueryBatch) -> FloatArray:
        self.calls += 1
        return np.roll(super().score(queries), self.calls, axis=1)


def _write(scores: FloatArray, queries: QueryBatch) -> FloatArray:
    queries.time[:] = 0
    return scores


def _nan(scores: FloatArray, _: QueryBatch) -> FloatArray:
    scores[:, 3] = np.nan
    return scores


def _by_batch_size(scores: FloatArray, queries: QueryBatch) -> FloatArray:
    order = np.roll(np.arange(DATA.num_entities), len(queries))
    return scores[:, order]


PLAIN = [
    (WrongSize(), "fit the dataset", "num_entities is 13; the dataset small has 12"),
    (NoKind(), "fit the dataset", "kind is 'order'; expected a ScoreKind"),
    (AnyIds(), "out of range are refused", r"the query \(-1, .* is answered; refuse it with"),
    (changed(lambda scores, _: scores.astype(np.float64)), "scores are float32", "float64; expected float32"),
    (changed(lambda scores, _: scores[:, 1:]), "scores are float32", r"shape \[0, 11\]; expected \[0, 12\]"),
    (changed(_nan), "scores are numbers", "entity 3 has the score nan for the query"),
    (changed(lambda scores, _: 2 * scores), "a row sums to 1", "the probabilities sum to 2 "),
    (changed(lambda scores, _: scores - scores[:, :1]), "not negative", "the probability of entity"),
    (Drifting(), "no effect", "asked a second time"),
    (Reused(), "no effect", "an array that was given back before changed"),
    (changed(_write), "no effect", "the array time of the queries was written to"),
    (changed(_by_batch_size), "does not depend on its batch", "in a batch and alone: entity"),
]


@pytest.mark.parametrize(("scorer", "contract", "example"), PLAIN)
def test_a_broken_contract_of_scores_is_named(scorer: Scorer, contract: str, example: str) -> None:
    _refused(scorer, contract, example)


def _refused(scorer: Scorer, contract: str, example: str) -> None:
    with pytest.raises(ContractError, match=example) as told:
        check_scorer(scorer, DATA)
    assert contract in told.value.contract
    assert str(told.value).startswith(f"{scorer.name} breaks the contract")


def test_a_plain_scorer_keeps_the_contracts() -> None:
    check_scorer(Plain(), DATA)


class Counter(HistoryScorer):
    """Keeps all contracts of a scorer that reads a graph."""

    def __init__(self, graph: TemporalGraph = GRAPH) -> None:
        super().__init__("counter", graph, 3.0, 0.3)


class Blind(Counter):
    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        return super().score(queries)


class Prophet(Counter):
    """Takes no notice that only the past may be seen."""

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        if view == View.all().before_query():
            return super().score(queries, View.all().until(DATA.timeline.span))
        return super().score(queries, view)


class Peeping(Counter):
    """Sees the day of the query, too, when only the past may be seen."""

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        if view != View.all().before_query():
            return super().score(queries, view)
        rows = [
            super(Peeping, self).score(queries.take(slice(k, k + 1)), View.all().until(int(t)))
            for k, t in enumerate(queries.time)
        ]
        return np.concatenate(rows)


class Forgetful(Counter):
    """Keeps its old limits."""

    def restricted_to(self, limits: View) -> Forgetful:
        return self


class Deaf(Counter):
    """Takes no notice of other facts."""

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> Deaf:
        other = Deaf(TemporalGraph.of(dataset, setting.context))
        other.setting = setting
        other._counted = GRAPH  # type: ignore[attr-defined]
        return other

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        counted = getattr(self, "_counted", None)
        if counted is None or self.num_entities != GRAPH.num_entities:
            return super().score(queries, view)
        return Counter(counted).restricted_to(self.setting.limits).score(queries, view)


class Stuck(Counter):
    """Has no room for new names."""

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> Stuck:
        if dataset.num_entities != self.num_entities:
            return self
        return super().with_context(dataset, setting)


class Selfish(Counter):
    """Restricts itself instead of another one."""

    def restricted_to(self, limits: View) -> Selfish:
        self.setting = replace(self.setting, limits=limits)
        return self


class OtherGraph(Counter):
    def __init__(self) -> None:
        super().__init__(TemporalGraph.of(small_dataset(seed=9)))


GRAPHS = [
    (Blind(), "hidden change scores", "have the same scores when all facts are hidden"),
    (Prophet(), "facts that the view shows", "before_query"),
    (Peeping(), "facts that the view shows", "before_query"),
    (Forgetful(), "restricted_to sets", "restricted to View"),
    (Selfish(), "restricted_to sets", "the setting of the scorer itself became"),
    (Deaf(), "reads the facts of its setting", "facts joined, and no score changed"),
    (Stuck(), "names that joined", "but the scorer has 12 and 3"),
    (OtherGraph(), "holds the facts of the setting", "of the setting train is not in the graph"),
]


@pytest.mark.parametrize(("scorer", "contract", "example"), GRAPHS, ids=[type(row[0]).__name__ for row in GRAPHS])
def test_a_broken_contract_of_views_is_named(scorer: Scorer, contract: str, example: str) -> None:
    _refused(scorer, contract, example)


class Wanderer(TGAPScorer):
    """Keeps all contracts of a walker."""

    def __init__(self) -> None:
        inner = walker()
        super().__init__(inner.model, EvaluationConfig())


class Leaky(Wanderer):
    """Loses mass in the last step."""

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        trace = super().trace(query, view)
        last = trace.steps[-1]
        return replace(trace, steps=(*trace.steps[:-1], replace(last, mass=(last.mass / 2).astype(np.float32))))


class Boastful(Wanderer):
    """Shows other scores than it gives."""

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        trace = super().trace(query, view)
        return replace(trace, scores=trace.scores[::-1].copy())


class Trespasser(Wanderer):
    """Shows a walk through what is out of sight."""

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        return replace(super().trace(query), view=view, scores=self.score(QueryBatch.of([query]), view)[0])


class Mislabelled(Wanderer):
    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        trace = super().trace(query, view)
        steps = tuple(replace(step, object=step.subject) for step in trace.steps)
        return replace(trace, steps=steps)


class Careless(Wanderer):
    """Answers from everything, whatever each view shows."""

    def score_each(self, query: Query, views: Sequence[View]) -> FloatArray:
        return np.repeat(self.score(QueryBatch.of([query])), len(views), axis=0)


class Inventive(Wanderer):
    """Names facts that are not there."""

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(walks=self, reads_facts=self)

    def facts_read(self, trace: Trace, answer: int, count: int) -> IntArray:
        return np.array([0, GRAPH.num_facts], np.int64)


class Immovable(Wanderer):
    """Says that it moves to other datasets, and stays."""

    def transferred(self, own: Dataset, other: Dataset) -> Immovable:
        return self


WALKS = [
    (Leaky, "masses of a trace sum to 1", "mass of step 3 sums to"),
    (Boastful, "with the scores of score", "trace and score under"),
    (Trespasser, "along visible edges", "an edge is walked that the view does not show"),
    (Mislabelled, "along visible edges", "object is not that of the edge"),
    (Careless, "score_each equals score", "score_each under"),
    (Inventive, "facts_read gives facts", "does not exist, the graph has"),
    (Immovable, "transferred answers about the other", "the other dataset has 13 entities, the scorer 12"),
]


@pytest.mark.parametrize(("make", "contract", "example"), WALKS)
def test_a_broken_contract_of_walks_is_named(make: Callable[[], Scorer], contract: str, example: str) -> None:
    torch.manual_seed(0)
    _refused(make(), contract, example)
