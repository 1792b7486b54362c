"""TA-DistMult: DistMult whose relations are read together with the date.

    score(s, r, o, t) = < e_s, r_seq(r, t), e_o >

r_seq is the last state of an LSTM over relation and date (``relation_sequence``). Entities are time-blind, and
symmetric at every date: (s, r, o, t) and (o, r, s, t) score the same. Any date can be read, so times without training
facts need no rule of their own.

Garcia-Duran, Dumancic, Niepert: Learning Sequence Encoders for Temporal Knowledge Graph Completion, EMNLP 2018.
They learn by cross entropy against 500 random entities; our default is against all of them.
"""

from __future__ import annotations

import torch
from torch.nn.functional import embedding

from tgap.baselines.axes import Asked, Axes, normal_table
from tgap.baselines.distmult import DistMultSettings
from tgap.baselines.embedding_model import EmbeddingModel, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.penalties import cubes
from tgap.baselines.relation_sequence import DROPOUT, RelationSequence
from tgap.kernels.products import product
from tgap.scorer import QueryBatch


class TADistMultSettings(DistMultSettings):
    """Settings of TA-DistMult."""

    dropout: float = DROPOUT


class TADistMult(EmbeddingModel):
    """See the module's text."""

    settings: TADistMultSettings

    def __init__(self, settings: TADistMultSettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.entity = normal_table(axes.num_entities, settings.rank, settings.initial_scale)
        self.sequence = RelationSequence(axes, settings.rank, settings.initial_scale)
        self.dropout = torch.nn.Dropout(settings.dropout)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        query = embedding(asked.subject, self.entity) * self.sequence(asked.relation, asked.time)
        return product(self.dropout(query), rows(self.entity, entities).T)

    def penalty(self, asked: Asked, answer: torch.Tensor) -> torch.Tensor | None:
        """N3 of the two entities of a fact; the state of an LSTM is bounded already."""
        if not self.settings.embedding_penalty:
            return None
        subject, obj = embedding(asked.subject, self.entity), embedding(answer, self.entity)
        return self.settings.embedding_penalty * (cubes(subject) + cubes(obj))


METHOD = trained_method(
    name="ta-distmult",
    title="TA-DistMult",
    summary="DistMult whose relations are read together with the date.",
    settings=TADistMultSettings,
    build=TADistMult,
    recommended={
        "model": {"rank": 200, "optimiser": "adagrad", "embedding_penalty": 0.01},
        "training": {"epochs": 16.0, "learning_rate": 0.2},
    },
    authors={
        "model": {"rank": 100, "loss": "sampled", "negatives": 500, "dropout": 0.4},
        "training": {"epochs": 500.0, "batch_size": 512, "learning_rate": 1e-3},
    },
)
