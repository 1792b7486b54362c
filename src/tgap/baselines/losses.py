"""How wrong a row of scores is. All are means over the batch's queries.

* softmax  cross entropy of the answer against every entity ("1 vs all"). The cost is one product of queries and
           entities, which a processor does at its best speed, and no negative is missed.
* sampled  the same against some random entities, which all queries of the batch share.
* margin   the answer should score higher than each random entity by a margin (Bordes et al. 2013).
"""

from __future__ import annotations

import math

import torch
from torch.nn.functional import cross_entropy


def softmax_loss(scores_BN: torch.Tensor, answer: torch.Tensor) -> torch.Tensor:
    """-log softmax over all entities at the answer [B]."""
    return cross_entropy(scores_BN, answer)


def sampled_softmax_loss(answer_score: torch.Tensor, negative_BK: torch.Tensor) -> torch.Tensor:
    """-log softmax of the answer's score [B] among itself and the negatives; one of -inf does not count."""
    row = torch.cat([answer_score.unsqueeze(1), negative_BK], dim=1)
    return (row.logsumexp(dim=1) - answer_score).mean()


def margin_loss(answer_score: torch.Tensor, negative_BK: torch.Tensor, margin: float) -> torch.Tensor:
    """Mean over the negatives that count of max(0, margin - answer's score + negative's score)."""
    short = torch.relu(margin - answer_score.unsqueeze(1) + negative_BK)
    return short.sum() / (negative_BK > -math.inf).sum().clamp_min(1)


def mask_answers(scores_BK: torch.Tensor, entity_K: torch.Tensor, answer: torch.Tensor) -> torch.Tensor:
    """Scores with -inf where a random entity happens to be the query's own answer."""
    return scores_BK.masked_fill(entity_K.unsqueeze(0) == answer.unsqueeze(1), -math.inf)
