"""A walker with a judge as a method: T-GAP walks as it was trained, the judge orders the candidates that it names.

    p(o) = S softmax over the candidates of ( (1 - w) log a_o + w log softmax(v)_o ),     S = sum of their mass a

for the C entities with the most mass; all others keep their mass. So a row still sums to 1, what no walk reaches has
probability 0, and w = 0 is the walker itself. The walker is another run, named in the settings; its weights stay as
they are, and training learns the judge alone, from the same batches: their own facts are hidden from both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tgap.capabilities import Capabilities, Walker, capabilities_of, require_transfer, require_walker
from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.errors import ConfigError
from tgap.graph import TemporalGraph, View
from tgap.graph.setting import EvaluationSetting
from tgap.graph.view import WHOLE
from tgap.learner import Learner, Method
from tgap.model.settings import TGAPSettings
from tgap.scorer import FloatArray, IntArray, Query, QueryBatch, ScoreKind, Scorer, Trace

if TYPE_CHECKING:
    import torch

    from tgap.combined.judge import Candidates, Judge, JudgedBatch
    from tgap.methods.day_batches import EpochPlan, TrainingQueries

_ROWS = 64  # queries judged at once
_ORDER = 3  # what a stream of random numbers is for


class JudgedSettings(Settings):
    """A judge on top of a walker."""

    walker: str = Field("", description="run whose walk is judged: a folder or the name of a shipped model")
    candidates: int = Field(60, ge=2, description="[C] entities with the most mass that are judged")
    near: int = Field(64, ge=0, description="events of a candidate with others that are read, the nearest in time")
    width: int = Field(64, ge=1, description="channels of a reading")
    walks: int = Field(
        1, ge=0, description="epochs in which the walk names candidates; later ones judge these again; 0 = every epoch"
    )
    weight: float = Field(0.4, ge=0, lt=1, description="[w] of the judge against the walk; 0 = the walk alone")


class JudgedScorer:
    """Answers by walk and judge; the walk that is shown is the walker's."""

    name = "T-GAP with a judge"
    kind = ScoreKind.PROBABILITY

    def __init__(self, walker: Walker, judge: Judge, settings: JudgedSettings, span: int) -> None:
        from tgap.combined.judge import CaseReader  # noqa: PLC0415  compiled kernels, only where they are used
        from tgap.graph.resolve import Resolver  # noqa: PLC0415

        self._walker, self._judge, self._settings, self._span = walker, judge, settings, span
        self._views = Resolver(walker.graph)
        self._reader = CaseReader(walker.graph, span, settings.near)

    @property
    def num_entities(self) -> int:
        """N."""
        return self._walker.num_entities

    @property
    def num_relations(self) -> int:
        """R."""
        return self._walker.num_relations

    @property
    def graph(self) -> TemporalGraph:
        """The graph that is walked."""
        return self._walker.graph

    @property
    def setting(self) -> EvaluationSetting:
        """What the walker knows."""
        return self._walker.setting

    @property
    def capabilities(self) -> Capabilities:
        """What the walker can; besides its walk it reads events."""
        transfers = self if capabilities_of(self._walker).transfers else None
        return Capabilities(walks=self, reads_facts=self, transfers=transfers, sampling=self, reranks=self)

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> JudgedScorer:
        """The same weights on other facts."""
        walker = self._walker.with_context(dataset, setting)
        return JudgedScorer(walker, self._judge.with_relations(walker.num_relations), self._settings, self._span)

    def restricted_to(self, limits: View) -> JudgedScorer:
        """The same weights on the same facts with other limits."""
        walker = self._walker.restricted_to(limits)
        return JudgedScorer(walker, self._judge, self._settings, self._span)

    def transferred(self, own: Dataset, other: Dataset) -> JudgedScorer:
        """The same weights on another dataset."""
        walker = require_walker(require_transfer(self._walker, own).transferred(own, other))
        return JudgedScorer(walker, self._judge.transferred(own, other), self._settings, other.timeline.span)

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N] from what ``view`` shows."""
        scores = self._walker.score(queries, view)
        seen = view.within(self.setting.limits)
        for part, shown in seen.groups(queries.time):
            for begin in range(0, len(part), _ROWS):
                rows = part[begin : begin + _ROWS]
                scores[rows] = self._judged(scores[rows], queries.take(rows), shown)
        return scores

    def score_each(self, query: Query, views: Sequence[View]) -> FloatArray:
        """Scores [V, N] of one query under each of several views."""
        scores = self._walker.score_each(query, views)
        batch = QueryBatch.of([query])
        for place, view in enumerate(views):
            seen = view.within(self.setting.limits).at(query.time)
            scores[place] = self._judged(scores[place : place + 1], batch, seen)[0]
        return scores

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        """The walker's forward pass of one query, with the scores of both."""
        trace = self._walker.trace(query, view)
        seen = trace.view.at(query.time)
        scores = self._judged(trace.scores[np.newaxis], QueryBatch.of([query]), seen)[0]
        return replace(trace, scores=scores)

    @property
    def samples(self) -> bool:
        """Whether the walk depends on a sample of edges."""
        sampler = capabilities_of(self._walker).sampling
        return sampler is not None and sampler.samples

    def score_seeds(self, query: Query, view: View, count: int) -> FloatArray:
        """Scores [count, N] of one query under several seeds of the walk's sample, its own first."""
        sampler = capabilities_of(self._walker).sampling
        assert sampler is not None, "only what samples is asked"
        seen = view.within(self.setting.limits).at(query.time)
        batch = QueryBatch.of([query])
        rows = sampler.score_seeds(query, view, count)
        return np.concatenate([self._judged(row[np.newaxis], batch, seen) for row in rows])

    def walk_scores(self, trace: Trace) -> FloatArray:
        """Scores [N] of the walk alone."""
        scores: FloatArray = self._walker.score(QueryBatch.of([trace.query]), trace.view)[0]
        return scores

    def reranked_without(self, trace: Trace, sets: Sequence[Sequence[int]]) -> FloatArray:
        """Scores [S, N] if the judge alone did not see each set of facts."""
        walked, batch = self.walk_scores(trace)[np.newaxis], QueryBatch.of([trace.query])
        views = [trace.view.at(trace.query.time).without(facts) for facts in sets]
        return np.concatenate([self._judged(walked, batch, view) for view in views])

    def facts_read(self, trace: Trace, answer: int, count: int) -> IntArray:
        """The facts that the judge leaned on most for or against an answer, strongest first."""
        import torch  # noqa: PLC0415

        from tgap.combined.judge import Candidates  # noqa: PLC0415

        if not self._settings.weight:
            return np.empty(0, np.int64)
        lone = Candidates(np.array([0, 1]), np.array([answer], np.int64))
        visible = self._views.resolve(trace.view.at(trace.query.time))
        asked = (QueryBatch.of([trace.query]), lone, visible)
        with torch.no_grad():
            weights = torch.cat(self._judge.weights(self._reader.read(*asked))).abs().numpy()
        facts = self.graph.fact[np.concatenate([rows.edge for rows in self._reader.rows(*asked)])]
        ordered: IntArray = facts[np.argsort(-weights, kind="stable")].astype(np.int64)
        _, first = np.unique(ordered, return_index=True)  # copies of a fact count once
        return ordered[np.sort(first)[:count]]

    def _judged(self, scores: FloatArray, queries: QueryBatch, view: View) -> FloatArray:
        """Scores [B, N] of a walker, after the judge."""
        import torch  # noqa: PLC0415

        from tgap.combined.judge import Candidates  # noqa: PLC0415

        weight = self._settings.weight
        if not weight or not len(queries):
            return scores
        candidates = Candidates.of(scores, self._settings.candidates)
        if not len(candidates.entity):
            return scores
        case = self._reader.read(queries, candidates, self._views.resolve(view))
        with torch.no_grad():
            verdict = self._judge.verdict(case).numpy()
        place = candidates.query, candidates.entity
        mass = scores[place].astype(np.float64)
        mixed = (1 - weight) * np.log(mass) + weight * _logs(verdict.astype(np.float64), candidates)
        judged = scores.copy()
        judged[place] = _sums(mass, candidates) * np.exp(_logs(mixed, candidates))
        return judged


def _logs(values: NDArray[np.float64], candidates: Candidates) -> NDArray[np.float64]:
    """[C] log of the softmax over the candidates of each query; bits do not depend on the other queries."""
    size = np.diff(candidates.row)
    first, size = candidates.row[:-1][size > 0], size[size > 0]
    shifted = values - np.repeat(np.maximum.reduceat(values, first), size)
    logs: NDArray[np.float64] = shifted - np.repeat(np.log(np.add.reduceat(np.exp(shifted), first)), size)
    return logs


def _sums(values: NDArray[np.float64], candidates: Candidates) -> NDArray[np.float64]:
    """[C] sum over the candidates of each query."""
    size = np.diff(candidates.row)
    sums: NDArray[np.float64] = np.add.reduceat(values, candidates.row[:-1][size > 0])
    return np.repeat(sums, size[size > 0])


class JudgedPlan:
    """The walker's batches of an epoch, each with the candidates that the walker names and the events for them.

    ``named`` keeps the candidates of batches that were walked before, by the batch's number: 4 bytes for each.
    """

    def __init__(
        self, plan: EpochPlan, epoch: int, order: IntArray, learner: JudgeLearner, named: dict[int, Candidates]
    ) -> None:
        self._plan, self._order, self._learner, self._named = plan, order, learner, named
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self._plan)

    def __getitem__(self, index: int) -> JudgedBatch:
        from tgap.combined.judge import Candidates, JudgedBatch, find_answers  # noqa: PLC0415

        number, learner = int(self._order[index]), self._learner
        batch = self._plan[number]
        if number not in self._named:
            scores = learner.walker.score(batch.queries, batch.view)
            found = Candidates.of(scores, learner.settings.candidates)
            self._named[number] = Candidates(found.row, found.entity.astype(np.int32))
        row, entity = self._named[number]
        candidates = Candidates(row, entity.astype(np.int64))
        case = learner.reader.read(batch.queries, candidates, learner.views.resolve(batch.view))
        return JudgedBatch(case, find_answers(candidates, batch.answers), batch.describe())


class JudgeLearner:
    """Learns the judge of a walker."""

    def __init__(self, dataset: Dataset, config: RunConfig) -> None:
        from tgap.combined.judge import CaseReader, Judge  # noqa: PLC0415
        from tgap.graph.resolve import Resolver  # noqa: PLC0415
        from tgap.runs.load import load_scorer  # noqa: PLC0415

        assert isinstance(config.model, JudgedSettings), "the table of methods gives every method its own settings"
        self.settings = config.model
        self._config, self._dataset = config, dataset
        name = config.model.walker
        loaded = load_scorer(name)
        walker = capabilities_of(loaded.scorer).walks
        if walker is None or walker.kind is not ScoreKind.PROBABILITY:
            raise ConfigError(f"model.walker {name} does not walk; name a run of tgap")
        self.walker: Walker = walker
        self._span = dataset.timeline.span
        self.reader = CaseReader(self.walker.graph, self._span, self.settings.near)
        self.views = Resolver(self.walker.graph)
        self._named: dict[int, dict[int, Candidates]] = {}  # candidates by epoch and batch, once they are known
        self.module = Judge(dataset.num_relations, self._span, self.settings.width, config.training.seed)

    @cached_property
    def _queries(self) -> TrainingQueries:
        from tgap.methods.day_batches import TrainingQueries, hidden_twins  # noqa: PLC0415

        batch_size = self._config.training.batch_size
        settings = TGAPSettings()
        twins = hidden_twins(self._dataset, settings)
        return TrainingQueries.of(self._dataset.train, self.walker.graph, settings, batch_size, twins)

    @property
    def queries(self) -> int:
        """Both directions of every training fact."""
        return len(self._queries)

    def plan(self, epoch: int) -> JudgedPlan:
        """Batches by day, as T-GAP learns from them; after ``walks`` epochs the same ones in another order."""
        from tgap.methods.day_batches import EpochPlan  # noqa: PLC0415

        training, walks = self._config.training, self.settings.walks
        first = epoch % walks if walks else epoch
        plan = EpochPlan(self._queries, TGAPSettings(), training, first)
        named = self._named.setdefault(first, {}) if walks else {}
        random = np.random.PCG64(np.random.SeedSequence((training.seed, epoch, _ORDER)))
        order = np.arange(len(plan)) if epoch == first else np.argsort(random.random_raw(len(plan)), kind="stable")
        return JudgedPlan(plan, epoch, order, self, named)

    def optimiser(self) -> torch.optim.Optimizer:
        """Adam."""
        import torch  # noqa: PLC0415

        return torch.optim.Adam(self.module.parameters(), lr=self._config.training.learning_rate, fused=True)

    def scorer(self) -> Scorer:
        """Walker and present judge."""
        return JudgedScorer(self.walker, self.module, self.settings, self._span)


def _learn(dataset: Dataset, config: RunConfig) -> Learner:
    return JudgeLearner(dataset, config)


def _check(config: RunConfig) -> None:
    """The walker is a run of the same dataset and task that is found from any folder."""
    assert isinstance(config.model, JudgedSettings), "the table of methods gives every method its own settings"
    from tgap.runs import find_run, shipped_runs  # noqa: PLC0415  only where this method is used

    name = config.model.walker
    if not name:
        raise ConfigError("model.walker is empty; name a run of tgap, for instance walker=icews14")
    run = find_run(name)
    made, wanted = (f"{one.dataset} ({one.task})" for one in (run.config(), config))
    if made != wanted:
        raise ConfigError(f"model.walker {name} was made for {made}, not for {wanted}; name a run made for that")
    if name not in shipped_runs() and not Path(name).is_absolute():
        raise ConfigError(f"model.walker {name} is not found from other folders; write {run.path.resolve()}")


def _recommended(_dataset: str) -> dict[str, dict[str, Any]]:
    return {"training": {"epochs": 3.0, "batch_size": 64, "learning_rate": 5e-3, "patience": 0}}


METHOD = Method(
    name="judged",
    title="T-GAP with a judge",
    summary="The walk of another run names candidates; a judge orders them by the events that speak for each.",
    settings=JudgedSettings,
    learn=_learn,
    presets={"recommended": _recommended},
    adjustable=("weight",),
    built_on="walker",
    check=_check,
)
