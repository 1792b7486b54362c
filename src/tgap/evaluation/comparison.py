"""Reports with bootstrap intervals, and what the first scorer is better or worse by than the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tgap.errors import EvaluationError
from tgap.evaluation.bootstrap import Bootstrap, metric_differences, metric_intervals
from tgap.evaluation.queries import SplitQueries
from tgap.evaluation.report import Report
from tgap.evaluation.scoring import Evaluation


def with_intervals(evaluations: Sequence[Evaluation], bootstrap: Bootstrap) -> list[Report]:
    """The reports with intervals; that of the first also has its differences to the others, drawn pairwise.

    All must have ranked the same queries.
    """
    first, *others = evaluations
    names = [one.report.scorer for one in evaluations]
    if len(set(names)) < len(names):
        raise EvaluationError(f"two of {', '.join(names)} have the same name; give each scorer a name of its own")
    for other in others:
        require_same_queries(first.queries, other.queries, other.report.scorer)
    reports = [
        replace(one.report, bootstrap=bootstrap, intervals=metric_intervals(one.ranks, one.queries, bootstrap))
        for one in evaluations
    ]
    differences = {
        other.report.scorer: metric_differences(first.ranks, other.ranks, first.queries, bootstrap) for other in others
    }
    return [replace(reports[0], differences=differences), *reports[1:]]


def require_same_queries(first: SplitQueries, second: SplitQueries, name: str) -> None:
    """Refuse to compare scorers that were asked different things."""
    same = len(first) == len(second) and all(
        np.array_equal(one, other)
        for one, other in (
            (first.batch.subject, second.batch.subject),
            (first.batch.relation, second.batch.relation),
            (first.batch.time, second.batch.time),
            (first.answer, second.answer),
        )
    )
    if not same:
        raise EvaluationError(
            f"{name} was asked {len(second)} other queries than the {len(first)} it is compared on; evaluate both on "
            "the same split, with the same limit and seed"
        )
