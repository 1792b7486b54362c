"""A trained baseline as a ``Scorer``: batches of queries in, rows of scores out."""

from __future__ import annotations

import numpy as np
import torch

from tgap.baselines.embedding_model import EmbeddingModel
from tgap.errors import QueryError
from tgap.scorer import FloatArray, QueryBatch, ScoreKind


class EmbeddingScorer:
    """Answers with the present weights of a module.

    A model that was trained by softmax over all entities has learned log-probabilities up to a constant per row; they
    are given whole. The scores of the other losses are an order and no more.
    """

    def __init__(self, name: str, model: EmbeddingModel, batch_size: int) -> None:
        self.name = name
        self.kind = ScoreKind.LOG_PROBABILITY if model.settings.loss == "softmax" else ScoreKind.ORDER
        self.num_entities = model.axes.num_entities
        self.num_relations = model.axes.num_relations
        self._model = model
        self._batch_size = batch_size
        for weights, parameter in model.named_parameters():
            if not bool(torch.isfinite(parameter).all()):
                raise QueryError(
                    f"parameter {weights} holds NaN or infinite numbers; train again or load other weights"
                )

    def score(self, queries: QueryBatch) -> FloatArray:
        """Scores [B, N]; memory is bounded by the batch size of evaluation times the entities, besides the result."""
        queries.check_ids(self.num_entities, self.num_relations)
        scores = np.empty((len(queries), self.num_entities), np.float32)
        training = self._model.training
        self._model.eval()  # nothing is left out of a query that is to be answered
        try:
            with torch.inference_mode():
                for begin in range(0, len(queries), self._batch_size):
                    part = slice(begin, begin + self._batch_size)
                    found = self._model.score(queries.take(part))
                    if self.kind is ScoreKind.LOG_PROBABILITY:
                        found = found.log_softmax(dim=1)
                    scores[part] = found.numpy(force=True)
        finally:
            self._model.train(training)
        return scores
