"""The learning rate as a pure function: of the step, of how far training is, and of how often it fell at a plateau.

Progress is measured in epochs, not steps, because epochs need not have the same number of batches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tgap.config import TrainingConfig


@dataclass(frozen=True)
class Plateau:
    """What validation has said so far. ``after`` gives the next state; nothing is changed in place."""

    best: float | None = None  # highest metric so far
    waited: int = 0  # validations since then: decides early stopping
    tolerated: int = 0  # validations since the best or since the rate last fell: decides the next fall
    reductions: int = 0  # times the rate has fallen

    def after(self, metric: float, config: TrainingConfig) -> Plateau:
        """State after one more validation. The rate falls when more than ``plateau_patience`` bring no improvement."""
        if self.best is None or metric > self.best:
            return replace(self, best=metric, waited=0, tolerated=0)
        tolerated = self.tolerated + 1
        if config.schedule == "plateau" and tolerated > config.plateau_patience:
            return replace(self, waited=self.waited + 1, tolerated=0, reductions=self.reductions + 1)
        return replace(self, waited=self.waited + 1, tolerated=tolerated)

    def exhausted(self, config: TrainingConfig) -> bool:
        """Whether ``patience`` validations in a row were no better than the best."""
        return config.patience > 0 and self.waited >= config.patience


def learning_rate(config: TrainingConfig, step: int, progress: float, reductions: int) -> float:
    """Rate of the step that is taken after ``step`` earlier ones; ``progress`` runs from 0 to 1 over the whole run."""
    warmth = min(1.0, (step + 1) / config.warmup_steps) if config.warmup_steps else 1.0
    match config.schedule:
        case "plateau":
            fall = config.plateau_factor**reductions
        case "linear":
            fall = min(1.0, max(0.0, 1.0 - progress) / config.decay_share)
        case "cosine":
            fall = 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))
        case "constant":
            fall = 1.0
    return config.learning_rate * warmth * fall
