"""Where training stands, as plain numbers that JSON keeps exactly. Tensors are kept beside it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Self

from tgap.config import TrainingConfig
from tgap.training.schedule import Plateau

Figures = dict[str, dict[str, float]]  # protocol (raw, static, time) -> figure (mrr, hits1, ...) -> value


@dataclass(kw_only=True)
class Tally:
    """Sums over some steps. Part of the state, so that a mean over a stretch with a stop in it comes out the same."""

    steps: int = 0
    queries: int = 0
    unreachable: int = 0  # answers that no attention could reach
    loss: float = 0.0  # sum over queries
    gradient_norm: float = 0.0  # sum over steps, before clipping

    def add(self, *, queries: int, unreachable: int, loss: float, gradient_norm: float) -> None:
        """Take in one step whose mean loss is ``loss``."""
        self.steps += 1
        self.queries += queries
        self.unreachable += unreachable
        self.loss += loss * queries
        self.gradient_norm += gradient_norm

    @property
    def mean_loss(self) -> float:
        """Mean over queries; not a number before the first."""
        return self.loss / self.queries if self.queries else math.nan

    @property
    def unreachable_share(self) -> float:
        """Share of queries whose answer no attention could reach."""
        return self.unreachable / self.queries if self.queries else 0.0

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
    round: Tally = field(default_factory=Tally)  # since the last validation
    plateau: Plateau = field(default_factory=Plateau)
    best: Figures | None = None  # validation figures of the best weights
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
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """State from its plain form."""
        nested = {
            "window": Tally(**values["window"]),
            "round": Tally(**values["round"]),
            "plateau": Plateau(**values["plateau"]),
        }
        return cls(**{**values, **nested})
