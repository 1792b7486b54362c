"""evaluate(): ask a scorer every query of a split and rank the answers.

Works in batches of distinct queries, so memory is bounded by batch size x entities whatever the size of the split.
Nothing here knows what kind of scorer answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgap.capabilities import setting_of
from tgap.data import Dataset, Facts
from tgap.errors import EvaluationError
from tgap.evaluation.protocols import HEADLINE, Filters
from tgap.evaluation.queries import Grouping, SplitQueries, group, queries_of
from tgap.evaluation.ranks import Ranks, rank_answers
from tgap.evaluation.report import Report, build_report
from tgap.evaluation.top import TopAnswers, top_answers
from tgap.scorer import QueryBatch, Scorer

if TYPE_CHECKING:
    import polars as pl

SPLITS = ("valid", "test")
Progress = Callable[[int, int], None]  # queries done, queries in all


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Ranks of every query, and the report made of them."""

    queries: SplitQueries
    grouping: Grouping
    ranks: Ranks
    answer_score: NDArray[np.float64]  # [Q]
    top: TopAnswers | None  # of each distinct query; None unless asked for
    report: Report

    def __repr__(self) -> str:
        metrics, report = self.report.headline, self.report
        return (
            f"<Evaluation of {report.scorer} on {report.dataset}, {report.split}, {report.queries:,} queries: "
            f"{HEADLINE.title} MRR {metrics.mrr:.3f}, Hits@1 {100 * metrics.hits1:.1f}, @3 {100 * metrics.hits3:.1f}, "
            f"@10 {100 * metrics.hits10:.1f}; .to_frame() has all protocols>"
        )

    def to_frame(self) -> pl.DataFrame:
        """A row per protocol with its metrics."""
        import polars as pl  # noqa: PLC0415  only for those who want a table

        rows = [{"protocol": name, **asdict(self.report.of(name))} for name in self.report.protocols]
        return pl.DataFrame(rows)


def evaluate(
    scorer: Scorer,
    dataset: Dataset,
    split: str = "test",
    *,
    batch_size: int = 64,
    limit: int | None = None,
    seed: int = 0,
    top: int = 0,
    filters: Filters | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Rank the answers of a split, head and tail, under all protocols.

    ``batch_size`` distinct queries are scored at once: it changes memory and speed, and of the results at most what
    rounding inside the scorer does. ``limit`` asks only a random sample of so many queries, drawn with ``seed``.
    ``top`` keeps the best entities of each query. ``filters`` (``Filters.of(dataset)``) may be given where several
    scorers or epochs share them. ``progress`` hears after every batch how many queries are done.
    """
    queries = split_queries(dataset, split)
    if limit is not None:
        queries = queries.sample(limit, seed)
    return evaluate_queries(
        scorer, dataset, split, queries, batch_size=batch_size, seed=seed, top=top, filters=filters, progress=progress
    )


def split_queries(dataset: Dataset, split: str) -> SplitQueries:
    """Every query of a split, in both directions."""
    queries = queries_of(facts_of(dataset, split), dataset.num_relations)
    if not len(queries):
        raise EvaluationError(f"the {split} split of {dataset.name} has no facts; there is nothing to evaluate")
    return queries


def evaluate_queries(
    scorer: Scorer,
    dataset: Dataset,
    split: str,
    queries: SplitQueries,
    *,
    batch_size: int = 64,
    seed: int | None = None,
    top: int = 0,
    filters: Filters | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """``evaluate`` for queries that are chosen already; ``seed`` drew them, if they are a sample."""
    check_fit(scorer, dataset)
    setting_of(scorer).check_asking([split])
    if batch_size < 1:
        raise EvaluationError(f"batch_size is {batch_size}; expected at least 1")
    if filters is None:
        filters = Filters.of(dataset)
    grouping = group(queries.batch)

    started = time.perf_counter()
    better = np.empty((len(filters.protocols), len(queries)), dtype=np.int32)
    equal = np.empty_like(better)
    answer_score = np.empty(len(queries))
    best: list[TopAnswers] = []
    for begin in range(0, len(grouping), batch_size):
        end = min(begin + batch_size, len(grouping))
        batch = grouping.batch.take(slice(begin, end))
        members = grouping.member[grouping.start[begin] : grouping.start[end]]
        row, answer = grouping.group[members] - begin, queries.answer[members]
        scores = _score(scorer, batch)
        ranks = rank_answers(scores, batch, row, answer, filters)
        better[:, members], equal[:, members] = ranks.better, ranks.equal
        answer_score[members] = scores[row, answer]
        if top:
            best.append(top_answers(scores, top))
        if progress is not None:
            progress(int(grouping.start[end]), len(queries))
    seconds = time.perf_counter() - started

    ranks = Ranks(filters.protocols, better, equal)
    report = build_report(
        scorer=scorer.name,
        setting=setting_of(scorer),
        dataset=dataset,
        split=split,
        queries=queries,
        seed=seed,
        distinct=len(grouping),
        seconds=seconds,
        ranks=ranks,
        answers=filters.answers,
    )
    joined = (
        TopAnswers(np.concatenate([part.entity for part in best]), np.concatenate([part.score for part in best]))
        if top
        else None
    )
    return Evaluation(queries, grouping, ranks, answer_score, joined, report)


def facts_of(dataset: Dataset, split: str) -> Facts:
    """The facts of a split that can be evaluated: the graph that scorers see holds the train split itself."""
    if split not in SPLITS:
        raise EvaluationError(f"split {split!r} cannot be evaluated; expected one of {', '.join(SPLITS)}")
    return dataset.valid if split == "valid" else dataset.test


def check_fit(scorer: Scorer, dataset: Dataset) -> None:
    """A scorer answers in the ids of the dataset it was built for."""
    theirs = (scorer.num_entities, scorer.num_relations)
    ours = (dataset.num_entities, dataset.num_relations)
    if theirs != ours:
        raise EvaluationError(
            f"{scorer.name} knows {theirs[0]} entities and {theirs[1]} relations, but {dataset.name} has {ours[0]} and "
            f"{ours[1]}; evaluate it on the dataset it was built for"
        )


def _score(scorer: Scorer, batch: QueryBatch) -> NDArray[np.floating]:
    scores = scorer.score(batch)
    expected = (len(batch), scorer.num_entities)
    if scores.shape != expected or scores.dtype.kind != "f":
        raise EvaluationError(
            f"{scorer.name} gave scores of shape {scores.shape} and type {scores.dtype}; expected floats {expected}"
        )
    return scores
