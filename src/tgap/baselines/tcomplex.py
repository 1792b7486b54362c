"""TComplEx: ComplEx whose relations are turned and stretched by the time.

    score(s, r, o, t) = Re < e_s, r_r * tau_t, conj(e_o) >        (complex embeddings)

Entities are time-blind; a time acts on all relations through one vector. Times without training facts: see
``time_table``. The authors' penalty is N3 with relation and time taken together, and steps between neighbouring times
are kept small (``penalties``).

Lacroix, Obozinski, Usunier: Tensor Decompositions for Temporal Knowledge Base Completion, ICLR 2020. Softmax over all
entities, reciprocal relations and Adagrad are theirs.
"""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import Field
from torch.nn.functional import embedding

from tgap.baselines.axes import Asked, Axes, normal_table
from tgap.baselines.complex_numbers import modulus, multiply
from tgap.baselines.embedding_model import EmbeddingModel, EmbeddingSettings, rows
from tgap.baselines.factorisation import trained_method
from tgap.baselines.penalties import cubes, roughness
from tgap.baselines.time_table import TimeTable
from tgap.kernels.products import product
from tgap.scorer import QueryBatch


class TComplExSettings(EmbeddingSettings):
    """Settings of TComplEx and TNTComplEx."""

    rank: int = Field(256, ge=1, le=4096, description="complex numbers in an embedding")
    optimiser: Literal["adagrad", "adam"] = Field("adagrad", description="how steps are taken")
    initial_scale: float = Field(0.01, gt=0, description="standard deviation of embeddings at the start")
    embedding_penalty: float = Field(0.01, ge=0, description="weight of the N3 penalty on embeddings")
    time_penalty: float = Field(0.01, ge=0, description="weight of the penalty on steps between neighbouring times")
    time_power: Literal[3, 4] = Field(3, description="power p of a step's size in that penalty (Lambda_p)")


class TComplEx(EmbeddingModel):
    """See the module's text."""

    settings: TComplExSettings

    def __init__(self, settings: TComplExSettings, axes: Axes) -> None:
        super().__init__(settings, axes)
        self.entity = normal_table(axes.num_entities, 2 * settings.rank, settings.initial_scale)
        self.relation = normal_table(2 * axes.num_relations, 2 * settings.rank, settings.initial_scale)
        self.time = TimeTable(axes, 2 * settings.rank, settings.initial_scale)

    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N]: Re <q, conj(e)> is the plain product of the rows [real | imaginary]."""
        asked = self.ask(queries)
        relation = multiply(embedding(asked.relation, self.relation), self.time(asked.time))
        return product(multiply(embedding(asked.subject, self.entity), relation), rows(self.entity, entities).T)

    def penalty(self, asked: Asked, answer: torch.Tensor) -> torch.Tensor:
        """N3 of subject, relation at its time, and answer; and how rough the times are."""
        relation = multiply(embedding(asked.relation, self.relation), self.time(asked.time))
        subject, obj = embedding(asked.subject, self.entity), embedding(answer, self.entity)
        size = cubes(modulus(subject)) + cubes(modulus(relation)) + cubes(modulus(obj))
        return self.settings.embedding_penalty * size + time_penalty(self.time, self.settings)


def time_penalty(table: TimeTable, settings: TComplExSettings) -> torch.Tensor:
    """Weighted roughness of a table of times; its rows stand in the order of time."""
    return settings.time_penalty * roughness(modulus(table.weight[1:] - table.weight[:-1]), settings.time_power)


METHOD = trained_method(
    name="tcomplex",
    title="TComplEx",
    summary="Complex factors; the time acts on the relation.",
    settings=TComplExSettings,
    build=TComplEx,
    recommended={"training": {"epochs": 15.0, "learning_rate": 0.2}},
    authors={
        "model": {"rank": 165, "time_power": 4},  # as many numbers as TNTComplEx of rank 156 on ICEWS14
        "training": {"epochs": 50.0, "batch_size": 1000, "learning_rate": 0.1},
    },
)
