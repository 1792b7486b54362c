"""The one protocol that joins the rooms: whatever answers a query is a ``Scorer``. Types only.

What some scorers can do besides is declared, see ``tgap.capabilities``.

Ids: entities 0..N-1; relations 0..R-1 as in the data, r + R the inverse of r, 2R the self-loop. A query is always
(subject, relation, ?, time); asking for the head of (?, r, o, t) is the query (o, r + R, ?, t). Times are whole
numbers on the dataset's timeline and need not belong to any fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tgap.errors import QueryError
from tgap.graph import View

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float32]


class Query(NamedTuple):
    """(subject, relation, ?, time) as ids."""

    subject: int
    relation: int
    time: int


@dataclass(frozen=True)
class QueryBatch:
    """Queries as three equally long id arrays."""

    subject: IntArray
    relation: IntArray
    time: IntArray

    def __post_init__(self) -> None:
        assert self.subject.shape == self.relation.shape == self.time.shape, "query arrays differ in length"
        assert self.subject.ndim == 1, "query arrays have one dimension"

    def __len__(self) -> int:
        return len(self.subject)

    @classmethod
    def of(cls, queries: Sequence[Query]) -> QueryBatch:
        """Batch from single queries."""
        table = np.array(queries, dtype=np.int64).reshape(len(queries), 3)
        return cls(table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy())

    def take(self, index: IntArray | slice) -> QueryBatch:
        """The queries at ``index``."""
        return QueryBatch(self.subject[index], self.relation[index], self.time[index])

    def check_ids(self, num_entities: int, num_relations: int) -> None:
        """Refuse entities and relations (inverses included) that do not exist."""
        for what, ids, bound in (
            ("subject", self.subject, num_entities),
            ("relation", self.relation, 2 * num_relations),
        ):
            bad = ids[(ids < 0) | (ids >= bound)]
            if len(bad):
                raise QueryError(f"{what} id {bad[0]} is out of range; expected 0 to {bound - 1}")


class ScoreKind(Enum):
    """What the numbers of a score row are."""

    PROBABILITY = "probability"  # not negative, a row sums to 1
    LOG_PROBABILITY = "log-probability"  # their exponentials are probabilities
    ORDER = "order"  # higher is likelier, and no more is said

    def probabilities(self, scores: FloatArray) -> FloatArray | None:
        """The scores as probabilities; None where they only order.

        >>> ScoreKind.LOG_PROBABILITY.probabilities(np.zeros(1, np.float32))
        array([1.], dtype=float32)
        """
        if self is ScoreKind.ORDER:
            return None
        return scores if self is ScoreKind.PROBABILITY else np.exp(scores)


class Scorer(Protocol):
    """Anything that ranks entities for a query."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    @property
    def kind(self) -> ScoreKind:
        """What its scores are."""
        ...

    @property
    def num_entities(self) -> int:
        """N: every score row has this length."""
        ...

    @property
    def num_relations(self) -> int:
        """R: relations without inverses and self-loop."""
        ...

    def score(self, queries: QueryBatch) -> FloatArray:
        """Scores [B, N], higher is likelier.

        The row of a query does not depend on the rest of the batch, except for its last bits where a library for linear
        algebra adds in another order.
        """
        ...


@dataclass(frozen=True)
class StepTrace:
    """What attention did in one step t. Edges are those that carried mass; H is the number of flows (1 or K)."""

    edge: IntArray  # [E] index of the edge in the graph
    subject: IntArray  # [E] i
    relation: IntArray  # [E] r, inverses and self-loop included
    object: IntArray  # [E] j
    time: IntArray  # [E] t_e; the query's own time for a self-loop
    transition: FloatArray  # [E, H] T_ij: softmax over the edges out of i
    attention: FloatArray  # [E, H] a~ = T_ij a_i: the mass that crossed
    entities: IntArray  # [M] entities that hold mass after the step
    mass: FloatArray  # [M, H] a^(t) of those
    core: IntArray  # entities that the subgraph grew from (empty after the last step)
    candidates: IntArray  # edges sampled from them (index in the graph)
    added: IntArray  # of those, the edges that joined the subgraph
    subgraph: IntArray  # entities of G^(t)


@dataclass(frozen=True)
class Trace:
    """One query's whole forward pass, as the explanation reads it."""

    query: Query
    view: View  # what of the graph could be seen
    steps: tuple[StepTrace, ...]
    scores: FloatArray  # [N] the prediction: a^(T), mean over flows, and a prior's part where the model has one

    def mass(self, entity: int) -> float:
        """a^(T) of an entity, mean over flows: what the walk brought there."""
        last = self.steps[-1]
        found = last.mass[last.entities == entity]
        return float(found.mean()) if len(found) else 0.0
