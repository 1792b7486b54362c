"""The k best entities of each row of scores, equal scores in order of entity id."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.evaluation.true_answers import Int32Array
from tgap.jit import kernel


@dataclass(frozen=True)
class TopAnswers:
    """Best first. G rows, k columns."""

    entity: Int32Array  # [G, k]
    score: NDArray[np.floating]  # [G, k]


def top_answers(scores_BN: NDArray[np.floating], k: int) -> TopAnswers:
    """The ``k`` highest scores of each row (all of them where there are fewer entities).

    >>> top_answers(np.array([[0.1, 0.7, 0.7, 0.9]], dtype=np.float32), 3).entity.tolist()
    [[3, 1, 2]]
    """
    entity, score = _select(np.ascontiguousarray(scores_BN), min(k, scores_BN.shape[1]))
    return TopAnswers(entity, score)


@kernel()
def _select(scores_BN: NDArray[np.floating], k: int) -> tuple[Int32Array, NDArray[np.floating]]:
    """Insertion into a short sorted list; most scores are only compared with its last place."""
    rows, count = scores_BN.shape
    entity = np.empty((rows, k), dtype=np.int32)
    score = np.empty((rows, k), dtype=scores_BN.dtype)
    for b in range(rows):
        filled = 0
        for j in range(count):
            value = scores_BN[b, j]
            if filled == k and not value > score[b, k - 1]:
                continue
            at = filled if filled < k else k - 1
            while at > 0 and value > score[b, at - 1]:
                entity[b, at], score[b, at] = entity[b, at - 1], score[b, at - 1]
                at -= 1
            entity[b, at], score[b, at] = j, value
            filled = min(filled + 1, k)
    return entity, score
