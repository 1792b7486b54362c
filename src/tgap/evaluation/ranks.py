"""Ranks of the answers under all three protocols, from one pass over the scores.

An answer's rank is 1 + the number of competitors before it. Competitors with exactly the same score are neither
before nor behind it, and how they are counted decides whether a scorer that gives everybody the same score looks
perfect or useless:

* optimistic   1 + better             every tie is won
* pessimistic  1 + better + equal     every tie is lost
* mean         1 + better + equal/2   half of the ties are won: what a coin would do on average. This is the rank.

All three are kept. Filters (see ``filters``) take competitors away before the count, never the answer itself.

Shape suffixes: B rows of scores, N entities, Q answers read from the rows, 3 protocols in the order of ``PROTOCOLS``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.errors import EvaluationError
from tgap.evaluation.filters import Filters, Int32Array
from tgap.jit import kernel
from tgap.scorer import IntArray, QueryBatch

PROTOCOLS = ("raw", "static", "time")
MEAN_TIES = 0.5  # share of the competitors beside an answer that count before it
TIES = {"mean": MEAN_TIES, "optimistic": 0.0, "pessimistic": 1.0}


@dataclass(frozen=True)
class Ranks:
    """How many competitors stand before each answer, and how many beside it."""

    better: Int32Array  # [3, Q] competitors with a higher score
    equal: Int32Array  # [3, Q] competitors with the same score

    def __len__(self) -> int:
        return int(self.better.shape[1])

    def of(self, protocol: str, ties: str = "mean") -> NDArray[np.float64]:
        """[Q] ranks under a protocol (raw, static, time) and a tie rule (mean, optimistic, pessimistic)."""
        at = PROTOCOLS.index(protocol)
        ranks: NDArray[np.float64] = 1.0 + self.better[at] + TIES[ties] * self.equal[at]
        return ranks


def rank_answers(
    scores_BN: NDArray[np.floating], queries: QueryBatch, row_Q: IntArray, answer_Q: IntArray, filters: Filters
) -> Ranks:
    """Ranks of ``answer_Q[k]`` in the score row ``row_Q[k]``, which answers ``queries`` at that position.

    >>> from tgap.data import Facts
    >>> one = np.array([0]), np.array([0]), np.array([1]), np.array([7])
    >>> ask = QueryBatch(np.array([0]), np.array([0]), np.array([7]))
    >>> scores = np.array([[0.9, 0.5, 0.5]], dtype=np.float32)
    >>> ranks = rank_answers(scores, ask, np.array([0]), np.array([1]), Filters.build(3, 1, [Facts(*one)]))
    >>> [float(ranks.of("raw", ties)[0]) for ties in TIES]
    [2.5, 2.0, 3.0]
    """
    scores_BN = np.ascontiguousarray(scores_BN)
    check_finite(scores_BN, queries)
    static = Known(*filters.static_rows(queries), filters.static.members)
    time = Known(*filters.time_rows(queries), filters.time.members)
    better, equal = _count(scores_BN, row_Q, answer_Q, static, time)
    return Ranks(better, equal)


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
    competes = np.ones(len(scores), dtype=bool)
    if aside is not None:
        competes[aside] = False
    competes[answer] = False
    better = np.count_nonzero(scores[competes] > scores[answer])
    equal = np.count_nonzero(scores[competes] == scores[answer])
    return ScoredRank(float(scores[answer]), 1.0 + better + MEAN_TIES * equal)


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


class Known(NamedTuple):
    """True answers of each row: ``members[begin[b]..end[b]]``."""

    begin: IntArray  # [B]
    end: IntArray  # [B]
    members: Int32Array


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
def _count(
    scores_BN: NDArray[np.floating], row_Q: IntArray, answer_Q: IntArray, static: Known, time: Known
) -> tuple[Int32Array, Int32Array]:
    """Competitors before and beside each answer: counted over all entities, then the known answers are taken off."""
    count = len(row_Q)
    better = np.zeros((3, count), dtype=np.int32)
    equal = np.zeros((3, count), dtype=np.int32)
    for k in range(count):
        scores = scores_BN[row_Q[k]]
        answer = answer_Q[k]
        mark = scores[answer]
        above = 0
        same = 0
        for j in range(len(scores)):
            above += scores[j] > mark
            same += scores[j] == mark
        same -= 1  # the answer is no competitor of its own
        better[0, k], equal[0, k] = above, same
        for protocol in range(1, 3):
            begin = static.begin[row_Q[k]] if protocol == 1 else time.begin[row_Q[k]]
            end = static.end[row_Q[k]] if protocol == 1 else time.end[row_Q[k]]
            members = static.members if protocol == 1 else time.members
            gone_above = 0
            gone_same = 0
            for at in range(begin, end):
                j = members[at]
                if j != answer:
                    gone_above += scores[j] > mark
                    gone_same += scores[j] == mark
            better[protocol, k] = above - gone_above
            equal[protocol, k] = same - gone_same
    return better, equal
