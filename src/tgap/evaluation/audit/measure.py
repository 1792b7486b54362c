"""Audit: another program's scores ranked by our rules, and everything measured that the checks judge by.

The program's word is taken for nothing but the scores: ranks are counted anew under every protocol and tie rule, among
the same competitors, and what it claims about itself is compared with that. ``checks`` turns measurements into
verdicts; docs/audit.md tells what each means.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Facts
from tgap.data.facts import both_directions, fact_keys
from tgap.data.known_splits import identify
from tgap.errors import EvaluationError
from tgap.evaluation.audit.scores import ANSWER_SCORE, Float64Array, ScoreFile
from tgap.evaluation.audit.siblings import Siblings
from tgap.evaluation.protocols import Filters
from tgap.evaluation.queries import SplitQueries, group
from tgap.evaluation.ranks import Ranks, rank_answers
from tgap.evaluation.report import build_report
from tgap.evaluation.scoring import Evaluation, Progress, split_queries
from tgap.evaluation.true_answers import TrueAnswers
from tgap.scorer import IntArray, QueryBatch

_BATCH = 64  # rows held at once


@dataclass(frozen=True)
class Coverage:
    """Which queries of the split the file has."""

    rows: int  # of the file
    missing: int  # queries of the split that the file lacks
    foreign: int  # rows of the file that the split does not ask for
    repeated: int  # rows that say a query again


@dataclass(frozen=True)
class Hidden:
    """How many of some entities stand at the end of their row: minus infinity, the lowest score, or none at all."""

    counted: int
    hidden: int

    @property
    def share(self) -> float:
        """Share that is hidden; 0 where nothing was counted."""
        return self.hidden / self.counted if self.counted else 0.0


@dataclass(frozen=True)
class Audit:
    """What was measured on the Q queries that file and split share, in the order of the split."""

    file: ScoreFile
    dataset: Dataset
    evaluation: Evaluation
    coverage: Coverage
    row: IntArray  # [Q] place of each query in the file
    own: Float64Array  # [Q] score of the answer in its row; NaN where it is not listed
    placed: NDArray[np.bool_]  # [Q] the rank is certain: entities that the row does not list are surely behind
    spread: Float64Array  # [Q] standard deviation of the row's scores: the measure for what is a small difference
    claimed: Ranks | None  # ranks with the claimed score in the answer's place; None where none is claimed
    siblings: Siblings  # rows of one and the same query, side by side
    answers_hidden: Hidden
    others_then_hidden: Hidden  # other entities that are true at the query's time
    others_else_hidden: Hidden  # entities that are true at other times only

    @property
    def queries(self) -> SplitQueries:
        """The queries that were ranked."""
        return self.evaluation.queries


def audit_scores(
    file: ScoreFile,
    dataset: Dataset,
    split: str = "test",
    *,
    name: str = "",
    rest: float | None = None,
    filters: Filters | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Rank another program's answers to the queries of a split.

    ``rest`` is the score of entities that a row does not list; None puts them behind all that it lists, where they tie:
    the optimistic and the pessimistic rank are then the bounds of what is not known. ``name`` is what tables call it.
    """
    started = time.perf_counter()
    filters = filters or Filters.of(dataset)
    asked = split_queries(dataset, split)
    place, coverage = _match(file, asked, dataset)
    queries = asked.part(place >= 0)
    if not len(queries):
        known = identify(dataset, file.facts)
        found = f"they are the {known.split} split of {known.name}" if known else "is it another split or dataset?"
        raise EvaluationError(
            f"{file.path} has {len(file):,} queries, none about a fact of the {split} split of {dataset.name}; {found}"
        )
    row = place[place >= 0]
    count = len(queries)
    better = np.empty((len(filters.protocols), count), dtype=np.int32)
    equal, claimed_better, claimed_equal = (np.empty_like(better) for _ in range(3))
    own, spread, placed = np.empty(count), np.empty(count), np.empty(count, dtype=bool)
    claim = file.claims.get(ANSWER_SCORE)
    siblings = Siblings.plan(queries, dataset.num_entities)
    hidden = np.zeros((3, 2), dtype=np.int64)
    order = np.argsort(row, kind="stable")  # as the file lies on the disk
    for begin in range(0, count, _BATCH):
        chosen = order[begin : begin + _BATCH]
        scores, batch, answer = file.read(row[chosen]), queries.batch.take(chosen), queries.answer[chosen]
        line = np.arange(len(chosen))
        own[chosen], spread[chosen] = scores[line, answer], _spread(scores)
        placed[chosen] = _placed(scores, answer) if rest is None else True
        siblings.read(chosen, scores)
        hidden += _count_hidden(scores, batch, answer, filters.answers)
        dense = _filled(scores, rest)
        ranks = rank_answers(dense, batch, line, answer, filters)
        better[:, chosen], equal[:, chosen] = ranks.better, ranks.equal
        if claim is not None:
            said = claim[row[chosen]]
            dense[line, answer] = np.where(np.isfinite(said), said, dense[line, answer])
            ranks = rank_answers(dense, batch, line, answer, filters)
            claimed_better[:, chosen], claimed_equal[:, chosen] = ranks.better, ranks.equal
        if progress is not None:
            progress(min(begin + _BATCH, count), count)
    ranks, grouping = Ranks(filters.protocols, better, equal), group(queries.batch)
    report = build_report(
        scorer=name or file.path.stem,
        dataset=dataset,
        split=split,
        queries=queries,
        seed=None,
        distinct=len(grouping),
        seconds=time.perf_counter() - started,
        ranks=ranks,
        answers=filters.answers,
    )
    return Audit(
        file=file,
        dataset=dataset,
        evaluation=Evaluation(queries, grouping, ranks, own, None, report),
        coverage=coverage,
        row=row,
        own=own,
        placed=placed,
        spread=spread,
        claimed=None if claim is None else Ranks(filters.protocols, claimed_better, claimed_equal),
        siblings=siblings,
        answers_hidden=Hidden(*hidden[0].tolist()),
        others_then_hidden=Hidden(*hidden[1].tolist()),
        others_else_hidden=Hidden(*hidden[2].tolist()),
    )


def _match(file: ScoreFile, asked: SplitQueries, dataset: Dataset) -> tuple[IntArray, Coverage]:
    """Row of the file for each query of the split (-1: none)."""
    directed = both_directions(file.facts, dataset.num_relations)
    at = np.arange(len(file)) + len(file) * file.head  # tails stand in the first half, heads in the second
    theirs, ours = fact_keys(
        [directed[at], Facts(asked.batch.subject, asked.batch.relation, asked.answer, asked.batch.time)]
    )
    order = np.argsort(theirs, kind="stable")
    place = np.minimum(np.searchsorted(theirs[order], ours), len(order) - 1)
    found = theirs[order[place]] == ours if len(order) else np.zeros(len(ours), dtype=bool)
    foreign = int((~np.isin(theirs, ours)).sum())
    coverage = Coverage(len(file), int((~found).sum()), foreign, len(theirs) - len(np.unique(theirs)))
    return np.where(found, order[place] if len(order) else -1, -1), coverage


def _filled(scores_BN: Float64Array, rest: float | None) -> Float64Array:
    """Every entity with a score: those that a row does not list get the rest, minus infinity a place behind all."""
    listed = np.isfinite(scores_BN)
    lowest = np.min(scores_BN, axis=1, where=listed, initial=np.inf)
    lowest = np.where(np.isfinite(lowest), lowest, 0.0)
    behind = (lowest if rest is None else np.minimum(lowest, rest)) - np.maximum(1.0, np.abs(lowest))
    unlisted = behind if rest is None else np.full(len(lowest), rest)
    dense = np.where(np.isnan(scores_BN), unlisted[:, None], scores_BN)
    return np.where(dense == -np.inf, behind[:, None], dense)


def _placed(scores_BN: Float64Array, answer: IntArray) -> NDArray[np.bool_]:
    """Rows that list everybody, or the answer above the last that they list (those after it may tie with that)."""
    lowest = np.nanmin(np.where(np.isfinite(scores_BN), scores_BN, np.inf), axis=1)
    certain: NDArray[np.bool_] = ~np.isnan(scores_BN).any(axis=1) | (scores_BN[np.arange(len(answer)), answer] > lowest)
    return certain


def _spread(scores_BN: Float64Array) -> Float64Array:
    """Standard deviation of each row's own scores."""
    listed = np.isfinite(scores_BN)
    count = np.maximum(listed.sum(axis=1), 1)
    values = np.where(listed, scores_BN, 0.0)
    mean = values.sum(axis=1) / count
    spread: Float64Array = np.sqrt((np.where(listed, values - mean[:, None], 0.0) ** 2).sum(axis=1) / count)
    return spread


def _count_hidden(scores_BN: Float64Array, batch: QueryBatch, answer: IntArray, answers: TrueAnswers) -> IntArray:
    """[3, 2] entities counted and hidden: the answers, others true at that time, others true at other times only."""
    lowest = np.min(scores_BN, axis=1, where=np.isfinite(scores_BN), initial=np.inf)
    gone = np.isnan(scores_BN) | (scores_BN <= lowest[:, None])
    line = np.arange(len(answer))
    then, ever = (table.rows(batch).pairs() for table in (answers.at_that_time(), answers.at_any_time()))
    count = scores_BN.shape[1]
    others_then = then[1] != answer[then[0]]
    now = then[0] * count + then[1]
    others_else = (ever[1] != answer[ever[0]]) & ~np.isin(ever[0] * count + ever[1], now)
    parts = ((line, answer), (then[0][others_then], then[1][others_then]), (ever[0][others_else], ever[1][others_else]))
    return np.array([[len(rows), int(gone[rows, entities].sum())] for rows, entities in parts], dtype=np.int64)
