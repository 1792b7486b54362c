"""TTransE: TransE with a second step for the time.

    score(s, r, o, t) = -|| e_s + r_r + tau_t - e_o ||        (L1 or L2)

The step of a time is the same for all relations and entities: what it can say is that a day moves all answers, not
that it moves those of one relation. Times without training facts: see ``time_table``.

Leblay, Chekol: Deriving Validity Time in Knowledge Graph, WWW 2018 (its "vector-based" TTransE).
"""

from __future__ import annotations

import torch
from torch.nn.functional import embedding

from tgap.baselines.axes import Axes, normal_table
from tgap.baselines.distances import distance
from tgap.baselines.embedding_model import EmbeddingModel, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.time_table import TimeTable
from tgap.baselines.transe import TranslationSettings, entity_table
from tgap.scorer import QueryBatch


class TTransE(EmbeddingModel):
    """See the module's text."""

    settings: TranslationSettings

    def __init__(self, settings: TranslationSettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.entity = normal_table(axes.num_entities, settings.rank, settings.initial_scale)
        self.relation = normal_table(2 * axes.num_relations, settings.rank, settings.initial_scale)
        self.time = TimeTable(axes, settings.rank, settings.initial_scale)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        entity = entity_table(self.entity, self.settings)
        step = embedding(asked.relation, self.relation) + self.time(asked.time)
        return -distance(embedding(asked.subject, entity) + step, rows(entity, entities), self.settings.norm)


METHOD = trained_method(
    name="ttranse",
    title="TTransE",
    summary="TransE with a second step for the time.",
    settings=TranslationSettings,
    build=TTransE,
    recommended={"training": {"epochs": 12.0, "learning_rate": 0.003}},
)
