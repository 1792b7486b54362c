"""What a contract is, and the examples that a scorer is tried with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tgap.capabilities import Capabilities, capabilities_of
from tgap.data import Dataset, Facts
from tgap.data.facts import both_directions
from tgap.graph import View
from tgap.scorer import FloatArray, IntArray, Query, QueryBatch, Scorer

ALONE = 4  # queries that are tried one at a time where each costs as much as a batch


class ContractError(AssertionError):
    """A scorer breaks a contract. ``contract`` says which one, ``example`` shows how."""

    def __init__(self, scorer: str, contract: str, example: str) -> None:
        super().__init__(f"{scorer} breaks the contract {contract!r}: {example}")
        self.contract = contract
        self.example = example


@dataclass(frozen=True)
class Trial:
    """A scorer on its dataset, with queries to try."""

    scorer: Scorer
    dataset: Dataset
    asked: QueryBatch

    @classmethod
    def of(cls, scorer: Scorer, dataset: Dataset, count: int) -> Trial:
        """At most ``count`` queries from facts of all splits, in both directions, some at times outside the data."""
        facts = Facts.concatenate(list(dataset.splits.values()))
        asked = both_directions(facts, dataset.num_relations)
        rows = np.unique(np.linspace(0, len(asked) - 1, min(count, len(asked))).astype(np.int64))
        time = asked.time[rows].copy()
        time[1::5] = dataset.timeline.span + 3
        time[3::7] = -2
        return cls(scorer, dataset, QueryBatch(asked.subject[rows], asked.relation[rows], time))

    @property
    def queries(self) -> QueryBatch:
        """The queries, in new arrays: one contract is not tried with what another one spoilt."""
        return self.asked.take(np.arange(len(self.asked)))

    @property
    def declared(self) -> Capabilities:
        """The capabilities of the scorer."""
        return capabilities_of(self.scorer)


@dataclass(frozen=True)
class Contract:
    """A rule, and how to find examples that break it."""

    rule: str  # one clause, as in the error
    broken_by: Callable[[Trial], Iterator[str]]  # one line for each example


def query_at(queries: QueryBatch, row: int) -> Query:
    """One query of a batch."""
    return Query(int(queries.subject[row]), int(queries.relation[row]), int(queries.time[row]))


def told(query: Query) -> str:
    """A query in an example.

    >>> told(Query(1, 2, 3))
    'the query (1, 2, ?, 3)'
    """
    return f"the query ({query.subject}, {query.relation}, ?, {query.time})"


def close(one: FloatArray, other: FloatArray) -> bool:
    """Whether scores are equal up to the order in which they were added; infinities are equal to themselves."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-3, atol=1e-6, equal_nan=True))


def far_apart(queries: QueryBatch, one: FloatArray, other: FloatArray, what: str) -> Iterator[str]:
    """An example for each query whose rows differ; ``what`` names the two."""
    if one.shape != other.shape:
        yield f"{what}: scores of shape {list(one.shape)} and {list(other.shape)}"
        return
    for row in range(len(queries)):
        if not close(one[row], other[row]):
            entity = int(np.argmax(np.abs(np.nan_to_num(one[row] - other[row], nan=np.inf))))
            scores = f"{one[row, entity]:.6g} and {other[row, entity]:.6g}"
            yield f"{what}: entity {entity} has the scores {scores} for {told(query_at(queries, row))}"


def facts_outside(times: IntArray, view: View, time: int) -> IntArray:
    """Facts (by id, with these times) that a view does not show to a query of ``time``."""
    return np.flatnonzero(~view.at(time).shown(times))
