"""Pauses in long computations: between two forward passes others may come in between, or it may end for good.

An explanation with measured effects is dozens of forward passes. The scorer that a service asks is wrapped, so that
before each pass the thread's own *hook* is called, if it has one: the work queue's (``work_queue.py``), which lets
questions through that came meanwhile and raises where nobody waits for the answer any more. Scores are the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tgap.graph import TemporalGraph, View
from tgap.graph.view import WHOLE
from tgap.scorer import Explainer, FloatArray, Query, QueryBatch, ScoreKind, Scorer, Trace

_thread = threading.local()


@contextmanager
def pausing(hook: Callable[[], object]) -> Iterator[None]:
    """Inside, ``hook`` is called at every pause of this thread."""
    before = getattr(_thread, "hook", None)
    _thread.hook = hook
    try:
        yield
    finally:
        _thread.hook = before


def pause() -> None:
    """Here the computation may be held up or ended."""
    hook = getattr(_thread, "hook", None)
    if hook is not None:
        hook()


def with_pauses(scorer: Scorer) -> Scorer:
    """The same scorer with a pause before every forward pass; an explainer stays one."""
    return PausingExplainer(scorer) if isinstance(scorer, Explainer) else PausingScorer(scorer)


class PausingScorer:
    """A scorer that pauses before it scores."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    @property
    def name(self) -> str:
        """What tables call it."""
        return self._scorer.name

    @property
    def kind(self) -> ScoreKind:
        """What its scores are."""
        return self._scorer.kind

    @property
    def num_entities(self) -> int:
        """N."""
        return self._scorer.num_entities

    @property
    def num_relations(self) -> int:
        """R."""
        return self._scorer.num_relations

    def score(self, queries: QueryBatch) -> FloatArray:
        """The scores of the scorer itself."""
        pause()
        return self._scorer.score(queries)


class PausingExplainer(PausingScorer):
    """An explainer that pauses before it scores or traces."""

    def __init__(self, explainer: Explainer) -> None:
        super().__init__(explainer)
        self._explainer = explainer

    @property
    def graph(self) -> TemporalGraph:
        """The graph that is walked."""
        return self._explainer.graph

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        """The scores of the explainer itself."""
        pause()
        return self._explainer.score(queries, view)

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        """The trace of the explainer itself."""
        pause()
        return self._explainer.trace(query, view)
