"""Ranks of the answers under every protocol, from one pass over the scores.

An answer's rank is 1 + the number of competitors before it. Competitors with exactly the same score are neither
before nor behind it, and how they are counted decides whether a scorer that gives everybody the same score looks
perfect or useless:

* optimistic   1 + better             every tie is won
* pessimistic  1 + better + equal     every tie is lost
* mean         1 + better + equal/2   half of the ties are won: what a coin would do on average. This is the rank.

All three are kept. Protocols (see ``protocols``) take competitors away before the count, never the answer itself.

Shape suffixes: B rows of scores, N entities, Q answers read from the rows, P protocols.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.errors import EvaluationError
from tgap.evaluation.protocols import HEADLINE, Filters
from tgap.evaluation.true_answers import Int32Array
from tgap.jit import kernel
from tgap.scorer import IntArray, QueryBatch

MEAN_TIES = 0.5  # share of the competitors beside an answer that count before it
TIES = {"mean": MEAN_TIES, "optimistic": 0.0, "pessimistic": 1.0}


@dataclass(frozen=True)
class Ranks:
    """How many competitors stand before each answer, and how many beside it."""

    protocols: tuple[str, ...]  # P names
    better: Int32Array  # [P, Q] competitors with a higher score
    equal: Int32Array  # [P, Q] competitors with the same score

    def __len__(self) -> int:
        return int(self.better.shape[1])

    def of(self, protocol: str = HEADLINE.name, ties: str = "mean") -> NDArray[np.float64]:
        """[Q] ranks under a protocol and a tie rule (mean, optimistic, pessimistic)."""
        at = self.protocols.index(protocol)
        ranks: NDArray[np.float64] = 1.0 + self.better[at] + TIES[ties] * self.equal[at]
        return ranks


def rank_answers(
    scores_BN: NDArray[np.floating], queries: QueryBatch, row_Q: IntArray, answer_Q: IntArray, filters: Filters
) -> Ranks:
    """Ranks of ``answer_Q[k]`` in the score row ``row_Q[k]``, which answers ``queries`` at that position.

    >>> from tgap.data import Fact, Facts
    >>> from tgap.evaluation.true_answers import TrueAnswers
    >>> filters = Filters.build(TrueAnswers(3, 1, {"test": Facts.of([Fact(0, 0, 1, 7)])}))
    >>> ask = QueryBatch(np.array([0]), np.array([0]), np.array([7]))
    >>> scores = np.array([[0.9, 0.5, 0.5]], dtype=np.float32)
    >>> ranks = rank_answers(scores, ask, np.array([0]), np.array([1]), filters)
    >>> [float(ranks.of("raw", ties)[0]) for ties in TIES]
    [2.5, 2.0, 3.0]
    """
    scores_BN = np.ascontiguousarray(scores_BN)
    check_finite(scores_BN, queries)
    everybody = _count(scores_BN, row_Q, answer_Q)
    counts = np.stack([everybody] * len(filters.aside))  # [P, 2, Q]
    for at, table in enumerate(filters.aside.values()):
        if table is not None:
            counts[at] -= _count_aside(scores_BN, row_Q, answer_Q, *table.rows(queries))
    return Ranks(filters.protocols, counts[:, 0], counts[:, 1])


@dataclass(frozen=True)
class ScoredRank:
    """One answer's score and its rank (mean ties)."""

    score: float
    rank: float


def scored_rank(scores: NDArray[np.floating], answer: int, aside: IntArray | None = None) -> ScoredRank:
    """Score and rank of one answer in one row of scores [N]; entities of ``aside`` do not compete with it.

    >>> scored_rank(np.array([0.9, 0.5, 0.5]), 1), scored_rank(np.array([0.9, 0.5, 0.5]), 1, np.array([0, 1])).rank
    (ScoredRank(score=0.5, rank=2.5), 1.5)
    """
    score = scores[answer]
    out = scores[np.unique(np.append(aside if aside is not None else np.empty(0, np.int64), answer))]
    better, equal = (
        int(np.count_nonzero(than(scores, score)) - np.count_nonzero(than(out, score)))
        for than in (np.greater, np.equal)
    )
    return ScoredRank(float(score), 1.0 + better + MEAN_TIES * equal)


def check_finite(scores_BN: NDArray[np.floating], queries: QueryBatch) -> None:
    """Refuse NaN and infinity: comparisons with NaN are false, so a broken scorer would rank first everywhere."""
    bad = _first_bad(scores_BN)
    if bad < 0:
        return
    row, entity = divmod(int(bad), scores_BN.shape[1])
    raise EvaluationError(
        f"score {scores_BN[row, entity]} for entity {entity} in the query (subject {queries.subject[row]}, relation "
        f"{queries.relation[row]}, time {queries.time[row]}) cannot be ranked; expected finite scores: the weights of "
        "this scorer are probably damaged or its training diverged, use an earlier checkpoint"
    )


@kernel()
def _first_bad(scores_BN: NDArray[np.floating]) -> int:
    """Flat position of the first score that is not finite, -1 if all are."""
    flat = scores_BN.reshape(-1)
    bad = 0
    for at in range(len(flat)):  # x - x is 0 for finite x and NaN otherwise: a pass without branches
        bad += (flat[at] - flat[at]) != 0
    if bad == 0:
        return -1
    for at in range(len(flat)):
        if not np.isfinite(flat[at]):
            return at
    return -1


@kernel()
def _count(scores_BN: NDArray[np.floating], row_Q: IntArray, answer_Q: IntArray) -> Int32Array:
    """[2, Q] entities before and beside each answer."""
    counts = np.zeros((2, len(row_Q)), dtype=np.int32)
    for k in range(len(row_Q)):
        scores = scores_BN[row_Q[k]]
        mark = scores[answer_Q[k]]
        above = 0
        same = 0
        for j in range(len(scores)):
            above += scores[j] > mark
            same += scores[j] == mark
        counts[0, k], counts[1, k] = above, same - 1  # the answer is no competitor of its own
    return counts


@kernel()
def _count_aside(
    scores_BN: NDArray[np.floating],
    row_Q: IntArray,
    answer_Q: IntArray,
    begin_B: IntArray,
    end_B: IntArray,
    members: Int32Array,
) -> Int32Array:
    """[2, Q] entities before and beside each answer that step aside: ``members[begin[b]..end[b]]`` of query b."""
    counts = np.zeros((2, len(row_Q)), dtype=np.int32)
    for k in range(len(row_Q)):
        row, answer = row_Q[k], answer_Q[k]
        mark = scores_BN[row, answer]
        for at in range(begin_B[row], end_B[row]):
            j = members[at]
            if j != answer:
                counts[0, k] += scores_BN[row, j] > mark
                counts[1, k] += scores_BN[row, j] == mark
    return counts
