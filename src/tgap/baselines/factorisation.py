"""How a trained baseline becomes a method: the learner that the training loop drives, the same for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from tgap.baselines.axes import Axes
from tgap.baselines.embedding_model import EmbeddingModel, EmbeddingSettings
from tgap.baselines.embedding_scorer import EmbeddingScorer
from tgap.baselines.fact_batches import ShuffledPlan
from tgap.config import RunConfig
from tgap.data import Dataset
from tgap.data.facts import both_directions
from tgap.learner import Method, Overrides
from tgap.scorer import Scorer

Build = Callable[[Any, Axes], EmbeddingModel]  # from the method's own settings


class FactorisationLearner:
    """Shuffled facts in both directions, Adagrad or Adam, and the scorer of the present weights."""

    def __init__(self, title: str, build: Build, dataset: Dataset, config: RunConfig) -> None:
        assert isinstance(config.model, EmbeddingSettings), "the table of methods gives every method its own settings"
        self._title = title
        self._config = config
        self._settings = config.model
        self._facts = both_directions(dataset.train, dataset.num_relations)
        with torch.random.fork_rng(devices=[]):  # initial weights are a function of the seed alone
            torch.manual_seed(config.training.seed)
            self.module = build(config.model, Axes.of(dataset))

    @property
    def queries(self) -> int:
        """Both directions of every training fact."""
        return len(self._facts)

    def plan(self, epoch: int) -> ShuffledPlan:
        """Shuffled facts; see ``fact_batches``."""
        return ShuffledPlan(
            self._facts,
            self.module.axes.num_entities,
            epoch=epoch,
            seed=self._config.training.seed,
            batch_size=self._config.training.batch_size,
            negatives=0 if self._settings.loss == "softmax" else self._settings.negatives,
            by_time=self.module.by_time,
        )

    def optimiser(self) -> torch.optim.Optimizer:
        """The one that the settings name."""
        parameters, rate = self.module.parameters(), self._config.training.learning_rate
        if self._settings.optimiser == "adagrad":
            return torch.optim.Adagrad(parameters, lr=rate)
        return torch.optim.Adam(parameters, lr=rate, fused=True)

    def scorer(self) -> Scorer:
        """Answers with the module's present weights."""
        return EmbeddingScorer(self._title, self.module, self._config.evaluation.batch_size)


# What all trained baselines have in common; a method's own presets say the rest.
_TRAINING: dict[str, Any] = {
    "batch_size": 1000,
    "warmup_steps": 0,
    "clip_norm": 0.0,
    "validate_every": 5.0,
    "patience": 3,
}
_EVALUATION: dict[str, Any] = {"batch_size": 500}


def trained_method(
    *,
    name: str,
    title: str,
    summary: str,
    settings: type[EmbeddingSettings],
    build: Build,
    recommended: Overrides,
    authors: Overrides | None = None,
) -> Method:
    """A trained baseline as an entry of the table of methods.

    ``recommended`` is what we would use ourselves; ``authors`` are the choices that the method was published with, if
    they are known.
    """
    presets = {"recommended": _preset(recommended, "linear")}
    if authors is not None:
        presets["authors"] = _preset(authors, "constant")
    return Method(
        name=name,
        title=title,
        summary=summary,
        settings=settings,
        learn=partial(FactorisationLearner, title, build),
        presets=presets,
        spaces={"default": {"settings": _space(settings)}},
    )


def _preset(values: Overrides, schedule: str) -> Callable[[str], Overrides]:
    """The same starting point for every dataset."""
    training = {**_TRAINING, "schedule": schedule, **values.get("training", {})}
    whole = {"evaluation": _EVALUATION, **values, "training": training}
    return lambda _dataset: whole


def _space(settings: type[EmbeddingSettings]) -> dict[str, Any]:
    """What is worth searching: size, step, and what holds embeddings back where a method has it."""
    rank = settings.model_fields["rank"].default
    space: dict[str, Any] = {
        "training.learning_rate": {"low": 1e-3, "high": 0.5, "log": True},
        "model.rank": [rank // 2, rank, 2 * rank],
        "model.optimiser": ["adagrad", "adam"],
    }
    if "embedding_penalty" in settings.model_fields:
        space["model.embedding_penalty"] = {"low": 1e-3, "high": 0.1, "log": True}
    if "dropout" in settings.model_fields:
        space["model.dropout"] = {"low": 0.0, "high": 0.5}
    return space
