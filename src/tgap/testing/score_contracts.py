"""Contracts of every scorer: what its members are, and what its scores look like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tgap.errors import TgapError
from tgap.scorer import FloatArray, QueryBatch, ScoreKind
from tgap.testing.contract import Contract, Trial, far_apart, query_at, told

_SUM = 1e-3  # how far the probabilities of a row may be from 1 in sum


def _members(trial: Trial) -> Iterator[str]:
    scorer: Any = trial.scorer  # what it promises is what is checked here
    if not isinstance(scorer.name, str) or not scorer.name:
        yield f"name is {scorer.name!r}; expected a text"
    if not isinstance(scorer.kind, ScoreKind):
        yield f"kind is {scorer.kind!r}; expected a ScoreKind"
    for member in ("num_entities", "num_relations"):
        found, expected = getattr(scorer, member), getattr(trial.dataset, member)
        if found != expected:
            yield f"{member} is {found}; the dataset {trial.dataset.name} has {expected}"


def _shape(trial: Trial) -> Iterator[str]:
    for count in (0, 1, len(trial.queries)):
        scores = trial.scorer.score(trial.queries.take(slice(0, count)))
        if not isinstance(scores, np.ndarray) or scores.dtype != np.float32:
            yield f"{count} queries give {getattr(scores, 'dtype', type(scores).__name__)}; expected float32"
        elif scores.shape != (count, trial.dataset.num_entities):
            yield f"{count} queries give the shape {list(scores.shape)}; expected {[count, trial.dataset.num_entities]}"


def _numbers(trial: Trial) -> Iterator[str]:
    scores = trial.scorer.score(trial.queries)
    allowed = np.isfinite(scores) | (scores == -np.inf)  # a log-probability of 0, or an entity that cannot be
    if trial.scorer.kind is ScoreKind.PROBABILITY:
        allowed = np.isfinite(scores)
    for row, entity in np.argwhere(~allowed):
        yield f"entity {entity} has the score {scores[row, entity]} for {told(query_at(trial.queries, int(row)))}"


def kind_broken(queries: QueryBatch, kind: ScoreKind, scores: FloatArray) -> Iterator[str]:
    """Rows that are not what ``kind`` says."""
    chances = kind.probabilities(scores)
    if chances is None:
        return
    for row, chance in enumerate(chances.astype(np.float64)):
        query = told(query_at(queries, row))
        if chance.min() < 0:
            yield f"the probability of entity {int(chance.argmin())} is {chance.min():.6g} for {query}"
        elif not abs(chance.sum() - 1) < _SUM:
            yield f"the probabilities sum to {chance.sum():.6g} for {query}"


def _kind(trial: Trial) -> Iterator[str]:
    yield from kind_broken(trial.queries, trial.scorer.kind, trial.scorer.score(trial.queries))


def _repeats(trial: Trial) -> Iterator[str]:
    queries = trial.queries
    before = [column.copy() for column in (queries.subject, queries.relation, queries.time)]
    first = trial.scorer.score(queries)
    kept = first.copy()
    second = trial.scorer.score(queries)
    yield from far_apart(queries, kept, second, "asked a second time")
    trial.scorer.score(queries.take(slice(None, None, -1)))
    if not np.array_equal(kept, first, equal_nan=True):
        yield "an array that was given back before changed with the next call; give a new one each time"
    for name, column in zip(("subject", "relation", "time"), before, strict=True):
        if not np.array_equal(column, getattr(queries, name)):
            yield f"the array {name} of the queries was written to"


def _batch(trial: Trial) -> Iterator[str]:
    queries = trial.queries
    together = trial.scorer.score(queries)
    rows = range(len(queries))
    alone = np.concatenate([trial.scorer.score(queries.take(slice(row, row + 1))) for row in rows])
    yield from far_apart(queries, together, alone, "in a batch and alone")
    turned = trial.scorer.score(queries.take(slice(None, None, -1)))[::-1]
    yield from far_apart(queries, together, turned, "in this order and in the opposite one")
    twice = np.repeat(np.arange(len(queries)), 2)
    doubled = trial.scorer.score(queries.take(twice))[::2]
    yield from far_apart(queries, together, doubled, "once and twice in a batch")


def _ids(trial: Trial) -> Iterator[str]:
    query = query_at(trial.queries, 0)
    entities, relations = trial.scorer.num_entities, 2 * trial.scorer.num_relations
    wrong = [query._replace(subject=bad) for bad in (-1, entities)]
    wrong += [query._replace(relation=bad) for bad in (-1, relations)]
    for one in wrong:
        try:
            trial.scorer.score(QueryBatch.of([one]))
        except TgapError:
            continue
        yield f"{told(one)} is answered; refuse it with QueryBatch.check_ids(num_entities, num_relations)"


SCORE_CONTRACTS = (
    Contract("name, kind, num_entities and num_relations describe the scorer and fit the dataset", _members),
    Contract("ids that are out of range are refused", _ids),
    Contract("scores are float32 of shape [queries, entities]", _shape),
    Contract("scores are numbers", _numbers),
    Contract("probabilities are not negative and a row sums to 1", _kind),
    Contract("asking has no effect on queries and later answers", _repeats),
    Contract("a row does not depend on its batch", _batch),
)
