"""TransE: a relation is a step from the subject to the answer.

    score(s, r, o) = -|| e_s + r_r - e_o ||        (L1 or L2)

Time-blind: every fact of a pair counts, whenever it happened. One step leads to one place, so a relation with many
answers for one subject pulls them together, and a symmetric relation needs a step of length zero, which makes the
subject itself the best answer.

Bordes, Usunier, Garcia-Duran, Weston, Yakhnenko: Translating Embeddings for Modeling Multi-relational Data, NIPS 2013.
They learn with a margin and entities of length 1, which keeps that loss from being won by size. Our default is the
softmax over all entities, with free lengths; the preset ``authors`` has the margin.
"""

from __future__ import annotations

import torch
from pydantic import Field
from torch.nn.functional import embedding, normalize

from tgap.baselines.axes import Axes, normal_table
from tgap.baselines.distances import Norm, distance
from tgap.baselines.embedding_model import EmbeddingModel, EmbeddingSettings, rows
from tgap.baselines.factorisation import trained_method
from tgap.scorer import QueryBatch


class TranslationSettings(EmbeddingSettings):
    """Settings of methods that translate: TransE, TTransE, HyTE, TA-TransE."""

    norm: Norm = Field("l2", description="how a distance is measured: l1 or l2; l1 takes several times as long")
    unit_entities: bool = Field(False, description="entity embeddings have length 1, as a margin loss needs")


class TransE(EmbeddingModel):
    """See the module's text."""

    settings: TranslationSettings

    def __init__(self, settings: TranslationSettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.entity = normal_table(axes.num_entities, settings.rank, settings.initial_scale)
        self.relation = normal_table(2 * axes.num_relations, settings.rank, settings.initial_scale)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        entity = entity_table(self.entity, self.settings)
        expected = embedding(asked.subject, entity) + embedding(asked.relation, self.relation)
        return -distance(expected, rows(entity, entities), self.settings.norm)


def entity_table(weight: torch.Tensor, settings: TranslationSettings) -> torch.Tensor:
    """Entities as they are compared: of length 1 if the settings want it."""
    return normalize(weight, dim=1) if settings.unit_entities else weight


METHOD = trained_method(
    name="transe",
    title="TransE",
    summary="A relation is a step from subject to answer. Blind to time.",
    settings=TranslationSettings,
    build=TransE,
    recommended={"training": {"epochs": 12.0, "learning_rate": 0.003}},
    authors={
        "model": {"rank": 50, "loss": "margin", "margin": 1.0, "norm": "l1", "unit_entities": True},
        "training": {"epochs": 1000.0, "batch_size": 1000, "learning_rate": 0.01},
    },
)
