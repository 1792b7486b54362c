"""DE-SimplE: SimplE whose entities change with time along sines (diachronic embeddings).

    z_v(t)[n] = a_v[n]                                              for the static features,
    z_v(t)[n] = sum over parts p of a_v,p[n] sin(w_v,p[n] t_p + b_v,p[n])   for the temporal ones,
    score(s, r, o, t) = ( < head_s(t), r_r, tail_o(t) > + < head_o(t), r'_r, tail_s(t) > ) / 2

Parts of a date are its year, month and day (hour, minute), as far as the timeline's unit goes; steps are one part.
Every entity has two diachronic embeddings, as subject (head) and as answer (tail); relations are time-blind. The sines
answer for any date, so times without training facts need no rule of their own.

Years and steps are counted from the first of the timeline, which only moves b. All facts of a date share one table of
candidates, so a batch costs one table of sines per distinct year, month and day in it.

Goel, Kazemi, Brubaker, Poupart: Diachronic Embedding for Temporal Knowledge Graph Completion, AAAI 2020. They compare
with 500 random entities per fact and leave out features of each product; here the answer is compared with all
entities, which the shared tables make cheaper, and features of the query are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from pydantic import Field
from torch.nn.functional import embedding

from tgap.baselines.axes import Asked, Axes, normal_table
from tgap.baselines.embedding_model import EmbeddingModel, EmbeddingSettings, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.relation_sequence import DROPOUT
from tgap.baselines.time_groups import TimeGroups
from tgap.kernels.products import product
from tgap.scorer import QueryBatch


class DESimplESettings(EmbeddingSettings):
    """Settings of DE-SimplE."""

    rank: int = Field(200, ge=2, le=4096, multiple_of=2, description="numbers in an embedding, head and tail together")
    temporal_share: float = Field(0.64, ge=0, le=1, description="share of the features that change with time")
    frequency_scale: float = Field(0.1, gt=0, description="standard deviation of frequencies and phases at the start")
    dropout: float = DROPOUT


class Waves(torch.nn.Module):
    """What one part of the date adds to the temporal features: amplitude, frequency and phase [N, D]."""

    def __init__(self, num_entities: int, columns: int, settings: DESimplESettings) -> None:
        super().__init__()
        self.amplitude = normal_table(num_entities, columns, settings.initial_scale)
        self.frequency = normal_table(num_entities, columns, settings.frequency_scale)
        self.phase = normal_table(num_entities, columns, settings.frequency_scale)

    def forward(self, value: torch.Tensor, entities: torch.Tensor | None) -> torch.Tensor:
        """Features [N, D] at one value, or at a column of them; of all entities, or of some."""
        swing = rows(self.frequency, entities) * value + rows(self.phase, entities)
        return rows(self.amplitude, entities) * torch.sin(swing)


class DESimplE(EmbeddingModel):
    """See the module's text. Tables hold an entity's head and tail side by side: [head | tail]."""

    settings: DESimplESettings
    by_time = True

    def __init__(self, settings: DESimplESettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        temporal = 2 * round(settings.temporal_share * settings.rank / 2)
        self._sizes = [settings.rank - temporal, temporal]
        parts = axes.timeline.parts(np.zeros(1, dtype=np.int64))
        self._origin = {name: int(value[0]) if name in ("year", "step") else 0 for name, value in parts.items()}
        self.static = normal_table(axes.num_entities, self._sizes[0], settings.initial_scale)
        self.relation = normal_table(2 * axes.num_relations, settings.rank, settings.initial_scale)
        self.waves = torch.nn.ModuleDict({name: Waves(axes.num_entities, temporal, settings) for name in parts})
        self.dropout = torch.nn.Dropout(settings.dropout)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        relation = embedding(asked.relation, self.relation)
        lasting = _exchange(embedding(asked.subject, self.static)) * relation[:, : self._sizes[0]]
        scores = product(self.dropout(lasting), rows(self.static, entities).T)
        if self._sizes[1]:
            changing = self.dropout(_exchange(self._subjects(asked)) * relation[:, self._sizes[0] :])
            scores = scores + self._compare(changing, asked.time, entities)
        return scores / 2

    def _parts(self, time: torch.Tensor) -> dict[str, torch.Tensor]:
        """Parts of dates as numbers [B], each from its origin."""
        parts = self.axes.timeline.parts(time.numpy(force=True))
        return {
            name: torch.from_numpy(value - self._origin[name]).to(self.static.dtype).to(time.device)
            for name, value in parts.items()
        }

    def _subjects(self, asked: Asked) -> torch.Tensor:
        """Temporal features [B, D] of the subjects, each at its query's date."""
        parts = self._parts(asked.time)
        features = [self.waves[name](value.unsqueeze(1), asked.subject) for name, value in parts.items()]
        return torch.stack(features).sum(dim=0)

    def _compare(self, query: torch.Tensor, time: torch.Tensor, entities: torch.Tensor | None) -> torch.Tensor:
        """Products [B, N] of queries with the temporal features of all entities at the query's date.

        A training batch has few dates: the parts of a date are added up, and a date costs one product. Scattered dates
        share their months and days: then every part is multiplied by itself, once per distinct value.
        """
        parts = self._parts(time)
        dates = torch.unique(time)
        if len(dates) > sum(len(torch.unique(value)) for value in parts.values()):
            products = [_by_key(query, value, partial(self._wave, name, entities)) for name, value in parts.items()]
            return torch.stack(products).sum(dim=0)
        tables: dict[tuple[str, float], torch.Tensor] = {}  # a month's sines serve all its days

        def table(date: torch.Tensor) -> torch.Tensor:
            wanted = [(name, float(value[0])) for name, value in self._parts(date.unsqueeze(0)).items()]
            for name, value in wanted:
                if (name, value) not in tables:
                    tables[name, value] = self._wave(name, entities, query.new_tensor(value))
            return torch.stack([tables[key] for key in wanted]).sum(dim=0)

        return _by_key(query, time, table)

    def _wave(self, name: str, entities: torch.Tensor | None, value: torch.Tensor) -> torch.Tensor:
        """What one part of the date adds to the features [N, D] at one value."""
        features: torch.Tensor = self.waves[name](value, entities)
        return features


def _by_key(query: torch.Tensor, key: torch.Tensor, table: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Queries [B, D] times the table [N, D] of their key, each table made once."""
    groups = TimeGroups(key)
    return groups.join(
        [product(part, table(one).T) for part, one in zip(groups.split(query), groups.times, strict=True)]
    )


def _exchange(features: torch.Tensor) -> torch.Tensor:
    """[head | tail] -> [tail | head]: a subject's tail meets an answer's head, and the other way round."""
    head, tail = features.chunk(2, dim=1)
    return torch.cat([tail, head], dim=1)


METHOD = trained_method(
    name="de-simple",
    title="DE-SimplE",
    summary="SimplE whose entities change with time along sines.",
    settings=DESimplESettings,
    build=DESimplE,
    recommended={"model": {"dropout": 0.4}, "training": {"epochs": 20.0, "learning_rate": 0.003}},
    authors={
        "model": {"rank": 200, "loss": "sampled", "negatives": 500, "temporal_share": 0.64, "dropout": 0.4},
        "training": {"epochs": 500.0, "batch_size": 512, "learning_rate": 1e-3},
    },
)
