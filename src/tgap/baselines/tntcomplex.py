"""TNTComplEx: a relation has a part that time acts on (TComplEx) and one that it does not (ComplEx).

    score(s, r, o, t) = Re < e_s, u_r * tau_t + v_r, conj(e_o) >        (complex embeddings)

Entities and v are time-blind. Times without training facts: see ``time_table``. The authors' penalty counts entities
twice, because they take part in both tensors.

Lacroix, Obozinski, Usunier: Tensor Decompositions for Temporal Knowledge Base Completion, ICLR 2020. Softmax over all
entities, reciprocal relations and Adagrad are theirs.
"""

from __future__ import annotations

import torch
from torch.nn.functional import embedding

from tgap.baselines.axes import Asked, Axes, normal_table
from tgap.baselines.complex_numbers import modulus, multiply
from tgap.baselines.embedding_model import EmbeddingModel, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.penalties import cubes
from tgap.baselines.tcomplex import TComplExSettings, time_penalty
from tgap.baselines.time_table import TimeTable
from tgap.kernels.products import product
from tgap.scorer import QueryBatch


class TNTComplEx(EmbeddingModel):
    """See the module's text."""

    settings: TComplExSettings

    def __init__(self, settings: TComplExSettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.entity = normal_table(axes.num_entities, 2 * settings.rank, settings.initial_scale)
        self.temporal = normal_table(2 * axes.num_relations, 2 * settings.rank, settings.initial_scale)
        self.lasting = normal_table(2 * axes.num_relations, 2 * settings.rank, settings.initial_scale)
        self.time = TimeTable(axes, 2 * settings.rank, settings.initial_scale)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]."""
        asked = self.ask(queries)
        relation = self._temporal(asked) + embedding(asked.relation, self.lasting)
        return product(multiply(embedding(asked.subject, self.entity), relation), rows(self.entity, entities).T)

    def penalty(self, asked: Asked, answer: torch.Tensor) -> torch.Tensor:
        """N3 of both tensors; and how rough the times are."""
        subject, obj = embedding(asked.subject, self.entity), embedding(answer, self.entity)
        entities = cubes(modulus(subject)) + cubes(modulus(obj))
        relations = cubes(modulus(self._temporal(asked))) + cubes(modulus(embedding(asked.relation, self.lasting)))
        size = 2 * entities + relations
        return self.settings.embedding_penalty * size + time_penalty(self.time, self.settings)

    def _temporal(self, asked: Asked) -> torch.Tensor:
        """u_r * tau_t [B, 2 rank]."""
        return multiply(embedding(asked.relation, self.temporal), self.time(asked.time))


METHOD = trained_method(
    name="tntcomplex",
    title="TNTComplEx",
    summary="Complex factors; a relation has a part that time acts on and one that lasts.",
    settings=TComplExSettings,
    build=TNTComplEx,
    recommended={
        "model": {"rank": 500, "embedding_penalty": 0.006, "time_penalty": 0.2, "time_power": 4},
        "training": {"epochs": 40.0, "learning_rate": 0.3},
    },
    authors={
        "model": {"rank": 156, "time_power": 4},
        "training": {"epochs": 50.0, "batch_size": 1000, "learning_rate": 0.1},
    },
)
