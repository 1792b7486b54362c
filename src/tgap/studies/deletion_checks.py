"""Are claimed effects true? Facts are deleted from the training data itself, and the question is asked again.

An explanation hides facts in a view of its graph. Here the same weights get a graph that was built from training data
without those facts, as if their lines had been deleted from the file; claim and truth must be the same probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tgap.capabilities import Walker, require_graph
from tgap.data import Dataset
from tgap.data.facts import Facts, fact_keys
from tgap.evaluation.queries import SplitQueries
from tgap.evaluation.scoring import Progress
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual, Outcome
from tgap.explain.evidence import measure_evidence
from tgap.explain.flips import smallest_flip
from tgap.explain.labels import first_new_answer
from tgap.graph import View
from tgap.scorer import Query, QueryBatch

POINT = 0.001  # a tenth of a percentage point: what claim and truth may differ by


@dataclass(frozen=True)
class DeletionCheck:
    """One claim and what came of it."""

    kind: str  # fact, group or flip
    facts: int  # deleted together
    before: float  # probability of the answer as things are
    claimed: float  # probability without them, as the explanation says
    found: float  # probability without them in the file
    flips: bool  # whether another answer then comes first

    @property
    def holds(self) -> bool:
        """Whether claim and truth are the same; a flip must flip."""
        return abs(self.claimed - self.found) <= POINT and (self.kind != "flip" or self.flips)


def check_deletions(
    explainer: Walker, dataset: Dataset, asked: SplitQueries, checks: int, progress: Progress | None = None
) -> list[DeletionCheck]:
    """At least ``checks`` claims (fewer if the questions run out): per question a fact, a group and a flip."""
    found: list[DeletionCheck] = []
    for number in range(len(asked.batch)):
        if len(found) >= checks:
            break
        if progress is not None:
            progress(min(len(found), checks), checks)
        batch = asked.batch
        query = Query(int(batch.subject[number]), int(batch.relation[number]), int(batch.time[number]))
        found += _question(explainer, dataset, query, number)
    return found


def _question(explainer: Walker, dataset: Dataset, query: Query, number: int) -> list[DeletionCheck]:
    trace = explainer.trace(query, View.all())
    answer = first_new_answer(explainer.graph, trace)
    asked = Counterfactual(explainer, trace, answer)
    evidence = measure_evidence(asked, AnswerFlow.of(explainer.graph, trace, answer))
    flip = smallest_flip(asked, evidence)
    singles, groups = evidence.facts, [one for one in evidence.groups if len(one.facts) < 1000]
    claims: list[tuple[str, Sequence[int], Outcome]] = []
    if singles:
        chosen = singles[number % min(5, len(singles))]
        claims.append(("fact", chosen.facts, chosen.after))
    if groups:
        group = groups[number % len(groups)]
        claims.append(("group", group.facts, group.after))
    if flip is not None:
        claims.append(("flip", flip.facts, flip.after))
    checks = []
    for kind, facts, after in claims:
        true = outcome_without(explainer, dataset, query, answer, facts)
        checks.append(
            DeletionCheck(
                kind, len(facts), evidence.before.probability, after.probability, true.probability, not true.leads
            )
        )
    return checks


def outcome_without(explainer: Walker, dataset: Dataset, query: Query, answer: int, facts: Sequence[int]) -> Outcome:
    """The outcome with the facts (ids as in ``graph.fact``) deleted from train, and the graph built anew."""
    scorer, graph = require_graph(explainer), explainer.graph
    edge = graph.fact_edge[graph.fact_row[np.array(facts, dtype=np.int64)]]
    columns = (graph.source, graph.relation, graph.neighbour, graph.time)
    gone = Facts(*(column[edge].astype(np.int64) for column in columns))
    lines, deleted = fact_keys([dataset.train, gone])
    smaller = replace(dataset, train=dataset.train[~np.isin(lines, deleted)])
    scores = scorer.with_context(smaller, scorer.setting).score(QueryBatch.of([query]))
    return Outcome.of(scores[0], answer)
