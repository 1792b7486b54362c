"""Is the explanation faithful? Take away what it names and see whether the answer suffers.

``check`` deletes the k facts that attention used most (each with its inverse and copies; the whole forward pass,
PGNN included, is recomputed without them) and compares the answer's probability and rank before and after. Two
controls, k facts each, say what such a deletion costs anyway:

* ``random``: drawn among all other facts that carried mass in some step;
* ``nearby``: drawn among the other facts of v_q itself, which are walked in the first step. Harder to beat: most facts
  that carried mass are far away and carried next to nothing.

A fact is used as much as attention crossed its edges, in both directions, copies included, summed over steps;
self-loops are no facts. The check tells only that the named facts matter to the answer, not that nothing else does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tgap.evaluation.scoring import Progress
from tgap.explain.edges import mean_attention
from tgap.graph import TemporalGraph
from tgap.scorer import Explainer, IntArray, Query, QueryBatch, Trace

CONTROLS = ("random", "nearby")


@dataclass(frozen=True)
class Standing:
    """An answer's probability and its rank among all entities (ties count half)."""

    probability: float
    rank: float


@dataclass(frozen=True)
class Deletion:
    """Facts taken away (ids as in ``graph.fact``) and how the answer stood without them."""

    facts: tuple[int, ...]
    after: Standing


@dataclass(frozen=True)
class Check:
    """Deletion check of one answer."""

    before: Standing
    strongest: Deletion
    controls: dict[str, Deletion]  # by name; a control is missing when no fact is left to draw from

    def drop(self, deletion: Deletion) -> float:
        """Share of the answer's probability that a deletion took away; negative if it grew."""
        if self.before.probability <= 0:
            return 0.0
        return 1.0 - deletion.after.probability / self.before.probability


@dataclass(frozen=True)
class Faithfulness:
    """Means over many checks: of the strongest facts (``strongest``) and of each control."""

    checks: int
    removed: int  # k
    unreached: int  # queries left out because no attention arrived at the answer: nothing could drop
    probability: dict[str, float]  # "before", "strongest" and each control: mean probability of the answer
    drop: dict[str, float]  # mean share of the probability that was lost
    mrr: dict[str, float]  # mean reciprocal rank
    hits1: dict[str, float]  # share of answers at rank 1
    paired: dict[str, int] = field(default_factory=dict)  # controls: checks where the strongest facts cost more


def standing(scores: NDArray[np.floating], answer: int) -> Standing:
    """Probability and rank (1 + better + half of the ties) of an answer."""
    mark = scores[answer]
    better = int((scores > mark).sum())
    equal = int((scores == mark).sum()) - 1
    return Standing(float(mark), 1.0 + better + 0.5 * equal)


def used_facts(graph: TemporalGraph, trace: Trace) -> tuple[IntArray, NDArray[np.float64]]:
    """Facts that carried mass, most used first, with the attention that crossed them over all steps."""
    used = np.zeros(graph.num_facts)
    for step in trace.steps:
        fact = graph.fact[step.edge]
        real = fact >= 0
        used += np.bincount(fact[real], weights=mean_attention(step)[real], minlength=graph.num_facts)
    carried = np.flatnonzero(used)
    order = carried[np.argsort(-used[carried], kind="stable")].astype(np.int64)
    return order, used[order]


def check(explainer: Explainer, trace: Trace, answer: int, *, count: int = 5, seed: int = 0) -> Check:
    """Deletion check of ``answer``, whose trace is at hand. ``seed`` fixes what the controls draw."""
    graph = explainer.graph
    facts, _ = used_facts(graph, trace)
    strongest, others = facts[:count], facts[count:]
    first = graph.fact[trace.steps[0].edge]
    pools = {"random": others, "nearby": np.intersect1d(others, first)}
    key = [seed, trace.query.subject, trace.query.relation, abs(trace.query.time), answer]
    random = np.random.default_rng(key)
    drawn = {
        name: random.choice(pools[name], size=min(count, len(pools[name])), replace=False)
        for name in CONTROLS
        if len(pools[name])
    }
    return Check(
        before=standing(trace.scores, answer),
        strongest=_without(explainer, trace.query, answer, strongest),
        controls={name: _without(explainer, trace.query, answer, chosen) for name, chosen in drawn.items()},
    )


def faithfulness(
    explainer: Explainer,
    queries: QueryBatch,
    answers: IntArray,
    *,
    count: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> Faithfulness:
    """Deletion checks over many queries. Answers that no attention reached are counted and left out."""
    checks: list[Check] = []
    unreached = 0
    for place in range(len(queries)):
        if progress is not None:
            progress(place, len(queries))
        query = Query(int(queries.subject[place]), int(queries.relation[place]), int(queries.time[place]))
        trace = explainer.trace(query)
        answer = int(answers[place])
        if trace.scores[answer] <= 0:
            unreached += 1
            continue
        checks.append(check(explainer, trace, answer, count=count, seed=seed))
    return _summary(checks, count, unreached)


def _without(explainer: Explainer, query: Query, answer: int, facts: IntArray) -> Deletion:
    trace = explainer.trace(query, hidden_facts=facts)
    return Deletion(tuple(int(fact) for fact in facts), standing(trace.scores, answer))


def _summary(checks: list[Check], count: int, unreached: int) -> Faithfulness:
    """Means over the checks; those without a control (nothing left to draw) lost nothing by it."""
    after: dict[str, list[Standing]] = {"before": [], "strongest": [], **{name: [] for name in CONTROLS}}
    for one in checks:
        after["before"].append(one.before)
        after["strongest"].append(one.strongest.after)
        for name in CONTROLS:
            after[name].append(one.controls[name].after if name in one.controls else one.before)
    chance = {name: np.array([where.probability for where in found]) for name, found in after.items()}
    rank = {name: np.array([where.rank for where in found]) for name, found in after.items()}
    lost = {name: 1 - chance[name] / chance["before"] for name in ("strongest", *CONTROLS)}
    return Faithfulness(
        checks=len(checks),
        removed=count,
        unreached=unreached,
        probability={name: _mean(values) for name, values in chance.items()},
        drop={name: _mean(values) for name, values in lost.items()},
        mrr={name: _mean(1 / values) for name, values in rank.items()},
        hits1={name: _mean(values < 1.5) for name, values in rank.items()},
        paired={name: int((chance["strongest"] < chance[name]).sum()) for name in CONTROLS},
    )


def _mean(values: NDArray[np.floating] | NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else 0.0
