"""The loop: batch, step, now and then a validation and a checkpoint, until a reason to stop appears.

It knows no method (a ``Learner`` does what is particular to one), prints nothing and knows no files but checkpoints,
which are optional; listeners (``events.py``) do the rest. Whatever it decides is a function of the settings and of
``TrainingState``, so a run that was stopped anywhere goes on bit for bit as if it had not been; only the limits in
minutes look at the clock. Several processes may train together (``workers.py``); the one of rank 0 has listeners and
store, and the others take the same steps in silence.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext

import torch

from tgap.config import TrainingConfig
from tgap.errors import TrainingError
from tgap.evaluation import HEADLINE
from tgap.learner import Batch, Learner, Plan
from tgap.training.average import WeightAverage
from tgap.training.checkpoint import CheckpointStore
from tgap.training.clipping import clip_gradients
from tgap.training.events import (
    Improved,
    Listener,
    ListenerGroup,
    Measured,
    Progress,
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
from tgap.training.state import ProtocolMetrics, Tally, TrainingState
from tgap.training.workers import ALONE, Taken, Workers

Validate = Callable[[Callable[[int, int], None]], ProtocolMetrics]  # hears how many queries of how many are done
SELECTED = HEADLINE.name  # protocol whose metric decides which weights are best


class Trainer:
    """Trains a learner. ``validate`` gives the metrics of its present weights; ``store`` keeps checkpoints, if any."""

    def __init__(
        self,
        learner: Learner,
        config: TrainingConfig,
        validate: Validate,
        *,
        store: CheckpointStore | None = None,
        listeners: Sequence[Listener] = (),
        interruption: Interruption | None = None,
        workers: Workers = ALONE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = learner.module
        self.config = config
        self.state = TrainingState()
        self._learner = learner
        self._store = store
        self._validate_model = validate
        self._listener = ListenerGroup(listeners)
        self._interruption = interruption or Interruption()
        self._workers = workers
        self._clock = clock
        self._optimiser = learner.optimiser()
        self._average = WeightAverage(self.model, config.average_decay) if config.average_decay else None
        self._plan: Plan | None = None
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
            if self.state.best is None:  # stopped before the first validation: what there is can be used all the same
                self._listener.on_improvement(Improved(self._progress(), self.model.state_dict()))
            if self._measured_queries and self.state.window.steps:
                self._listener.on_measure(self._measured(self._last_rate, partial=True))
            self._listener.on_stop(Stopped(self._progress(), reason, self.state.best, self.state.best_epochs))
        finally:
            self._listener.close()
        return reason

    def _begin(self) -> None:
        torch.manual_seed(self.config.seed)
        checkpoint = self._workers.share(self._store.load() if self._store is not None else None)
        if checkpoint is not None:
            restore_snapshot(checkpoint.tensors, self.model, self._optimiser, self._average)
            self.state = checkpoint.state
            self._saved = self._mark()
        self._lap = self._saved_at = self._measured_at = self._clock()

    def _train(self) -> StopReason:
        while True:
            batches = len(self._epoch())
            wanted, late, save = self._workers.agree(
                self._interruption.requested,
                0 < 60 * self.config.max_minutes <= self._seconds(),
                self._clock() - self._saved_at >= 60 * self.config.checkpoint_minutes,
            )
            if save:
                self._save()
            over = self._over(batches, late)
            due = self.state.validations_due(batches, self.config)
            if (over or due > self.state.validations) and self.state.validated_step != self.state.step:
                try:
                    self._validate(due, extra=due == self.state.validations)
                except InterruptionError:  # the checkpoint before the validation stands; it is repeated on resume
                    return "interrupted"
                continue  # what was heard meanwhile counts
            if over or wanted:
                self._save()
                return over or "interrupted"
            self._step()

    def _over(self, batches: int, late: bool) -> StopReason | None:
        """Why no further step is taken, if so."""
        if self.state.finished(batches, self.config):
            return "finished"
        if self.state.validated_step == self.state.step and self.state.plateau.exhausted(self.config):
            return "patience"
        return "time" if late else None

    def _step(self) -> None:
        state, rate, plan = self.state, self._rate(), self._epoch()
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._last_rate = rate
        self._optimiser.zero_grad(set_to_none=True)
        self._workers.begin_step(self.config.seed, state.step)
        mine = state.batch + self._workers.rank
        batch = plan[mine] if mine < len(plan) else None  # the last step of an epoch may have fewer than processes
        own = self._learn_from(batch)
        taken = self._workers.average(self.model, own)
        self._require_finite("loss", taken.loss, own, batch)
        norm = clip_gradients(self.model, self.config.clip_norm)
        self._require_finite("length of the gradient", norm, own, batch)
        self._optimiser.step()
        if self._average is not None:
            self._average.update()

        state.step += 1
        state.batch = min(state.batch + self._workers.size, len(plan))
        self._measured_queries += taken.queries
        for tally in (state.window, state.since_validation):
            tally.add(queries=taken.queries, loss=taken.loss, gradient_norm=norm, metrics=taken.metrics)
        if state.batch == len(plan):
            state.epoch, state.batch = state.epoch + 1, 0
        self._listener.on_step(Stepped(self._progress(), taken.loss, rate, taken.queries))
        if state.step % self.config.log_steps == 0:
            self._measure(rate)

    def _learn_from(self, batch: Batch | None) -> Taken:
        """Gradients of a batch, where there is one."""
        if batch is None:
            return Taken()
        loss = self.model(batch)
        loss.value.backward()
        return Taken(len(batch), float(loss.value.detach()), loss.metrics)

    def _require_finite(self, what: str, value: float, own: Taken, batch: Batch | None) -> None:
        if not math.isfinite(value):
            config = self.config
            mine = batch.describe() if batch is not None else None
            bad = self._workers.first_of(None if math.isfinite(own.loss) else mine) or self._workers.first_of(mine)
            kept = "there is no checkpoint yet"
            if self._saved is not None:
                kept = f"the weights of step {self._saved[0]}, before it, are kept in the newest checkpoint"
            clip = f"a lower training.clip_norm (now {config.clip_norm:g})"
            raise TrainingError(
                f"the {what} became {value} in {bad}; {kept}; try a lower training.learning_rate (now "
                f"{config.learning_rate:g}) or {clip if config.clip_norm else 'a training.clip_norm (now off)'}"
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
            self._progress(),
            window.mean_loss,
            rate,
            window.mean_gradient_norm,
            window.mean_metrics,
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
            validation = self._workers.from_first(lambda: self._validate_model(self._validating))
            metric = validation[SELECTED][self.config.select_by]
            improved = state.best is None or metric > state.best[SELECTED][self.config.select_by]
            if improved:
                state.best, state.best_step = validation, state.step
                state.best_epochs = state.epochs_done(len(self._epoch()))
                self._listener.on_improvement(Improved(self._progress(), self.model.state_dict()))
        self.model.train()
        trained = state.since_validation
        event = Validated(self._progress(), validation, trained.mean_loss, trained.mean_metrics, rate, improved)
        state.validated_step = state.step
        if not extra:
            state.plateau = state.plateau.after(metric, self.config)
            state.validations, state.since_validation = due, Tally()
        self._measured_at += self._clock() - begun
        self._listener.on_validation(event)
        self._save()

    def _validating(self, done: int, total: int) -> None:
        self._interruption.check()
        self._workers.beat()
        self._listener.on_validating(done, total)

    def _save(self) -> None:
        """Write a checkpoint, unless the newest one says the same."""
        if self._store is None or self._mark() == self._saved:
            return
        self.state.seconds, self._lap = self._seconds(), self._clock()
        path = self._store.save(self.state, take_snapshot(self.model, self._optimiser, self._average))
        self._saved, self._saved_at = self._mark(), self._clock()
        self._listener.on_checkpoint(Saved(self._progress(), path))

    def _epoch(self) -> Plan:
        """Batches of the epoch that the next batch belongs to."""
        if self._plan is None or self._plan.epoch != self.state.epoch:
            self._plan = self._learner.plan(self.state.epoch)
        return self._plan

    def _rate(self) -> float:
        return learning_rate(self.config, self.state.step, self._progress().share, self.state.plateau.reductions)

    def _seconds(self) -> float:
        return self.state.seconds + self._clock() - self._lap

    def _mark(self) -> tuple[int, int]:
        return self.state.step, self.state.validated_step

    def _progress(self) -> Progress:
        epochs = self.state.epochs_done(len(self._epoch()))
        return Progress(
            step=self.state.step,
            epochs=epochs,
            share=min(1.0, epochs / self.config.epochs),
            seconds=self._seconds(),
        )

    def _started(self) -> Started:
        validated = self.state.validated_step == self.state.step
        return Started(
            self._progress(),
            self.config.epochs,
            len(self._epoch()),
            self._learner.queries,
            validated,
            tuple(self._store.problems) if self._store is not None else (),
            60 * self.config.max_minutes,
        )
