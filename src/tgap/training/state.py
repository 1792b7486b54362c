"""Where training stands, as plain numbers that JSON keeps exactly. Tensors are kept beside it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from tgap.config import TrainingConfig
from tgap.training.schedule import Plateau

ProtocolMetrics = dict[str, dict[str, float]]  # protocol (raw, static, time) -> metric (mrr, hits1, ...) -> value


@dataclass(kw_only=True)
class Tally:
    """Sums over some steps. Part of the state, so that a mean over a stretch with a stop in it comes out the same."""

    steps: int = 0
    queries: int = 0
    loss: float = 0.0  # sum over queries
    gradient_norm: float = 0.0  # sum over steps, before clipping
    metrics: dict[str, float] = field(default_factory=dict)  # the method's own, summed over queries

    def add(self, *, queries: int, loss: float, gradient_norm: float, metrics: Mapping[str, float]) -> None:
        """Take in one step whose mean loss is ``loss``."""
        self.steps += 1
        self.queries += queries
        self.loss += loss * queries
        self.gradient_norm += gradient_norm
        for name, value in metrics.items():
            self.metrics[name] = self.metrics.get(name, 0.0) + value

    @property
    def mean_loss(self) -> float:
        """Mean over queries; not a number before the first."""
        return self.loss / self.queries if self.queries else math.nan

    @property
    def mean_metrics(self) -> dict[str, float]:
        """The method's own metrics, means over queries."""
        return {name: value / self.queries for name, value in self.metrics.items()}

    @property
    def mean_gradient_norm(self) -> float:
        """Mean over steps."""
        return self.gradient_norm / self.steps if self.steps else math.nan


@dataclass(kw_only=True)
class TrainingState:
    """Position in the epoch, schedule and best result. The next batch is number ``batch`` of epoch ``epoch``."""

    epoch: int = 0
    batch: int = 0
    step: int = 0  # optimiser steps taken
    seconds: float = 0.0  # time trained, over all resumes
    validations: int = 0  # validations that were due and are done
    validated_step: int = -1  # step of the last validation
    window: Tally = field(default_factory=Tally)  # since the last line of metrics
    since_validation: Tally = field(default_factory=Tally)  # "round" in files
    plateau: Plateau = field(default_factory=Plateau)
    best: ProtocolMetrics | None = None  # validation metrics of the best weights
    best_step: int = -1
    best_epochs: float = 0.0

    def epochs_done(self, batches: int) -> float:
        """Epochs trained so far, when the current one has ``batches``."""
        return self.epoch + self.batch / batches

    def validations_due(self, batches: int, config: TrainingConfig) -> int:
        """How many validations belong to the epochs trained so far."""
        return math.floor(self.epochs_done(batches) / config.validate_every + 1e-9)

    def finished(self, batches: int, config: TrainingConfig) -> bool:
        """Whether all epochs are done."""
        return self.epochs_done(batches) >= config.epochs - 1e-9

    def to_dict(self) -> dict[str, Any]:
        """Plain form for JSON."""
        values = dataclasses.asdict(self)
        values["round"] = values.pop("since_validation")
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """State from its plain form."""
        nested = {
            "window": Tally(**values["window"]),
            "since_validation": Tally(**values["round"]),
            "plateau": Plateau(**values["plateau"]),
        }
        rest = {name: value for name, value in values.items() if name != "round"}
        return cls(**{**rest, **nested})
