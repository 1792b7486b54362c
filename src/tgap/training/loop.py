"""The loop: batch, step, now and then a validation and a checkpoint, until a reason to stop appears.

It prints nothing and knows no files but checkpoints; listeners (``events.py``) do the rest. Whatever it decides is a
function of the settings and of ``TrainingState``, so a run that was stopped anywhere goes on bit for bit as if it had
not been; only the limits in minutes look at the clock.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Protocol

import torch

from tgap.config import TrainingConfig
from tgap.errors import TrainingError
from tgap.graph import View
from tgap.scorer import IntArray, QueryBatch
from tgap.training.average import WeightAverage
from tgap.training.batches import Batch, EpochPlan, TrainingQueries
from tgap.training.checkpoint import CheckpointStore
from tgap.training.events import (
    Chorus,
    Listener,
    Measured,
    Moment,
    Saved,
    Started,
    Stepped,
    Stopped,
    StopReason,
    Validated,
)
from tgap.training.interruption import Interruption, InterruptionError
from tgap.training.schedule import learning_rate
from tgap.training.snapshot import restore_snapshot, take_snapshot
from tgap.training.state import Figures, Tally, TrainingState


class Loss(Protocol):
    """Result of a model's loss: mean over the batch, and how many answers no attention could reach."""

    @property
    def value(self) -> torch.Tensor:
        """Scalar, with gradient."""
        ...

    @property
    def unreachable(self) -> int:
        """Count."""
        ...


LossFunction = Callable[[QueryBatch, IntArray, View, int], Loss]
Validate = Callable[[Callable[[int, int], None]], Figures]  # hears how many queries of how many are done


class Trainer:
    """Trains ``model`` through ``loss`` (its own method). ``validate`` gives the figures of the model as it is now;
    ``keep_best`` takes the weights whenever the validation figure of ``config.select_by`` is the best so far.
    """

    def __init__(
        self,
        *,
        model: torch.nn.Module,
        loss: LossFunction,
        queries: TrainingQueries,
        config: TrainingConfig,
        store: CheckpointStore,
        validate: Validate,
        keep_best: Callable[[Mapping[str, torch.Tensor], TrainingState], None],
        listeners: Sequence[Listener] = (),
        interruption: Interruption | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = model
        self.config = config
        self.state = TrainingState()
        self._loss = loss
        self._queries = queries
        self._store = store
        self._validate_model = validate
        self._keep_best = keep_best
        self._listener = Chorus(listeners)
        self._interruption = interruption or Interruption()
        self._clock = clock
        self._optimiser = torch.optim.Adam(model.parameters(), lr=config.learning_rate, fused=True)
        self._average = WeightAverage(model, config.average_decay) if config.average_decay else None
        self._plan: EpochPlan | None = None
        self._saved: tuple[int, int] | None = None  # step and validated step of the newest checkpoint
        self._lap = self._saved_at = self._measured_at = 0.0
        self._measured_queries = 0
        self._last_rate = math.nan  # of the newest step of this process

    def run(self) -> StopReason:
        """Train from the newest checkpoint, or from the start, to a reason to stop."""
        self._begin()
        try:
            self._listener.on_start(self._started())
            reason = self._train()
            if self._measured_queries and self.state.window.steps:
                self._listener.on_measure(self._measured(self._last_rate, partial=True))
            self._listener.on_stop(Stopped(self._moment(), reason, self.state.best, self.state.best_epochs))
        finally:
            self._listener.close()
        return reason

    def _begin(self) -> None:
        torch.manual_seed(self.config.seed)
        checkpoint = self._store.load()
        if checkpoint is not None:
            restore_snapshot(checkpoint.tensors, self.model, self._optimiser, self._average)
            self.state = checkpoint.state
            self._saved = self._mark()
        self._lap = self._saved_at = self._measured_at = self._clock()

    def _train(self) -> StopReason:
        while True:
            batches = len(self._epoch())
            over = self._over(batches)
            due = self.state.validations_due(batches, self.config)
            if (over or due > self.state.validations) and self.state.validated_step != self.state.step:
                try:
                    self._validate(due, extra=due == self.state.validations)
                except InterruptionError:  # the checkpoint before the validation stands; it is repeated on resume
                    return "interrupted"
                over = over or ("patience" if self.state.plateau.exhausted(self.config) else None)
            if over or self._interruption.requested:
                self._save()
                return over or "interrupted"
            self._step(self._epoch()[self.state.batch])
            if self._clock() - self._saved_at >= 60 * self.config.checkpoint_minutes:
                self._save()

    def _over(self, batches: int) -> StopReason | None:
        """Why no further step is taken, if so."""
        if self.state.finished(batches, self.config):
            return "finished"
        if self.state.validated_step == self.state.step and self.state.plateau.exhausted(self.config):
            return "patience"
        if 0 < 60 * self.config.max_minutes <= self._seconds():
            return "time"
        return None

    def _step(self, batch: Batch) -> None:
        state, rate = self.state, self._rate()
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._last_rate = rate
        self._optimiser.zero_grad(set_to_none=True)
        result = self._loss(batch.queries, batch.answers, batch.view, self._epoch().sampling_seed)
        value = float(result.value.detach())
        self._require_finite("loss", value, batch)
        result.value.backward()  # type: ignore[no-untyped-call]
        norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip_norm or math.inf))
        self._require_finite("length of the gradient", norm, batch)
        self._optimiser.step()
        if self._average is not None:
            self._average.update()

        state.step += 1
        state.batch += 1
        self._measured_queries += len(batch)
        for tally in (state.window, state.round):
            tally.add(queries=len(batch), unreachable=result.unreachable, loss=value, gradient_norm=norm)
        if state.batch == len(self._epoch()):
            state.epoch, state.batch = state.epoch + 1, 0
        self._listener.on_step(Stepped(self._moment(), value, rate, len(batch)))
        if state.step % self.config.log_steps == 0:
            self._measure(rate)

    def _require_finite(self, what: str, value: float, batch: Batch) -> None:
        if not math.isfinite(value):
            config, run = self.config, self._store.folder.parent
            kept = "there is no checkpoint yet"
            if self._saved is not None:
                kept = f"the weights of step {self._saved[0]}, before it, are kept in the newest checkpoint"
            clip = f"a lower training.clip_norm (now {config.clip_norm:g})"
            raise TrainingError(
                f"the {what} became {value} in {batch.describe()}; {kept}; try a lower training.learning_rate (now "
                f"{config.learning_rate:g}) or {clip if config.clip_norm else 'a training.clip_norm (now off)'}: "
                f"tgap train --resume {run} --set training.learning_rate={config.learning_rate / 2:g}"
            )

    def _measure(self, rate: float) -> None:
        """Tell the means of the last window and start the next."""
        event = self._measured(rate)
        self.state.window, self._measured_at, self._measured_queries = Tally(), self._clock(), 0
        self._listener.on_measure(event)

    def _measured(self, rate: float, partial: bool = False) -> Measured:
        window = self.state.window
        seconds = self._clock() - self._measured_at  # of this process, without validations
        return Measured(
            self._moment(),
            window.mean_loss,
            rate,
            window.mean_gradient_norm,
            window.unreachable_share,
            self._measured_queries / max(seconds, 1e-9),
            partial,
        )

    def _validate(self, due: int, extra: bool) -> None:
        """Score the validation split with the weights that would be kept; note whether they are the best so far.

        An ``extra`` one, at a limit where none is due, only does that: schedule, patience and the means since the last
        validation go on as if it had not been, so that a resumed run takes the same steps as one without the limit.
        """
        self._save()
        state, rate, begun = self.state, self._rate(), self._clock()
        self.model.eval()
        with self._average.applied() if self._average is not None else nullcontext():
            figures = self._validate_model(self._validating)
            figure = figures["time"][self.config.select_by]
            improved = state.best is None or figure > state.best["time"][self.config.select_by]
            if improved:
                state.best, state.best_step = figures, state.step
                state.best_epochs = state.epochs_done(len(self._epoch()))
                self._keep_best(self.model.state_dict(), state)
        self.model.train()
        event = Validated(self._moment(), figures, state.round.mean_loss, state.round.unreachable_share, rate, improved)
        state.validated_step = state.step
        if not extra:
            state.plateau = state.plateau.after(figure, self.config)
            state.validations, state.round = due, Tally()
        self._measured_at += self._clock() - begun
        self._listener.on_validation(event)
        self._save()

    def _validating(self, done: int, total: int) -> None:
        self._interruption.check()
        self._listener.on_validating(done, total)

    def _save(self) -> None:
        """Write a checkpoint, unless the newest one says the same."""
        if self._mark() == self._saved:
            return
        self.state.seconds, self._lap = self._seconds(), self._clock()
        path = self._store.save(self.state, take_snapshot(self.model, self._optimiser, self._average))
        self._saved, self._saved_at = self._mark(), self._clock()
        self._listener.on_checkpoint(Saved(self._moment(), path))

    def _epoch(self) -> EpochPlan:
        """Batches of the epoch that the next batch belongs to."""
        if self._plan is None or self._plan.epoch != self.state.epoch:
            self._plan = EpochPlan(self._queries, self.config, self.state.epoch)
        return self._plan

    def _rate(self) -> float:
        return learning_rate(self.config, self.state.step, self._moment().progress, self.state.plateau.reductions)

    def _seconds(self) -> float:
        return self.state.seconds + self._clock() - self._lap

    def _mark(self) -> tuple[int, int]:
        return self.state.step, self.state.validated_step

    def _moment(self) -> Moment:
        epochs = self.state.epochs_done(len(self._epoch()))
        return Moment(
            step=self.state.step,
            epochs=epochs,
            progress=min(1.0, epochs / self.config.epochs),
            seconds=self._seconds(),
        )

    def _started(self) -> Started:
        validated = self.state.validated_step == self.state.step
        return Started(
            self._moment(),
            self.config.epochs,
            len(self._epoch()),
            len(self._queries),
            validated,
            tuple(self._store.problems),
            60 * self.config.max_minutes,
        )
