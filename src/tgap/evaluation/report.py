"""Report: every metric of one evaluation, ready to be shown or stored.

Metrics are kept by direction (both, tail, head), tie rule (mean, optimistic, pessimistic) and protocol.
``report.headline.mrr`` is the one to quote: both directions, mean ties, the headline protocol (time).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tgap.data import Dataset
from tgap.evaluation.bootstrap import Bootstrap, Differences, Intervals
from tgap.evaluation.breakdown import SEEN, Bucket, Traits, break_down
from tgap.evaluation.metrics import Metrics
from tgap.evaluation.protocols import HEADLINE
from tgap.evaluation.queries import SplitQueries
from tgap.evaluation.ranks import TIES, Ranks
from tgap.evaluation.true_answers import TrueAnswers
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting

MetricsTree = dict[str, dict[str, dict[str, Metrics]]]  # direction -> ties -> protocol


@dataclass(frozen=True)
class Unseen:
    """Queries that contain an entity without any training fact. They count in every metric."""

    queries: int  # with at least one such entity
    subject: int  # where the given entity is unseen
    answer: int  # where the answer is unseen


@dataclass(frozen=True)
class Known:
    """What a scorer answered from, in words and for machines. Figures under different settings are never mixed."""

    name: str  # as in tables
    sentence: str  # the note under them
    context: str  # train, train+valid, all
    past_only: bool
    as_of: str | None
    window: int | None  # units of the timeline before its time that a query sees
    usual: bool  # completion as published: nothing needs to be said

    @classmethod
    def of(cls, setting: EvaluationSetting, dataset: Dataset) -> Known:
        """Put into words, with the dates of a dataset."""
        last = setting.limits.limit_of_all()
        return cls(
            name=setting.name(dataset),
            sentence=setting.sentence(dataset),
            context=setting.context_name,
            past_only=setting.limits.past_only,
            as_of=None if last is None else dataset.timeline.format(last),
            window=setting.limits.window_length(),
            usual=setting == DEFAULT_SETTING and not len(dataset.context),
        )


@dataclass(frozen=True, kw_only=True)
class Report:
    """Metrics of one scorer on one split."""

    scorer: str
    dataset: str
    split: str
    known: Known  # what the scorer answered from
    queries: int  # scored and ranked
    available: int  # queries of the whole split, both directions
    seed: int | None  # of the random sample; None when every query was asked
    distinct: int  # queries that differ in (subject, relation, time): what the scorer worked through
    num_entities: int  # competitors of an answer, itself included
    unit: str  # of the timeline, in which distances are counted
    seconds: float  # scoring and ranking
    unseen: Unseen
    leaked: int  # queries whose fact stands word for word in train
    counts: dict[str, int]  # queries by direction: both, and tail and head as far as they occur
    metrics: MetricsTree
    breakdowns: dict[str, tuple[Bucket, ...]]
    bootstrap: Bootstrap | None = None  # how intervals were drawn; None: there are none
    intervals: Intervals = field(default_factory=dict)  # of the metrics of both directions, mean ties
    differences: dict[str, Differences] = field(default_factory=dict)  # this scorer minus another, by its name

    def of(self, protocol: str = HEADLINE.name, ties: str = "mean", direction: str = "both") -> Metrics:
        """Metrics under a protocol; both directions and mean ties unless told otherwise."""
        return self.metrics[direction][ties][protocol]

    @property
    def headline(self) -> Metrics:
        """The metrics to quote: both directions, mean ties, headline protocol."""
        return self.of()

    @property
    def protocols(self) -> tuple[str, ...]:
        """Names of the protocols, in the order of their table."""
        return tuple(self.metrics["both"]["mean"])


def summarise(ranks: Ranks, queries: SplitQueries) -> tuple[dict[str, int], MetricsTree]:
    """Counts and metrics for both directions together and for each that has a query."""
    masks = {"both": np.ones(len(queries), dtype=bool), "tail": ~queries.head, "head": queries.head}
    counts = {direction: int(mask.sum()) for direction, mask in masks.items() if mask.any()}
    return counts, {
        direction: {
            ties: {protocol: Metrics.of(ranks.of(protocol, ties)[masks[direction]]) for protocol in ranks.protocols}
            for ties in TIES
        }
        for direction in counts
    }


def build_report(
    *,
    scorer: str,
    dataset: Dataset,
    split: str,
    queries: SplitQueries,
    seed: int | None,
    distinct: int,
    seconds: float,
    ranks: Ranks,
    answers: TrueAnswers,
    setting: EvaluationSetting = DEFAULT_SETTING,
) -> Report:
    """All metrics of the ranks of some queries of a dataset; ``seed`` drew them, if they are a sample."""
    traits = Traits.of(queries, dataset, answers)
    subject_unseen = traits.seen >= SEEN.index("subject not in train")
    answer_unseen = traits.seen % 2 == SEEN.index("answer not in train")
    counts, metrics = summarise(ranks, queries)
    return Report(
        scorer=scorer,
        dataset=dataset.name,
        split=split,
        known=Known.of(setting, dataset),
        queries=len(queries),
        available=queries.available,
        seed=seed if len(queries) < queries.available else None,
        distinct=distinct,
        num_entities=dataset.num_entities,
        unit=dataset.timeline.unit,
        seconds=seconds,
        unseen=Unseen(
            queries=int((subject_unseen | answer_unseen).sum()),
            subject=int(subject_unseen.sum()),
            answer=int(answer_unseen.sum()),
        ),
        leaked=int((traits.distance == 0).sum()),
        counts=counts,
        metrics=metrics,
        breakdowns=break_down(ranks, traits, dataset.relations.names),
    )
