"""Proof on a world with planted causes: do the reasons name the true ones?

For every test fact that a rule made and that the model answers right, each way to choose the facts that explain the
answer (``orders``) gives a list. Is a recorded cause its very first fact? Is one, or are all, among its first k?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tgap.capabilities import Walker
from tgap.data import Dataset, Facts
from tgap.evaluation.ranks import scored_rank
from tgap.evaluation.scoring import Progress
from tgap.evaluation.true_answers import answers_of
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.evidence import measure_evidence
from tgap.graph import View
from tgap.scorer import IntArray, Query, Trace
from tgap.studies.orders import ORDERS, ordered_facts
from tgap.studies.result import StudyResult

_CANDIDATES = 20  # facts whose effect is measured


@dataclass(frozen=True)
class CauseFigures:
    """Shares over the right answers, for each way to choose facts."""

    facts: int  # test facts with a recorded cause whose facts are all in the graph
    right: int  # of those, answered right: rank 1 once other true answers of that time step aside
    within: int  # k
    first: dict[str, float]  # share where the first fact of the list is a cause
    some: dict[str, float]  # share where at least one cause is among the first k
    all: dict[str, float]  # share where every cause is
    by_rule: dict[str, tuple[int, float]]  # rule: right answers, share where the fact of strongest effect is a cause


@dataclass(frozen=True)
class Causes(CauseFigures, StudyResult):
    """How often the reasons name recorded causes, and of what."""

    VERSION: ClassVar[str] = "tgap.causes/2"

    dataset: str
    seed: int
    past: bool


def cause_figures(
    explainer: Walker,
    dataset: Dataset,
    *,
    within: int = 5,
    limit: int | None = None,
    seed: int = 0,
    past: bool = False,
    progress: Progress | None = None,
) -> CauseFigures:
    """Figures over the test facts of ``dataset`` that have a recorded cause; tail questions, as the rules make them.

    ``limit`` looks only at a random sample of so many; ``seed`` fixes it and the random order. A fact may be told by
    what followed from it, too: who leaves an office in autumn was appointed to it. With ``past`` what happened after
    the time asked about is hidden.
    """
    graph = explainer.graph
    random = np.random.default_rng(seed)
    hits: dict[str, list[tuple[bool, bool, bool]]] = {name: [] for name in ORDERS}
    rules: list[str] = []
    usable = 0
    places = np.array(list(dataset.causes), dtype=np.int64)
    if limit is not None and limit < len(places):
        places = np.sort(random.choice(places, size=limit, replace=False))
    for number, place in enumerate(places.tolist()):
        cause = dataset.causes[place]
        if progress is not None:
            progress(number, len(places))
        wanted = graph.find_facts(*_columns(Facts.of(list(cause.facts))))
        if not len(wanted) or (wanted < 0).any():
            continue
        usable += 1
        fact = dataset.test[place]
        view = View.all().until(fact.time) if past else View.all()
        trace = explainer.trace(Query(fact.subject, fact.relation, fact.time), view)
        if not _right(dataset, trace, fact.object):
            continue
        rules.append(cause.rule)
        flow = AnswerFlow.of(graph, trace, fact.object)
        evidence = measure_evidence(
            Counterfactual(explainer, trace, fact.object), flow, _CANDIDATES, pairs=0, together=False
        )
        for name, chosen in ordered_facts(flow, evidence, random).items():
            found = np.isin(wanted, chosen[:within])
            hits[name].append((bool(np.isin(chosen[:1], wanted).any()), bool(found.any()), bool(found.all())))
    return CauseFigures(
        facts=usable,
        right=len(rules),
        within=within,
        first={name: _share([first for first, _, _ in found]) for name, found in hits.items()},
        some={name: _share([some for _, some, _ in found]) for name, found in hits.items()},
        all={name: _share([every for _, _, every in found]) for name, found in hits.items()},
        by_rule={
            rule: (
                rules.count(rule),
                _share([first for (first, _, _), of in zip(hits["effect"], rules, strict=True) if of == rule]),
            )
            for rule in sorted(set(rules))
        },
    )


def _right(dataset: Dataset, trace: Trace, answer: int) -> bool:
    """Whether the answer stands first among the entities that are not true answers themselves."""
    return scored_rank(trace.scores, answer, answers_of(dataset, trace.query)).rank < 1.5


def _columns(facts: Facts) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    return facts.subject, facts.relation, facts.object, facts.time


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 0.0
