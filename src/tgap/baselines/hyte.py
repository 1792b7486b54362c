"""HyTE: every time is a hyperplane, and TransE happens in the projection onto it.

    P_t(x) = x - (w_t . x) w_t,   ||w_t|| = 1
    score(s, r, o, t) = -|| P_t(e_s) + P_t(r_r) - P_t(e_o) ||        (L1 or L2)

A day hides one direction of the space; all others are time-blind. Normals of times without training facts: see
``time_table``; the line between two normals is scaled to length 1 again.

For L2 nothing is projected but the query, because q = P_t(e_s) + P_t(r_r) lies in the hyperplane:

    || q - P_t(e) ||^2 = || q - e ||^2 - (w_t . e)^2

so a batch costs two matrix products, and the second only one row per distinct time.

Dasgupta, Ray, Talukdar: HyTE: Hyperplane-based Temporally aware Knowledge Graph Embedding, EMNLP 2018.
"""

from __future__ import annotations

import torch
from torch.nn.functional import embedding, normalize

from tgap.baselines.axes import Axes, normal_table
from tgap.baselines.distances import distance, root, square_distance
from tgap.baselines.embedding_model import EmbeddingModel, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.time_groups import TimeGroups
from tgap.baselines.time_table import TimeTable
from tgap.baselines.transe import TranslationSettings, entity_table
from tgap.kernels.products import product
from tgap.scorer import QueryBatch


class HyTE(EmbeddingModel):
    """See the module's text."""

    settings: TranslationSettings

    def __init__(self, settings: TranslationSettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.by_time = settings.norm == "l1"
        self.entity = normal_table(axes.num_entities, settings.rank, settings.initial_scale)
        self.relation = normal_table(2 * axes.num_relations, settings.rank, settings.initial_scale)
        self.time = TimeTable(axes, settings.rank, 1.0)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        entity = entity_table(self.entity, self.settings)
        candidate = rows(entity, entities)
        groups = TimeGroups(asked.time)
        normal = normalize(self.time(groups.times), dim=1)
        step = embedding(asked.subject, entity) + embedding(asked.relation, self.relation)
        expected = project(step, normal[groups.which])  # P is linear
        if self.settings.norm == "l2":
            away = product(normal, candidate.T).square()
            return -root(square_distance(expected, candidate) - away[groups.which])
        parts = zip(groups.split(expected), normal, strict=True)
        return -groups.join([distance(part, project(candidate, one), "l1") for part, one in parts])


def project(row: torch.Tensor, normal: torch.Tensor) -> torch.Tensor:
    """P(x) of rows [B, D] onto hyperplanes [B, D] or [D] with normals of length 1."""
    return row - (row * normal).sum(dim=-1, keepdim=True) * normal


METHOD = trained_method(
    name="hyte",
    title="HyTE",
    summary="TransE in the projection onto the hyperplane of a time.",
    settings=TranslationSettings,
    build=HyTE,
    recommended={"training": {"epochs": 12.0, "learning_rate": 0.003}},
    authors={
        "model": {"rank": 128, "loss": "margin", "margin": 10.0, "norm": "l1"},
        "training": {"epochs": 500.0, "learning_rate": 1e-4},
    },
)
