"""ConT: a Tucker decomposition whose core tensor is the time.

    score(s, r, o, t) = sum over i, j, k of  G_t[i, j, k] e_s[i] r_r[j] e_o[k]

Entities and relations are time-blind; each time has a whole core of rank^3 numbers, so ranks are small and a thin
time is learned by heart: the method remembers better than it generalises. Times without training facts take the line
between the cores of their neighbours, see ``time_table``.

Ma, Tresp, Daxberger: Embedding Models for Episodic Knowledge Graphs, Journal of Web Semantics 2019.
"""

from __future__ import annotations

import torch
from pydantic import Field
from torch.nn.functional import embedding

from tgap.baselines.axes import Axes, normal_table
from tgap.baselines.embedding_model import EmbeddingModel, EmbeddingSettings, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.time_groups import TimeGroups
from tgap.baselines.time_table import TimeTable
from tgap.kernels.products import product
from tgap.scorer import QueryBatch


class ConTSettings(EmbeddingSettings):
    """Settings of ConT."""

    rank: int = Field(40, ge=1, le=128, description="numbers in an embedding; a time has rank^3")
    dropout: float = Field(0.0, ge=0, lt=1, description="share of the query's features that a training step leaves out")


class ConT(EmbeddingModel):
    """See the module's text."""

    settings: ConTSettings
    by_time = True

    def __init__(self, settings: ConTSettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.entity = normal_table(axes.num_entities, settings.rank, settings.initial_scale)
        self.relation = normal_table(2 * axes.num_relations, settings.rank, settings.initial_scale)
        self.core = TimeTable(axes, settings.rank**3, settings.initial_scale)
        self.dropout = torch.nn.Dropout(settings.dropout)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        subject, relation = embedding(asked.subject, self.entity), embedding(asked.relation, self.relation)
        pair = (subject.unsqueeze(2) * relation.unsqueeze(1)).flatten(1)  # [B, rank^2]
        groups = TimeGroups(asked.time)
        cores = self.core(groups.times).view(len(groups.times), self.settings.rank**2, self.settings.rank)
        query = groups.join([product(part, core) for part, core in zip(groups.split(pair), cores, strict=True)])
        return product(self.dropout(query), rows(self.entity, entities).T)


METHOD = trained_method(
    name="cont",
    title="ConT",
    summary="A core tensor for every time joins subject, relation and answer.",
    settings=ConTSettings,
    build=ConT,
    recommended={"training": {"epochs": 12.0, "learning_rate": 0.003}},
)
