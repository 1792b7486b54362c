"""Displacement profile of many questions (``explain.profile`` has that of one)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from tgap.capabilities import Walker
from tgap.evaluation.scoring import Progress
from tgap.explain.profile import Profile, ProfileSums
from tgap.graph import View
from tgap.graph.resolve import Resolver
from tgap.graph.view import WHOLE
from tgap.pauses import pauses_heard
from tgap.scorer import Query, QueryBatch, Trace

_WALKERS, _AHEAD = 2, 4  # threads that walk questions, questions walked before their sums are needed


def queries_profile(
    explainer: Walker, queries: QueryBatch, progress: Progress | None = None, view: View = WHOLE
) -> Profile:
    """Profile over many queries that see what ``view`` shows.

    Each distinct (v, r, t) is walked once and counts as often as it occurs. Walks run ahead on two threads (kernels
    release the GIL), unless somebody listens to the pauses of this one; sums are made here, in order of the questions.

    ``progress`` hears after each of them how many are done, and of how many.
    """
    rows = np.stack([queries.time, queries.subject, queries.relation], axis=1)
    distinct, repeats = np.unique(rows, axis=0, return_counts=True)  # in order of time: features of a day are reused
    sums = ProfileSums.empty(explainer.graph, queries)
    steps = 1
    asked = [Query(int(subject), int(relation), int(time)) for time, subject, relation in distinct.tolist()]
    walk = _walk_in_order if pauses_heard() else _walk_ahead
    for place, trace in enumerate(walk(explainer, asked, view)):
        steps, view = len(trace.steps), trace.view
        sums.add(trace, float(repeats[place]))
        if progress is not None:
            progress(place + 1, len(distinct))
    ordered = QueryBatch(distinct[:, 1], distinct[:, 2], distinct[:, 0])
    sums.add_base(Resolver(explainer.graph), view, ordered, repeats.astype(np.float64), steps)
    return sums.finish(len(queries), steps)


def _walk_in_order(explainer: Walker, asked: Sequence[Query], view: View) -> Iterator[Trace]:
    """The questions' traces, each walked when it is wanted."""
    return (explainer.trace(query, view) for query in asked)


def _walk_ahead(explainer: Walker, asked: Sequence[Query], view: View) -> Iterator[Trace]:
    """The questions' traces in their order, a few of them walked ahead on other threads."""
    with ThreadPoolExecutor(_WALKERS) as pool:
        running: deque[Future[Trace]] = deque()
        for query in asked:
            running.append(pool.submit(explainer.trace, query, view))
            if len(running) > _AHEAD:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
