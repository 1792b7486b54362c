"""Several runs as one method: their probabilities are mixed, and what each brought to an answer is known.

    p(o) = sum over the members k of  w_k p_k(o),        w_k > 0, sum of all w = 1

w_k p_k(o) / p(o) is the share of a member in an answer; shares sum to 1. What one member cannot reach, another may. The
members stay as they were trained. Training fits the weights alone: the mean of -log p(answer) over one half of the
validation facts, drawn by the seed; the metric ``held_out`` is the same mean over the other half.

If a member walks, so does the mixture: the walk that is shown is that of the walking member with the largest weight,
and what takes facts away takes them from all members that read the graph. Those that do not, factorisations, answer
from their weights as before.
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

from tgap.combined.members import check_member
from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.errors import ConfigError
from tgap.evaluation.queries import group, queries_of
from tgap.graph import TemporalGraph, View
from tgap.graph.knowledge import Knowledge
from tgap.graph.view import WHOLE
from tgap.learner import Learner, Method
from tgap.scorer import (
    Explainer,
    FloatArray,
    GraphScorer,
    IntArray,
    Query,
    QueryBatch,
    Reader,
    ScoreKind,
    Scorer,
    Trace,
    informed,
    reading,
)

if TYPE_CHECKING:
    import torch

    from tgap.combined.mixture_weights import MixtureWeights, Odds

_ROWS = 64  # queries scored at once


class MixtureSettings(Settings):
    """Several runs, mixed."""

    members: str = Field("", description="runs that are mixed, separated by commas: folders or names of shipped models")

    @property
    def names(self) -> list[str]:
        """The members one by one."""
        return [name for name in (part.strip() for part in self.members.split(",")) if name]


class MixtureScorer:
    """Answers by the mixed probabilities of its members."""

    name = "mixture"
    kind = ScoreKind.PROBABILITY

    def __init__(self, members: Sequence[Scorer], weights: NDArray[np.float64], labels: Sequence[str]) -> None:
        self._members, self._weights, self._labels = tuple(members), weights, tuple(labels)

    @property
    def num_entities(self) -> int:
        """N."""
        return self._members[0].num_entities

    @property
    def num_relations(self) -> int:
        """R."""
        return self._members[0].num_relations

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N]; members that read a graph see what ``view`` shows."""
        return self._mixed([_rows(member, queries, view) for member in self._members])

    def shares(self, query: Query, entity: int, view: View = WHOLE) -> list[tuple[str, float]]:
        """Each member's label and its share in the probability of an answer, largest first; empty where that is 0."""
        rows = [_rows(member, QueryBatch.of([query]), view) for member in self._members]
        parts = np.array([weight * row[0, entity] for weight, row in zip(self._weights, rows, strict=True)])
        if not parts.sum():
            return []
        found = zip(self._labels, parts / parts.sum(), strict=True)
        return sorted(((label, float(share)) for label, share in found), key=lambda pair: -pair[1])

    def _mixed(self, rows: Sequence[FloatArray]) -> FloatArray:
        mixed = np.zeros(rows[0].shape, np.float32)
        for weight, row in zip(self._weights, rows, strict=True):
            mixed += np.float32(weight) * row
        return mixed


class WalkingMixture(MixtureScorer):
    """A mixture with a member that walks."""

    def __init__(self, members: Sequence[Scorer], weights: NDArray[np.float64], labels: Sequence[str]) -> None:
        super().__init__(members, weights, labels)
        walking = [place for place, member in enumerate(members) if _walks(member)]
        guide = members[max(walking, key=lambda place: float(weights[place]))]
        assert isinstance(guide, Explainer), "it was asked whether it walks"
        assert isinstance(guide, GraphScorer), "it was asked whether it reads a graph"
        self._guide: Explainer = guide
        self._reader: GraphScorer = guide

    @property
    def graph(self) -> TemporalGraph:
        """The graph that is walked."""
        return self._guide.graph

    @property
    def knowledge(self) -> Knowledge:
        """What the walking member knows."""
        return self._reader.knowledge

    def knowing(self, dataset: Dataset, knowledge: Knowledge) -> WalkingMixture:
        """The same weights with other facts known, which all members must be able to learn of."""
        members = [informed(reading(member), dataset, knowledge) for member in self._members]
        return WalkingMixture(members, self._weights, self._labels)

    def seeing(self, limits: View) -> WalkingMixture:
        """The same weights on the same facts with other limits."""
        members = [reading(member).seeing(limits) for member in self._members]
        return WalkingMixture(members, self._weights, self._labels)

    def score_each(self, query: Query, views: Sequence[View]) -> FloatArray:
        """Scores [V, N] of one query under each of several views."""
        return self._mixed([_rows_of_views(member, query, views) for member in self._members])

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        """The walking member's forward pass of one query, with the scores of all."""
        trace = self._guide.trace(query, view)
        return replace(trace, scores=self.score(QueryBatch.of([query]), view)[0])

    def facts_read(self, trace: Trace, answer: int, count: int) -> IntArray:
        """What the walking member leaned on besides its walk."""
        guide = self._guide
        return guide.facts_read(trace, answer, count) if isinstance(guide, Reader) else np.empty(0, np.int64)


def make_mixture(members: Sequence[Scorer], weights: NDArray[np.float64], labels: Sequence[str]) -> MixtureScorer:
    """A mixture that walks where one of its members does."""
    kind = WalkingMixture if any(map(_walks, members)) else MixtureScorer
    return kind(members, weights, labels)


def _walks(member: Scorer) -> bool:
    return isinstance(member, Explainer) and isinstance(member, GraphScorer)


def _rows(member: Scorer, queries: QueryBatch, view: View) -> FloatArray:
    """Probabilities [B, N] of a member."""
    scores = member.score(queries, view) if isinstance(member, GraphScorer) else member.score(queries)
    return _probabilities(member, scores)


def _rows_of_views(member: Scorer, query: Query, views: Sequence[View]) -> FloatArray:
    """Probabilities [V, N] of a member."""
    if isinstance(member, Explainer):
        return _probabilities(member, member.score_each(query, views))
    batch = QueryBatch.of([query])
    if isinstance(member, GraphScorer):
        return np.concatenate([_rows(member, batch, view) for view in views])
    return np.repeat(_rows(member, batch, WHOLE), len(views), axis=0)


def _probabilities(member: Scorer, scores: FloatArray) -> FloatArray:
    found = member.kind.probabilities(scores)
    assert found is not None, "members that only order are refused"
    return found


class MixturePlan:
    """One batch per epoch: what every member gives the answers of both halves."""

    def __init__(self, epoch: int, odds: Odds) -> None:
        self.epoch, self._odds = epoch, odds

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Odds:
        if index:
            raise IndexError(index)
        return self._odds


class MixtureLearner:
    """Fits the weights of the members."""

    def __init__(self, dataset: Dataset, config: RunConfig) -> None:
        from tgap.combined.mixture_weights import MixtureWeights  # noqa: PLC0415  torch, only where it is used
        from tgap.runs.load import load_scorer  # noqa: PLC0415

        assert isinstance(config.model, MixtureSettings), "the table of methods gives every method its own settings"
        self._config, self._dataset = config, dataset
        names = config.model.names
        self._labels = [Path(name).name for name in names]
        self._members = [load_scorer(name).scorer for name in names]
        for name, member in zip(names, self._members, strict=True):
            if member.kind is ScoreKind.ORDER:
                raise ConfigError(f"model.members {name} only orders entities; name runs that give probabilities")
        self.module: MixtureWeights = MixtureWeights(len(names))

    @property
    def queries(self) -> int:
        """Both directions of one half of the validation facts."""
        return len(self._odds)

    def plan(self, epoch: int) -> MixturePlan:
        """The same batch in every epoch."""
        return MixturePlan(epoch, self._odds)

    @cached_property
    def _odds(self) -> Odds:
        """What every member gives the answers of the validation split: one pass of each over its distinct queries."""
        from tgap.combined.mixture_weights import Odds  # noqa: PLC0415

        asked = queries_of(self._dataset.valid, self._dataset.num_relations)
        if len(self._dataset.valid) < 2:
            raise ConfigError(f"{self._config.dataset} has fewer than 2 validation facts; there is nothing to fit by")
        distinct = group(asked.batch)
        given = np.empty((len(asked), len(self._members)), np.float32)
        for begin in range(0, len(distinct), _ROWS):
            rows = np.arange(begin, min(begin + _ROWS, len(distinct)))
            queries = distinct.batch.take(rows)
            wanted = distinct.member[distinct.start[begin] : distinct.start[rows[-1] + 1]]
            for place, member in enumerate(self._members):
                scores = _rows(member, queries, WHOLE)
                given[wanted, place] = scores[distinct.group[wanted] - begin, asked.answer[wanted]]
        facts = len(self._dataset.valid)
        fitted = np.random.default_rng(self._config.training.seed).permutation(facts) < facts // 2
        return Odds(given[fitted[asked.fact]], given[~fitted[asked.fact]])

    def optimiser(self) -> torch.optim.Optimizer:
        """Adam."""
        import torch  # noqa: PLC0415

        return torch.optim.Adam(self.module.parameters(), lr=self._config.training.learning_rate)

    def scorer(self) -> Scorer:
        """The members with the present weights."""
        return make_mixture(self._members, self.module.values(), self._labels)


def _learn(dataset: Dataset, config: RunConfig) -> Learner:
    return MixtureLearner(dataset, config)


def _check(config: RunConfig) -> None:
    """The members are two or more runs of the same dataset and task that are found from any folder."""
    assert isinstance(config.model, MixtureSettings), "the table of methods gives every method its own settings"
    names = config.model.names
    if len(names) < 2:
        raise ConfigError(
            f"model.members is {config.model.members!r}; expected two or more runs, "
            "for instance --set members=icews14,icews14-judged"
        )
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"model.members names {name} more than once; name every run once")
        check_member("model.members", name, config)


def _recommended(_dataset: str) -> dict[str, dict[str, Any]]:
    training = {"epochs": 200.0, "learning_rate": 0.1, "warmup_steps": 0, "patience": 0, "validate_every": 200.0}
    return {"training": training}


METHOD = Method(
    name="mixture",
    title="mixture",
    summary="Several runs as one: their probabilities, mixed by weights that are fitted on half of validation.",
    settings=MixtureSettings,
    learn=_learn,
    presets={"recommended": _recommended},
    built_on="members",
    check=_check,
)
