"""The search: ask for settings, train them, tell the result; until time, trials or a signal end it.

Every trial is a run of its own, trained by the ordinary loop and judged by the ordinary validation, always on the same
sample of queries. After each validation a trial that is worse than the median of the others at that point is cut
short (not in a search in turn).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from shutil import rmtree
from typing import Any, Protocol

from optuna.study import Study
from optuna.trial import Trial, TrialState

from tgap.config import RunConfig
from tgap.data import Dataset
from tgap.errors import ConfigError, TrainingError
from tgap.evaluation import HEADLINE
from tgap.runs.folder import RunFolder, create_run
from tgap.training.events import Listener, Validated
from tgap.training.interruption import Interruption
from tgap.training.session import train
from tgap.tuning.space import Space
from tgap.tuning.study import StudyFolder, ask, is_done, put_back_dead, values_at_start

_FAILURE = "failure"  # attribute of a trial: why it gave no result


@dataclass(frozen=True)
class Limits:
    """When this process stops; 0 = no such limit."""

    minutes: float = 0.0
    trials: int = 0  # finished in the whole study, by all processes
    threads: int | None = None


class Watcher(Protocol):
    """Hears how a search goes."""

    def begun(self, number: int, values: dict[str, Any]) -> Listener:
        """A trial is about to be trained; the listener hears the loop."""
        ...

    def ended(self, number: int, state: str, result: float | None) -> None:
        """A trial has a result (complete), was cut short (pruned) or failed."""
        ...

    def waiting(self) -> None:
        """Other processes have to end their trials first."""
        ...


def tune(
    folder: StudyFolder,
    base: RunConfig,
    space: Space,
    dataset: Dataset,
    limits: Limits,
    watcher: Watcher,
    interruption: Interruption,
    after_trial: Callable[[Study], None],
    pause: float = 2.0,
) -> Study:
    """Search until a limit, a signal or the end of the space. ``after_trial`` writes down what is known."""
    space.check(base)
    folder.describe(base, space, dataset.checksum)
    study, start = folder.open(space, base.training.seed), values_at_start(base, space)
    deadline = time.monotonic() + 60 * limits.minutes if limits.minutes else float("inf")
    stop = _Stop(interruption, deadline)
    while not stop.requested and not _enough(study, limits):
        with _taken(folder, study, space, start, base.training.seed) as trial:
            if trial is not None:
                wish = _Stop(interruption, deadline)
                _try(folder, study, trial, space.config(base, trial.params), dataset, limits, watcher, wish)
                after_trial(study)
                continue
        if is_done(study, space, start):
            break
        watcher.waiting()
        time.sleep(pause)
    return study


@contextmanager
def _taken(folder: StudyFolder, study: Study, space: Space, start: dict[str, Any], seed: int) -> Iterator[Trial | None]:
    """The next trial with its lock, which tells other processes that somebody is at it."""
    with ExitStack() as held:
        with folder.locked():
            put_back_dead(folder, study)
            trial = ask(study, space, start, seed)
            if trial is not None:
                held.enter_context(folder.lock_of(trial))
        yield trial


def _try(
    folder: StudyFolder,
    study: Study,
    trial: Trial,
    config: RunConfig,
    dataset: Dataset,
    limits: Limits,
    watcher: Watcher,
    wish: Interruption,
) -> None:
    run, number = folder.run(trial), trial.number
    cut = _Cut(trial, config, wish)
    try:
        _prepare(run, config, dataset, limits)
        listeners = [watcher.begun(number, trial.params), cut]
        trained = train(config, dataset, folder=run, listeners=listeners, interruption=wish)
    except (TrainingError, ConfigError) as error:
        trial.set_user_attr(_FAILURE, str(error))
        study.tell(trial, state=TrialState.FAIL)
        watcher.ended(number, "failed", None)
        return
    if cut.pruned:
        study.tell(trial, state=TrialState.PRUNED)
        watcher.ended(number, "cut short", cut.last)
    elif trained.reason != "interrupted":  # an interrupted one stays as it is and is put back by whoever comes next
        assert trained.best is not None, "training ends with a validation"
        result = trained.best[HEADLINE.name][config.training.select_by]
        study.tell(trial, result)
        watcher.ended(number, "done", result)


def _prepare(run: RunFolder, config: RunConfig, dataset: Dataset, limits: Limits) -> None:
    """Make the run of a trial; one that was put back has it already, unless it was killed while it was made."""
    if not run.config_file.exists():
        if run.path.exists():
            rmtree(run.path)
        create_run(run.path, config, dataset, limits.threads)


def _enough(study: Study, limits: Limits) -> bool:
    ended = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.PRUNED))
    return 0 < limits.trials <= len(ended)


class _Stop(Interruption):
    """A trial's own end, the end of the time, or the user's wish."""

    def __init__(self, user: Interruption, deadline: float) -> None:
        self._user, self._deadline = user, deadline
        super().__init__()

    @property
    def requested(self) -> bool:
        """Whether one of them says so."""
        return super().requested or self._user.requested or time.monotonic() >= self._deadline


class _Cut(Listener):
    """Reports validations of a trial, and asks the loop to stop when the study says that it is not worth going on."""

    def __init__(self, trial: Trial, config: RunConfig, wish: Interruption) -> None:
        self.pruned = False
        self.last: float | None = None
        self._trial, self._training, self._wish = trial, config.training, wish

    def on_validation(self, event: Validated) -> None:
        """Steps are counted in validations, so that trials with other batch sizes can be compared."""
        self.last = event.validation[HEADLINE.name][self._training.select_by]
        self._trial.report(self.last, round(event.at.epochs / self._training.validate_every))
        if event.at.share < 1 and self._trial.should_prune():
            self.pruned = True
            self._wish.request()
