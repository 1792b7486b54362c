"""Capabilities: what a scorer can do besides scoring. A scorer declares them; nothing is guessed from its class.

Every method has ``score``. Some can do more: read a graph while they answer, show their walk, move to another dataset.
Each of these is a *capability*: a typed handle in ``Capabilities``, which a scorer gives by an attribute of that name.

    class Mine:
        ...
        @property
        def capabilities(self) -> Capabilities:
            return Capabilities(reads_graph=self)

A scorer without the attribute has none. ``capabilities_of`` gives the declaration; ``require_graph``,
``require_walker`` and ``require_transfer`` give a handle or raise a ``CapabilityError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tgap.data import Dataset
from tgap.errors import CapabilityError, ConfigError
from tgap.graph import TemporalGraph, View
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting
from tgap.graph.view import WHOLE
from tgap.scorer import FloatArray, IntArray, Query, QueryBatch, Scorer, Trace


class GraphScorer(Scorer, Protocol):
    """A scorer that reads a graph while it answers, so that facts can join it, and be hidden, without training."""

    @property
    def graph(self) -> TemporalGraph:
        """The facts that it reads."""
        ...

    @property
    def setting(self) -> EvaluationSetting:
        """Which facts these are, and what a query sees of them at most."""
        ...

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """Scores [B, N] of queries that see only what both ``view`` and the limits of the setting show."""
        ...

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> GraphScorer:
        """The same scorer on other facts, of its own dataset or of one that facts were appended to."""
        ...

    def restricted_to(self, limits: View) -> GraphScorer:
        """The same scorer on the same facts with other limits."""
        ...


class Walker(GraphScorer, Protocol):
    """A scorer that walks its graph and can show the walk."""

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> Walker:
        """The same walker on other facts."""
        ...

    def restricted_to(self, limits: View) -> Walker:
        """The same walker on the same facts with other limits."""
        ...

    def score_each(self, query: Query, views: Sequence[View]) -> FloatArray:
        """Scores [V, N] of one query under each of several views."""
        ...

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        """The forward pass of one query that sees only what ``view`` and the limits of the setting show."""
        ...


class FactReader(Protocol):
    """A scorer whose scores depend on facts besides those that its walk took."""

    def facts_read(self, trace: Trace, answer: int, count: int) -> IntArray:
        """At most ``count`` facts (ids as in ``graph.fact``) that were read about an answer, the most telling first."""
        ...


class Sampler(Walker, Protocol):
    """A walker whose answers may depend on a random sample of a hub's edges."""

    @property
    def samples(self) -> bool:
        """Whether they do, by its settings."""
        ...

    def score_seeds(self, query: Query, view: View, count: int) -> FloatArray:
        """Scores [count, N] of one query under several seeds of the sample, its own first."""
        ...


class RerankingScorer(Protocol):
    """A scorer that orders the answers of a walk anew, by facts that it reads itself."""

    def walk_scores(self, trace: Trace) -> FloatArray:
        """Scores [N] of the walk alone."""
        ...

    def reranked_without(self, trace: Trace, sets: Sequence[Sequence[int]]) -> FloatArray:
        """Scores [S, N] if the re-ranker alone did not see each set of facts; the walk stays as it is."""
        ...


class TransferableScorer(Scorer, Protocol):
    """A scorer that can answer about another dataset than the one it learned from, without training."""

    def transferred(self, own: Dataset, other: Dataset) -> Scorer:
        """The scorer for ``other``; ``own`` is what it learned from."""
        ...


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a scorer can do besides scoring: a handle for each capability, None where it lacks it."""

    # Makes possible: --past-only, --as-of, --context, what-if questions, and facts appended by `tgap data append`.
    reads_graph: GraphScorer | None = None
    # Makes possible: explain, why, evidence beside answers, and every study of walks. Who walks reads the graph, too.
    walks: Walker | None = None
    # Makes explanations complete: facts that the walk did not take are measured as evidence as well.
    reads_facts: FactReader | None = None
    # Makes possible: a spread beside probabilities where a hub's edges are sampled.
    sampling: Sampler | None = None
    # Makes possible: the re-ranker's own part in an explanation.
    reranks: RerankingScorer | None = None
    # Makes possible: --dataset with a run that was trained on another dataset.
    transfers: TransferableScorer | None = None

    def __post_init__(self) -> None:
        if self.reads_graph is None and self.walks is not None:
            object.__setattr__(self, "reads_graph", self.walks)


NONE = Capabilities()


def capabilities_of(scorer: Scorer) -> Capabilities:
    """What a scorer declares; nothing if it has no attribute ``capabilities``."""
    declared = getattr(scorer, "capabilities", NONE)
    if not isinstance(declared, Capabilities):
        raise ConfigError(
            f"{scorer.name}.capabilities is {declared!r}; expected a tgap.capabilities.Capabilities "
            "(a property, if it is written as a function)"
        )
    return declared


def require_graph(scorer: Scorer) -> GraphScorer:
    """The scorer as one that reads a graph."""
    found = capabilities_of(scorer).reads_graph
    if found is None:
        raise CapabilityError(
            f"{scorer.name} does not read the graph (it lacks the capability `reads_graph`): what it knows is in its "
            "weights, so it cannot see other facts or fewer; use a method that reads the graph, such as tgap or recency"
        )
    return found


def require_walker(scorer: Scorer) -> Walker:
    """The scorer as one that can show its walk."""
    found = capabilities_of(scorer).walks
    if found is None:
        raise CapabilityError(
            f"{scorer.name} gives answers without reasons: it has no walk to show (it lacks the capability `walks`); "
            "use a run of a method that walks, such as tgap"
        )
    return found


def require_transfer(scorer: Scorer, own: Dataset) -> TransferableScorer:
    """The scorer as one that can move from its own dataset to another one."""
    found = capabilities_of(scorer).transfers
    if found is None:
        raise CapabilityError(
            f"{scorer.name} answers about {own.name} only (it lacks the capability `transfers`); "
            "leave `dataset` out, or use a run of tgap"
        )
    return found


def setting_of(scorer: Scorer) -> EvaluationSetting:
    """The evaluation setting of a scorer; the default one where it reads no graph."""
    found = capabilities_of(scorer).reads_graph
    return DEFAULT_SETTING if found is None else found.setting


def under_setting(scorer: Scorer, dataset: Dataset, setting: EvaluationSetting) -> Scorer:
    """The scorer under the given setting. One that reads no graph can only have the default setting."""
    if setting_of(scorer) == setting:
        return scorer
    found = require_graph(scorer)
    if found.setting.context == setting.context:
        return found.restricted_to(setting.limits)
    return found.with_context(dataset, setting)
