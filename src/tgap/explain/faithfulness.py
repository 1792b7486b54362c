"""Is the explanation faithful? Take away what it names and see whether the answer suffers.

``check`` deletes k facts (each with its inverse and copies; the whole forward pass, PGNN included, is recomputed
without them) and compares the answer's probability and rank before and after, for two kinds of facts:

* ``strongest``: those that attention used most, as the table of strongest edges has it. Some of them may have led
  attention to other answers; without them this one can even gain.
* ``brought``: those that brought this answer most of its probability, as its paths have it.

Two controls, k other facts each, say what such a deletion costs anyway:

* ``random``: drawn among all other facts that carried mass in some step;
* ``nearby``: drawn among the other facts of v_q itself, which are walked in the first step. Harder to beat: most facts
  that carried mass are far away and carried next to nothing.

A fact is used as much as attention (or, for ``brought``, the part of it that arrived at the answer) crossed its edges,
in both directions, copies included, summed over steps; self-loops are no facts. The check tells only that the named
facts matter to the answer, not that nothing else does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.evaluation.ranks import ScoredRank, scored_rank
from tgap.evaluation.scoring import Progress
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.edges import mean_attention
from tgap.graph import TemporalGraph
from tgap.scorer import Explainer, FloatArray, IntArray, Query, QueryBatch, Trace

CHOICES = ("strongest", "brought")
CONTROLS = ("random", "nearby")


@dataclass(frozen=True)
class Deletion:
    """Facts taken away (ids as in ``graph.fact``) and how the answer stood without them."""

    facts: tuple[int, ...]
    after: ScoredRank


@dataclass(frozen=True)
class Check:
    """Deletion check of one answer."""

    before: ScoredRank
    strongest: Deletion
    brought: Deletion
    controls: dict[str, Deletion]  # by name; a control is missing when no fact is left to draw from

    def drop(self, deletion: Deletion) -> float:
        """Share of the answer's probability that a deletion took away; negative if it grew."""
        if self.before.score <= 0:
            return 0.0
        return 1.0 - deletion.after.score / self.before.score


@dataclass(frozen=True)
class Faithfulness:
    """Means over many checks, by what was deleted: "before" (nothing), "strongest", "brought" and each control."""

    answers: str  # whose rank was looked at: "best", the model's own first answer, or "true", the split's
    checks: int
    unreached: int  # questions left out because no attention arrived at the answer: nothing could drop
    probability: dict[str, float]  # mean probability of the answer
    drop: dict[str, float]  # share of that mean that was lost
    mrr: dict[str, float]  # mean reciprocal rank
    hits1: dict[str, float]  # share of answers at rank 1
    worse: dict[str, dict[str, float]]  # strongest and brought, by control: share of checks where they cost more


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
    deletions = {
        name: Deletion(facts, scored_rank(scores, answer))
        for name, (facts, scores) in _deletions(explainer, trace, count, seed).items()
    }
    strongest = deletions.pop("strongest")
    removed, scores = _brought(explainer, trace, answer, count)
    brought = Deletion(removed, scored_rank(scores, answer))
    return Check(scored_rank(trace.scores, answer), strongest, brought, deletions)


def faithfulness(
    explainer: Explainer,
    queries: QueryBatch,
    answers: IntArray,
    *,
    count: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Faithfulness, Faithfulness]:
    """Deletion checks over many questions, for the model's own best answers and for the true ones (``answers``).

    Both are read from the same deletions. Answers that no attention reached are counted and left out.
    """
    best: list[dict[str, ScoredRank]] = []
    true: list[dict[str, ScoredRank]] = []
    for place in range(len(queries)):
        query = Query(int(queries.subject[place]), int(queries.relation[place]), int(queries.time[place]))
        trace = explainer.trace(query)
        scores = {"before": trace.scores}
        scores |= {name: after for name, (_, after) in _deletions(explainer, trace, count, seed).items()}
        first, wanted = int(trace.scores.argmax()), int(answers[place])
        for answer, found in ((first, best), (wanted, true)):
            if answer == wanted == first and found is true:
                true.append(best[-1])
            elif trace.scores[answer] > 0:
                _, scores["brought"] = _brought(explainer, trace, answer, count)
                found.append({name: scored_rank(row, answer) for name, row in scores.items()})
        if progress is not None:
            progress(place + 1, len(queries))
    return _summary("best", best, 0), _summary("true", true, len(queries) - len(true))


def _deletions(
    explainer: Explainer, trace: Trace, count: int, seed: int
) -> dict[str, tuple[tuple[int, ...], FloatArray]]:
    """Facts taken away and scores without them, for the strongest and for each control that has facts to draw."""
    graph = explainer.graph
    facts, _ = used_facts(graph, trace)
    others = facts[count:]
    pools = {"random": others, "nearby": np.intersect1d(others, graph.fact[trace.steps[0].edge])}
    random = np.random.default_rng([seed, trace.query.subject, trace.query.relation, abs(trace.query.time)])
    chosen = {"strongest": facts[:count]}
    for name in CONTROLS:
        if len(pools[name]):
            chosen[name] = random.choice(pools[name], size=min(count, len(pools[name])), replace=False)
    return {
        name: (tuple(removed.tolist()), _scores_without(explainer, trace, removed)) for name, removed in chosen.items()
    }


def _brought(explainer: Explainer, trace: Trace, answer: int, count: int) -> tuple[tuple[int, ...], FloatArray]:
    """The facts that brought most of an answer's mass, and the scores without them."""
    removed = AnswerFlow.of(explainer.graph, trace, answer).strongest_facts(count)
    scores = _scores_without(explainer, trace, removed) if len(removed) else trace.scores
    return tuple(removed.tolist()), scores


def _scores_without(explainer: Explainer, trace: Trace, facts: IntArray) -> FloatArray:
    """Scores [N] of the trace's query under its own view, with more facts taken away."""
    return explainer.trace(trace.query, trace.view.without(facts)).scores


def _summary(answers: str, checks: list[dict[str, ScoredRank]], unreached: int) -> Faithfulness:
    """Means over the checks; one without a control (nothing left to draw) lost nothing by it."""
    ways = ("before", *CHOICES, *CONTROLS)
    chance = {way: np.array([one.get(way, one["before"]).score for one in checks]) for way in ways}
    rank = {way: np.array([one.get(way, one["before"]).rank for one in checks]) for way in ways}
    mean = {way: _mean(values) for way, values in chance.items()}
    return Faithfulness(
        answers=answers,
        checks=len(checks),
        unreached=unreached,
        probability=mean,
        drop={way: 1 - mean[way] / mean["before"] if checks else 0.0 for way in ways[1:]},
        mrr={way: _mean(1 / values) for way, values in rank.items()},
        hits1={way: _mean(values < 1.5) for way, values in rank.items()},
        worse={choice: {way: _mean(chance[choice] < chance[way]) for way in CONTROLS} for choice in CHOICES},
    )


def _mean(values: NDArray[np.floating] | NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else 0.0
