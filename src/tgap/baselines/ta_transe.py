"""TA-TransE: TransE whose relations are read together with the date.

    score(s, r, o, t) = -|| e_s + r_seq(r, t) - e_o ||        (L2 in the paper)

r_seq is the last state of an LSTM over relation and date (``relation_sequence``). Entities are time-blind. Any date
can be read, so times without training facts need no rule of their own.

Garcia-Duran, Dumancic, Niepert: Learning Sequence Encoders for Temporal Knowledge Graph Completion, EMNLP 2018.
They learn by cross entropy against 500 random entities; our default is against all of them.
"""

from __future__ import annotations

import torch
from torch.nn.functional import embedding

from tgap.baselines.axes import Axes, normal_table
from tgap.baselines.distances import distance
from tgap.baselines.embedding_model import EmbeddingModel, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.relation_sequence import DROPOUT, RelationSequence
from tgap.baselines.transe import TranslationSettings, entity_table
from tgap.scorer import QueryBatch


class TATransESettings(TranslationSettings):
    """Settings of TA-TransE."""

    dropout: float = DROPOUT


class TATransE(EmbeddingModel):
    """See the module's text."""

    settings: TATransESettings

    def __init__(self, settings: TATransESettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.entity = normal_table(axes.num_entities, settings.rank, settings.initial_scale)
        self.sequence = RelationSequence(axes, settings.rank, settings.initial_scale)
        self.dropout = torch.nn.Dropout(settings.dropout)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        entity = entity_table(self.entity, self.settings)
        expected = embedding(asked.subject, entity) + self.sequence(asked.relation, asked.time)
        return -distance(self.dropout(expected), rows(entity, entities), self.settings.norm)


METHOD = trained_method(
    name="ta-transe",
    title="TA-TransE",
    summary="TransE whose relations are read together with the date.",
    settings=TATransESettings,
    build=TATransE,
    recommended={"training": {"epochs": 12.0, "learning_rate": 0.003}},
    authors={
        "model": {"rank": 100, "loss": "sampled", "negatives": 500, "dropout": 0.4},
        "training": {"epochs": 500.0, "batch_size": 512, "learning_rate": 1e-3},
    },
)
