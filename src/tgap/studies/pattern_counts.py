"""What the model has learned: which kinds of events bring its answers, relation by relation.

For every question the flow to the model's first answer is sorted by pattern. A pattern is

    relation  of the event that was used
    way       how its ends lie to those of the fact that is predicted, (S, r, O, t):
              same (S to O), inverse (O to S), given (another event of the entity named in the question), answer
              (another event of the answer), elsewhere
    range     how far in time it lies, past and future apart

Per asked relation, over all its questions in both directions:

    share     mean part of the way to the answer that events of the pattern carried; all patterns and waiting sum to 1
    leads     questions in which no other pattern carried more
    right     of those, the part whose first answer was right: true at that time in the split, others of that time aside
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.capabilities import Walker
from tgap.data import Dataset
from tgap.evaluation.queries import SplitQueries, group
from tgap.evaluation.scoring import Progress
from tgap.evaluation.true_answers import TrueAnswers
from tgap.explain.answer_flow import AnswerFlow
from tgap.scorer import IntArray, Query

WAYS = ("same", "inverse", "given", "answer", "elsewhere")
BOUNDS = (0, 1, 7, 30, 90, 365)  # sizes up to which ranges go; beyond the last there is one more
_SIDES = 2 * len(BOUNDS) + 1  # ranges: the same time, and each further one before and after


@dataclass(frozen=True)
class Pattern:
    """A kind of event that brings answers."""

    relation: int  # of the event
    way: str  # one of ``WAYS``
    nearest: int  # displacements from here ...
    farthest: int | None  # ... to here; negative is before; None: no bound
    share: float
    leads: int
    right: float


@dataclass(frozen=True)
class RelationPatterns:
    """The strongest patterns behind the answers to questions of one relation (or of all)."""

    relation: int | None
    questions: int
    right: float  # part of the questions whose first answer was right
    self_loops: float
    patterns: tuple[Pattern, ...]  # falling share
    rest: float  # share of all other patterns


class PatternCounts:
    """Sums over questions. R relations, K = R * ways * ranges patterns."""

    def __init__(self, num_relations: int) -> None:
        self.num_relations = num_relations
        size = num_relations * len(WAYS) * _SIDES
        self.share = np.zeros((num_relations, size))
        self.leads = np.zeros((num_relations, size), dtype=np.int64)
        self.right = np.zeros((num_relations, size), dtype=np.int64)
        self.self_loops = np.zeros(num_relations)
        self.questions = np.zeros(num_relations, dtype=np.int64)
        self.answered = np.zeros(num_relations, dtype=np.int64)  # right first answers

    def add(self, flow: AnswerFlow, weight: int, right: int) -> None:
        """One walked question that ``weight`` facts of the split ask; ``right`` of them are answered right."""
        asked = flow.trace.query.relation % self.num_relations
        key, share = _keys(flow, self.num_relations)
        sums = np.bincount(key, weights=share, minlength=self.share.shape[1])
        self.share[asked] += weight * sums
        self.self_loops[asked] += weight * flow.self_loops
        self.questions[asked] += weight
        self.answered[asked] += right
        best = int(sums.argmax())
        if sums[best] > 0:
            self.leads[asked, best] += weight
            self.right[asked, best] += right

    def strongest(self, relations: Sequence[int], count: int, named: int | None) -> RelationPatterns:
        """The ``count`` patterns of highest share over the questions of some relations."""
        rows = np.array(relations, dtype=np.int64)
        questions = int(self.questions[rows].sum())
        share = self.share[rows].sum(axis=0) / max(1, questions)
        leads, right = self.leads[rows].sum(axis=0), self.right[rows].sum(axis=0)
        top = [place for place in np.argsort(-share, kind="stable")[:count].tolist() if share[place] > 0]
        patterns = tuple(_pattern(place, float(share[place]), int(leads[place]), int(right[place])) for place in top)
        return RelationPatterns(
            relation=named,
            questions=questions,
            right=float(self.answered[rows].sum() / max(1, questions)),
            self_loops=float(self.self_loops[rows].sum() / max(1, questions)),
            patterns=patterns,
            rest=float(share.sum() - share[top].sum()),
        )


def count_patterns(
    explainer: Walker, dataset: Dataset, asked: SplitQueries, split: str, progress: Progress | None = None
) -> PatternCounts:
    """Patterns behind the model's first answers; each distinct question is walked once."""
    grouping = group(asked.batch)
    counts = PatternCounts(dataset.num_relations)
    truth = TrueAnswers.of(dataset)
    own = truth.at_that_time(split).rows(grouping.batch)
    every = truth.at_that_time().rows(grouping.batch)
    repeats = np.diff(grouping.start)
    for place in range(len(grouping)):
        batch = grouping.batch
        query = Query(int(batch.subject[place]), int(batch.relation[place]), int(batch.time[place]))
        trace = explainer.trace(query)
        mine = own.of(place)
        aside = np.setdiff1d(every.of(place), mine)  # what other splits know is no prediction
        scores = trace.scores.copy()
        scores[aside] = -1.0
        answer = int(scores.argmax())
        weight = int(repeats[place])
        counts.add(AnswerFlow.of(explainer.graph, trace, answer), weight, weight * int(answer in mine))
        if progress is not None:
            progress(place + 1, len(grouping))
    return counts


def _keys(flow: AnswerFlow, num_relations: int) -> tuple[IntArray, NDArray[np.float64]]:
    """Pattern of every fact that brought the answer, and its share."""
    graph, query = flow.graph, flow.trace.query
    facts = np.flatnonzero(flow.facts)
    edge = flow.stored_edge[facts]
    head, tail = graph.source[edge], graph.neighbour[edge]
    subject, obj = query.subject, flow.answer
    if query.relation >= num_relations:  # the head is asked for
        subject, obj = obj, subject
    way = np.full(len(facts), WAYS.index("elsewhere"))
    way[(head == flow.answer) | (tail == flow.answer)] = WAYS.index("answer")
    way[(head == query.subject) | (tail == query.subject)] = WAYS.index("given")
    way[(head == subject) & (tail == obj)] = WAYS.index("same")
    way[(head == obj) & (tail == subject) & (subject != obj)] = WAYS.index("inverse")
    away = graph.time[edge].astype(np.int64) - query.time
    size = np.searchsorted(np.array(BOUNDS), np.abs(away))  # 0 at the very time
    side = len(BOUNDS) + np.sign(away) * size
    key = (graph.relation[edge].astype(np.int64) * len(WAYS) + way) * _SIDES + side
    return key, flow.facts[facts]


def _pattern(key: int, share: float, leads: int, right: int) -> Pattern:
    rest, side = divmod(key, _SIDES)
    relation, way = divmod(rest, len(WAYS))
    size, sign = abs(side - len(BOUNDS)), 1 if side > len(BOUNDS) else -1
    nearest = 0 if size == 0 else sign * (BOUNDS[size - 1] + 1)
    farthest = sign * BOUNDS[size] if size < len(BOUNDS) else None
    return Pattern(relation, WAYS[way], nearest, farthest, share, leads, right / leads if leads else 0.0)
