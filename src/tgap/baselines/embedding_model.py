"""What all trained baselines share: settings, the loss of a batch, and the shape of a score.

A baseline is a module with ``score(queries)``: the whole row of scores [B, N] for each query, where the authors define
a number for one fact (s, r, o, t). Reciprocal relations are learned (see ``axes``), so ``s`` is always given and ``o``
always asked for. A baseline may add a penalty on its embeddings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import torch
from pydantic import Field

from tgap.baselines.axes import Asked, Axes
from tgap.baselines.fact_batches import FactBatch
from tgap.baselines.losses import margin_loss, mask_answers, sampled_softmax_loss, softmax_loss
from tgap.config import Settings
from tgap.learner import Loss
from tgap.scorer import QueryBatch


class EmbeddingSettings(Settings):
    """Settings that every trained baseline has."""

    rank: int = Field(100, ge=1, le=4096, description="numbers in an embedding")
    loss: Literal["softmax", "sampled", "margin"] = Field(
        "softmax", description="answer against every entity, against random ones, or better than them by a margin"
    )
    negatives: int = Field(500, ge=1, description="sampled, margin: random entities; all queries of a batch share them")
    margin: float = Field(1.0, gt=0, description="margin: by how much the answer should score higher")
    optimiser: Literal["adagrad", "adam"] = Field("adam", description="how steps are taken")
    initial_scale: float = Field(0.1, gt=0, description="standard deviation of embeddings at the start")


class EmbeddingModel(torch.nn.Module, ABC):
    """A trained baseline. ``settings`` are its own, ``axes`` what it has embeddings for."""

    settings: EmbeddingSettings
    by_time = False  # whether a batch costs less when its facts share times

    def __init__(self, settings: EmbeddingSettings, axes: Axes) -> None:
        super().__init__()
        self.axes = axes
        self.settings = settings

    @abstractmethod
    def score(self, queries: QueryBatch, entities: torch.Tensor | None = None) -> torch.Tensor:
        """Scores [B, N], higher is likelier; or only the columns of ``entities`` [K]."""

    def penalty(self, asked: Asked, answer: torch.Tensor) -> torch.Tensor | None:
        """Scalar that is added to the loss of a batch; None where there is nothing to add."""
        del asked, answer
        return None

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device

    def ask(self, queries: QueryBatch) -> Asked:
        """The queries as tensors where the parameters are."""
        return Asked.of(queries, self.device)

    def forward(self, batch: FactBatch) -> Loss:
        """Loss of a batch, penalty included; the penalty is told apart."""
        answer = torch.from_numpy(batch.answers).to(self.device)
        value = self._loss(batch, answer)
        penalty = self.penalty(self.ask(batch.queries), answer)
        if penalty is None:
            return Loss(value)
        return Loss(value + penalty, {"penalty": float(penalty.detach()) * len(batch)})

    def _loss(self, batch: FactBatch, answer: torch.Tensor) -> torch.Tensor:
        if self.settings.loss == "softmax":
            return softmax_loss(self.score(batch.queries), answer)
        negatives = torch.from_numpy(batch.negatives).to(self.device)
        entities, column = torch.unique(torch.cat([answer, negatives]), return_inverse=True)
        scores = self.score(batch.queries, entities)
        of_answer = scores.gather(1, column[: len(answer)].unsqueeze(1)).squeeze(1)
        of_negatives = mask_answers(scores[:, column[len(answer) :]], negatives, answer)
        if self.settings.loss == "sampled":
            return sampled_softmax_loss(of_answer, of_negatives)
        return margin_loss(of_answer, of_negatives, self.settings.margin)


def rows(table: torch.Tensor, entities: torch.Tensor | None) -> torch.Tensor:
    """The rows of some entities, or the whole table."""
    return table if entities is None else torch.nn.functional.embedding(entities, table)
