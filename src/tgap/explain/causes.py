"""Proof on a world with planted causes: are the true reasons among the strongest edges?

For every test fact that a rule made and that the model answers right, ask whether the cause facts stand among the k
strongest edges of some step (in either direction). Two other ways to pick k edges a step from those that carried
attention say how hard that is: at random, and the most recent (nearest in time to the question, the past first).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tgap.data import Dataset, Facts
from tgap.evaluation.ranks import scored_rank
from tgap.evaluation.scoring import Progress
from tgap.evaluation.true_answers import answers_of
from tgap.explain.edges import mean_attention
from tgap.graph import TemporalGraph
from tgap.scorer import Explainer, IntArray, Query, StepTrace, Trace

PICKS = ("strongest", "random", "recent")


@dataclass(frozen=True)
class CauseFigures:
    """Shares over the right answers, for each way to pick."""

    facts: int  # test facts with a recorded cause whose facts are all in the graph
    right: int  # of those, answered right: rank 1 once other true answers of that time step aside
    picked: int  # k edges a step
    some: dict[str, float]  # share where at least one cause fact was picked
    all: dict[str, float]  # share where every cause fact was picked
    by_rule: dict[str, tuple[int, float]]  # rule: right answers, share where the strongest hold some cause fact


def cause_figures(
    explainer: Explainer,
    dataset: Dataset,
    *,
    count: int = 5,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> CauseFigures:
    """Figures over the test facts of ``dataset`` that have a recorded cause; tail questions, as the rules make them.

    ``limit`` looks only at a random sample of so many; ``seed`` fixes it and the random picks.
    """
    graph = explainer.graph
    random = np.random.default_rng(seed)
    hits: dict[str, list[tuple[bool, bool]]] = {name: [] for name in PICKS}
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
        trace = explainer.trace(Query(fact.subject, fact.relation, fact.time))
        if not _right(dataset, trace, fact.object):
            continue
        rules.append(cause.rule)
        for name in PICKS:
            chosen = np.concatenate([_pick(graph, trace, step, name, (count, random)) for step in trace.steps])
            found = np.isin(wanted, graph.fact[chosen])
            hits[name].append((bool(found.any()), bool(found.all())))
    return CauseFigures(
        facts=usable,
        right=len(rules),
        picked=count,
        some={name: _share([some for some, _ in found]) for name, found in hits.items()},
        all={name: _share([every for _, every in found]) for name, found in hits.items()},
        by_rule={
            rule: (
                rules.count(rule),
                _share([some for (some, _), of in zip(hits["strongest"], rules, strict=True) if of == rule]),
            )
            for rule in sorted(set(rules))
        },
    )


def _right(dataset: Dataset, trace: Trace, answer: int) -> bool:
    """Whether the answer stands first among the entities that are not true answers themselves."""
    return scored_rank(trace.scores, answer, answers_of(dataset, trace.query)).rank < 1.5


def _pick(
    graph: TemporalGraph, trace: Trace, step: StepTrace, way: str, draw: tuple[int, np.random.Generator]
) -> IntArray:
    """Edges of a step that a way to pick would show; self-loops left out."""
    count, random = draw
    moving = np.flatnonzero(step.relation != graph.loop_relation)
    if way == "random":
        chosen = random.choice(moving, size=min(count, len(moving)), replace=False)
    elif way == "recent":
        displacement = step.time[moving] - trace.query.time
        tie = random.random(len(moving))
        chosen = moving[np.lexsort((tie, displacement > 0, np.abs(displacement)))[:count]]
    else:
        chosen = moving[np.argsort(-mean_attention(step)[moving], kind="stable")[:count]]
    edges: IntArray = step.edge[chosen]
    return edges


def _columns(facts: Facts) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    return facts.subject, facts.relation, facts.object, facts.time


def _share(found: list[bool]) -> float:
    return sum(found) / len(found) if found else 0.0
