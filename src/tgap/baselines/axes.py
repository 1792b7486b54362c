"""What embeddings are made for: the three axes of the tensor that a baseline fills in.

Entities are compared as subjects and as answers. Relations count twice, because every fact is also learned backwards:
the relation r + R of (o, r + R, s, t) has embeddings of its own, so asking for a head is asking for a tail.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from tgap.data import Dataset, Timeline
from tgap.scorer import IntArray, QueryBatch


class Axes(NamedTuple):
    """Sizes of the tables, and the times at which train has facts."""

    num_entities: int  # N
    num_relations: int  # R, without inverses
    timeline: Timeline
    instants: IntArray  # distinct times of the training facts, rising

    @classmethod
    def of(cls, dataset: Dataset) -> Axes:
        """Axes of a dataset."""
        return cls(dataset.num_entities, dataset.num_relations, dataset.timeline, np.unique(dataset.train.time))


class Asked(NamedTuple):
    """Queries as tensors of ids, one row per query."""

    subject: torch.Tensor  # [B]
    relation: torch.Tensor  # [B] inverses included
    time: torch.Tensor  # [B] units since the first instant of the timeline

    @classmethod
    def of(cls, queries: QueryBatch, device: torch.device) -> Asked:
        """Tensors that share the memory of the arrays, where the device allows it."""
        columns = (queries.subject, queries.relation, queries.time)
        return cls(*(torch.from_numpy(np.ascontiguousarray(column)).to(device) for column in columns))


def normal_table(rows: int, columns: int, scale: float) -> torch.nn.Parameter:
    """A table of embeddings, drawn from N(0, scale^2) by torch's generator."""
    return torch.nn.Parameter(torch.randn(rows, columns) * scale)
