"""A relation at a date as one vector: an LSTM reads the relation, then the tokens of the date; its last state is it.

Garcia-Duran, Dumancic, Niepert: Learning Sequence Encoders for Temporal Knowledge Graph Completion, EMNLP 2018.
"""

from __future__ import annotations

import torch
from pydantic import Field
from torch.nn.functional import embedding

from tgap.baselines.axes import Axes, normal_table
from tgap.baselines.date_tokens import DateTokens


class RelationSequence(torch.nn.Module):
    """r_seq [B, D] of relations at times. Dates that share tokens share what was learned about them."""

    def __init__(self, axes: Axes, rank: int, scale: float) -> None:
        super().__init__()
        self._dates = DateTokens(axes.timeline)
        self.relation = normal_table(2 * axes.num_relations, rank, scale)
        self.token = normal_table(len(self._dates.vocabulary), rank, scale)
        self.reader = torch.nn.LSTM(rank, rank, batch_first=True)
        with torch.no_grad():  # forget gates start open: the relation is read first and must outlast the date
            self.reader.get_parameter("bias_ih_l0")[rank : 2 * rank] += 1

    def forward(self, relation: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """Each distinct (relation, time) is read once."""
        distinct, which = torch.unique(torch.stack([relation, time], dim=1), dim=0, return_inverse=True)
        tokens = torch.from_numpy(self._dates.ids(distinct[:, 1].numpy(force=True))).to(relation.device)
        words = torch.cat([embedding(distinct[:, :1], self.relation), embedding(tokens, self.token)], dim=1)
        _, (state, _) = self.reader(words)
        return embedding(which, state[0])


DROPOUT = Field(0.0, ge=0, lt=1, description="share of the query's features that a training step leaves out")
