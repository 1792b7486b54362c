"""A dataset small enough to check by hand, and scorers that answer from a table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tgap.data import Dataset, Facts, Timeline, Vocabulary
from tgap.scorer import QueryBatch, ScoreKind

Score = Callable[[int, int, int], NDArray[np.floating]]


class FunctionScorer:
    """Scores by a function of (subject, relation, time); remembers what it was asked."""

    name = "function"
    kind = ScoreKind.ORDER

    def __init__(self, dataset: Dataset, function: Score) -> None:
        self.num_entities = dataset.num_entities
        self.num_relations = dataset.num_relations
        self.function = function
        self.asked: list[tuple[int, int, int]] = []

    def score(self, queries: QueryBatch) -> NDArray[np.float32]:
        keys = list(zip(queries.subject.tolist(), queries.relation.tolist(), queries.time.tolist(), strict=True))
        self.asked += keys
        return np.stack([self.function(*key) for key in keys]).astype(np.float32)


def facts(*events: tuple[int, int, int, int]) -> Facts:
    table = np.array(events, dtype=np.int64).reshape(len(events), 4)
    return Facts(*(column.copy() for column in table.T))


@pytest.fixture
def dataset() -> Dataset:
    """Four people and a stranger (Eve is in test only); two relations; ten days."""
    return Dataset(
        name="village",
        entities=Vocabulary(["Ann", "Ben", "Cat", "Dan", "Eve"], what="entity"),
        relations=Vocabulary(["helps", "visits"], what="relation"),
        timeline=Timeline("day", 16071, 16080),
        train=facts((0, 1, 1, 0), (0, 1, 2, 4), (2, 0, 3, 5), (0, 1, 1, 9)),
        valid=facts((0, 1, 3, 6)),
        test=facts((0, 1, 1, 6), (0, 1, 2, 6), (3, 0, 4, 2)),
    )


@pytest.fixture
def scorer_of() -> Callable[[Dataset, Score], FunctionScorer]:
    return FunctionScorer


@pytest.fixture
def random_scorer(dataset: Dataset) -> FunctionScorer:
    """Coarse random scores with ties, a function of the query alone."""

    def function(subject: int, relation: int, time: int) -> NDArray[np.floating]:
        return np.random.default_rng((subject, relation, time)).integers(0, 3, dataset.num_entities) / 2

    return FunctionScorer(dataset, function)
