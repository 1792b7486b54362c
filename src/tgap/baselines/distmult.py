"""DistMult: subject, relation and answer agree in the same features.

    score(s, r, o) = < e_s, r_r, e_o > = sum over i of e_s[i] r_r[i] e_o[i]

Time-blind, and symmetric: (s, r, o) and (o, r, s) score the same, so it cannot say who did it to whom.

Yang, Yih, He, Gao, Deng: Embedding Entities and Relations for Learning and Inference in Knowledge Bases, ICLR 2015.
They learn with a margin. Our default is softmax over all entities with the N3 penalty, as Lacroix, Usunier and
Obozinski recommend (Canonical Tensor Decomposition for Knowledge Base Completion, ICML 2018).
"""

from __future__ import annotations

import torch
from pydantic import Field
from torch.nn.functional import embedding

from tgap.baselines.axes import Asked, Axes, normal_table
from tgap.baselines.embedding_model import EmbeddingModel, EmbeddingSettings, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.penalties import cubes
from tgap.kernels.products import product
from tgap.scorer import QueryBatch


class DistMultSettings(EmbeddingSettings):
    """Settings of DistMult."""

    embedding_penalty: float = Field(0.0, ge=0, description="weight of the N3 penalty on embeddings")


class DistMult(EmbeddingModel):
    """See the module's text."""

    settings: DistMultSettings

    def __init__(self, settings: DistMultSettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.entity = normal_table(axes.num_entities, settings.rank, settings.initial_scale)
        self.relation = normal_table(2 * axes.num_relations, settings.rank, settings.initial_scale)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        query = embedding(asked.subject, self.entity) * embedding(asked.relation, self.relation)
        return product(query, rows(self.entity, entities).T)

    def penalty(self, asked: Asked, answer: torch.Tensor) -> torch.Tensor | None:
        """N3 of the three embeddings of a fact."""
        if not self.settings.embedding_penalty:
            return None
        subject, obj = embedding(asked.subject, self.entity), embedding(answer, self.entity)
        size = cubes(subject) + cubes(obj) + cubes(embedding(asked.relation, self.relation))
        return self.settings.embedding_penalty * size


METHOD = trained_method(
    name="distmult",
    title="DistMult",
    summary="Subject, relation and answer agree in the same features. Blind to time.",
    settings=DistMultSettings,
    build=DistMult,
    recommended={
        "model": {"rank": 200, "optimiser": "adagrad", "embedding_penalty": 0.01},
        "training": {"epochs": 12.0, "learning_rate": 0.2},
    },
    authors={
        "model": {"rank": 100, "loss": "margin", "margin": 1.0, "embedding_penalty": 0.0},
        "training": {"epochs": 100.0, "batch_size": 1000, "learning_rate": 0.1},
    },
)
