"""The one protocol that joins the rooms: whatever answers a query is a ``Scorer``. Types only.

Ids: entities 0..N-1; relations 0..R-1 as in the data, r + R the inverse of r, 2R the self-loop. A query is always
(subject, relation, ?, time); asking for the head of (?, r, o, t) is the query (o, r + R, ?, t). Times are whole
numbers on the dataset's timeline and need not belong to any fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset
from tgap.errors import QueryError
from tgap.graph import TemporalGraph, View
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting
from tgap.graph.view import WHOLE

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
    """What the numbers of a score row are. Whether a scorer can explain them is another matter: see ``Explainer``."""

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


@runtime_checkable
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
        """Scores [B, N], higher is likelier. The row of a query does not depend on the rest of the batch, save for its

        last bits where a library for linear algebra adds in another order.
        """
        ...


@runtime_checkable
class GraphScorer(Scorer, Protocol):
    """A scorer that reads a graph while it answers, so that facts can join it, and be hidden, without training."""

    @property
    def graph(self) -> TemporalGraph:
        """The facts that it knows."""
        ...

    @property
    def setting(self) -> EvaluationSetting:
        """Which facts these are, and what a question sees of them at most."""
        ...

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N] of queries that see only what both ``view`` and the limits of the setting show."""
        ...

    def knowing(self, dataset: Dataset, setting: EvaluationSetting) -> GraphScorer:
        """The same scorer with other facts known, of its own dataset or of one that facts were appended to."""
        ...

    def seeing(self, limits: View) -> GraphScorer:
        """The same scorer on the same facts with other limits."""
        ...


def informed(scorer: Scorer, dataset: Dataset, setting: EvaluationSetting) -> Scorer:
    """A scorer under the given setting; one that does not read a graph can only have the usual."""
    if isinstance(scorer, GraphScorer):
        if scorer.setting == setting:
            return scorer
        same = scorer.setting.context == setting.context
        return scorer.seeing(setting.limits) if same else scorer.knowing(dataset, setting)
    return scorer if setting == DEFAULT_SETTING else reading(scorer)


def reading(scorer: Scorer) -> GraphScorer:
    """The scorer, if it reads a graph while it answers."""
    if not isinstance(scorer, GraphScorer):
        raise QueryError(
            f"{scorer.name} cannot be told what to see: all that it knows of train is in its weights; "
            "use a run of a method that reads the graph, such as tgap or recency"
        )
    return scorer


def setting_of(scorer: Scorer) -> EvaluationSetting:
    """What a scorer answers from; the usual where it does not say."""
    return scorer.setting if isinstance(scorer, GraphScorer) else DEFAULT_SETTING


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


@runtime_checkable
class Explainer(Scorer, Protocol):
    """A scorer that can show its walk, and answer from what a view shows of its graph."""

    @property
    def graph(self) -> TemporalGraph:
        """The graph that is walked."""
        ...

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N] of queries that see only what ``view`` shows."""
        ...

    def score_each(self, query: Query, views: Sequence[View]) -> FloatArray:
        """Scores [V, N] of one query under each of several views."""
        ...

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        """The forward pass of one query that sees only what ``view`` shows."""
        ...


@runtime_checkable
class Reader(Explainer, Protocol):
    """An explainer whose scores lean on facts besides those that its walk took."""

    def facts_read(self, trace: Trace, answer: int, count: int) -> IntArray:
        """At most ``count`` facts (ids as in ``graph.fact``) that were read about an answer, the most telling first."""
        ...


@runtime_checkable
class Sampler(Explainer, Protocol):
    """An explainer whose answers may depend on a random sample of a hub's edges."""

    @property
    def samples(self) -> bool:
        """Whether they do, by its settings."""
        ...

    def score_seeds(self, query: Query, view: View, count: int) -> FloatArray:
        """Scores [count, N] of one query under several seeds of the sample, its own first."""
        ...


@runtime_checkable
class Reranker(Explainer, Protocol):
    """An explainer that orders the answers of a walk anew, by facts that it reads itself."""

    def walk_scores(self, trace: Trace) -> FloatArray:
        """Scores [N] of the walk alone."""
        ...

    def reranked_without(self, trace: Trace, sets: Sequence[Sequence[int]]) -> FloatArray:
        """Scores [S, N] if the re-ranker alone did not see each set of facts; the walk stays as it is."""
        ...


@runtime_checkable
class Transferable(Scorer, Protocol):
    """A scorer that can answer about another dataset than the one it learned from, without training."""

    def transferred(self, own: Dataset, other: Dataset) -> Scorer:
        """The scorer for ``other``; ``own`` is what it learned from."""
        ...
