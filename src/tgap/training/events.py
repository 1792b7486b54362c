"""What the loop tells the world, and who may listen: progress bar, metrics file, TensorBoard, curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tgap.training.state import ProtocolMetrics

if TYPE_CHECKING:
    import torch

StopReason = Literal["finished", "patience", "time", "interrupted"]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where training is when something happens."""

    step: int  # optimiser steps taken
    epochs: float  # epochs trained, a fraction inside an epoch
    share: float  # 0 to 1 over the whole run
    seconds: float  # time trained, over all resumes


@dataclass(frozen=True)
class Started:
    """Training begins or goes on."""

    at: Progress
    epochs: float  # to be trained
    batches: int  # in the current epoch
    queries: int  # in an epoch
    validated: bool  # whether the weights at this step have been validated already
    problems: tuple[str, ...]  # checkpoints that were found damaged and passed over, a line each
    limit: float = 0.0  # seconds of training, over all resumes, after which it stops; 0 = no limit


@dataclass(frozen=True)
class Stepped:
    """One optimiser step."""

    at: Progress
    loss: float
    rate: float
    queries: int


@dataclass(frozen=True)
class Measured:
    """Means over the last ``log_steps`` steps, or over the fewer ones after which training stopped."""

    at: Progress
    loss: float
    rate: float
    gradient_norm: float
    metrics: Mapping[str, float]  # the method's own, means over queries
    queries_per_second: float
    partial: bool = False  # fewer than ``log_steps``: void if training goes on, a whole line follows then


@dataclass(frozen=True)
class Validated:
    """The validation split was scored. ``loss`` and ``metrics`` are means over training since the last time."""

    at: Progress
    validation: ProtocolMetrics
    loss: float
    metrics: Mapping[str, float]  # the method's own
    rate: float
    improved: bool


@dataclass(frozen=True)
class Improved:
    """Validation was the best so far; told before ``Validated``. The tensors are live: copy or write them at once."""

    at: Progress
    weights: Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class Saved:
    """A checkpoint was written."""

    at: Progress
    path: Path


@dataclass(frozen=True)
class Stopped:
    """Training ends, for now or for good."""

    at: Progress
    reason: StopReason
    best: ProtocolMetrics | None
    best_epochs: float


class Listener:
    """Hears what happens. Subclass it and override what is of interest; the rest does nothing."""

    def on_start(self, event: Started) -> None:
        """Before the first step."""

    def on_step(self, event: Stepped) -> None:
        """After every step; keep it cheap."""

    def on_measure(self, event: Measured) -> None:
        """After every ``log_steps`` steps, and at an orderly end if some are left."""

    def on_validating(self, done: int, total: int) -> None:
        """While validation queries are scored."""

    def on_improvement(self, event: Improved) -> None:
        """When the weights are the best so far."""

    def on_validation(self, event: Validated) -> None:
        """After every validation."""

    def on_checkpoint(self, event: Saved) -> None:
        """After every checkpoint."""

    def on_stop(self, event: Stopped) -> None:
        """After an orderly end."""

    def close(self) -> None:
        """Last call, after errors too: release files."""


class ListenerGroup(Listener):
    """Many listeners as one, told in their order."""

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self._listeners = tuple(listeners)

    def on_start(self, event: Started) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.on_start(event)

    def on_step(self, event: Stepped) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.on_step(event)

    def on_measure(self, event: Measured) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.on_measure(event)

    def on_validating(self, done: int, total: int) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.on_validating(done, total)

    def on_improvement(self, event: Improved) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.on_improvement(event)

    def on_validation(self, event: Validated) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.on_validation(event)

    def on_checkpoint(self, event: Saved) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.on_checkpoint(event)

    def on_stop(self, event: Stopped) -> None:
        """Tell all."""
        for listener in self._listeners:
            listener.on_stop(event)

    def close(self) -> None:
        """Close all, also when one fails."""
        with ExitStack() as stack:
            for listener in self._listeners:
                stack.callback(listener.close)
