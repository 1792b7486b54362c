"""Embeddings of unseen entities and relations: those that joined the graph after training and have none of their own.

An entity gets the mean embedding of all that training knows, a relation that of all relations, its inverse that of all
inverses. PGNN, SGNN and flow then read its edges like any other, and the answers come from those: on
entities held out on purpose the mean does as well as an embedding that was learned, and no worse than the mean of its
neighbours, the mean of its peers (entities with edges of the same types) or zero. docs/forecasting.md has the figures.
"""

from __future__ import annotations

import torch
from torch import Tensor


def with_unseen_entities(entity: Tensor, count: int) -> Tensor:
    """Embeddings [N, d] of ``count`` entities, of which the first have those given."""
    return torch.cat([entity, _mean(entity, count - len(entity))])


def with_unseen_relations(relation: Tensor, known: int, count: int) -> Tensor:
    """Embeddings [2R+1, d] of ``count`` relations, their inverses and the self-loop, from those of ``known``."""
    plain, inverse, loop = relation[:known], relation[known : 2 * known], relation[2 * known :]
    return torch.cat([plain, _mean(plain, count - known), inverse, _mean(inverse, count - known), loop])


def _mean(rows: Tensor, count: int) -> Tensor:
    return rows.mean(dim=0, keepdim=True).expand(count, -1)
