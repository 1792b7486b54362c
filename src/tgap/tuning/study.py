"""The folder of a search, which any number of processes may share.

    study.toml      what is searched: settings that stay, the space; a process that joins must ask for the same
    journal.log     Optuna's record of all trials
    trials/NNNN/    one run folder per trial, so that a trial that was killed goes on
    best.toml       settings of the best trial so far, for `tgap train --config`
    trials.csv, tuning.md, tuning.png   what was found

A trial belongs to the process that holds its lock. If a running trial's lock is free, its process is dead: the trial
is put back, and whoever takes it goes on from the last checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
import tomli_w
from filelock import FileLock, Timeout
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState

from tgap.config import RunConfig
from tgap.errors import ConfigError, Option, RunError
from tgap.locks import one_process
from tgap.runs.files import write_text, writing
from tgap.runs.folder import RunFolder
from tgap.tuning.proposals import Tried, next_in_turn
from tgap.tuning.space import Space

_RUN = "run"  # attribute of a trial: number of the run folder, which a trial that was put back keeps
_STARTUP_TRIALS = 8  # random ones before the model of good settings begins, and before any is cut short


@dataclass(frozen=True)
class StudyFolder:
    """Where a search lies."""

    path: Path

    @property
    def best_file(self) -> Path:
        """Settings of the best trial."""
        return self.path / "best.toml"

    def run(self, trial: Trial | FrozenTrial) -> RunFolder:
        """The run folder of a trial."""
        return RunFolder(self.path / "trials" / f"{trial.user_attrs.get(_RUN, trial.number):04d}")

    def lock_of(self, trial: Trial | FrozenTrial) -> FileLock:
        """Held by the process that trains a trial; it ends with the process, even a killed one."""
        return FileLock(self.path / "trials" / f"{self.run(trial).path.name}.lock", timeout=0)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Only one process at a time asks for a trial; nobody holds this for long."""
        with one_process(self.path / ".lock", nested=True):
            yield

    def describe(self, base: RunConfig, space: Space, checksum: str) -> None:
        """Write down what is searched; refuse a folder that searches something else."""
        described = {
            "base": base.to_dict(),
            "data": {"checksum": checksum},
            "space": {
                "search": space.search,
                "metric": space.metric,
                "settings": {name: repr(domain) for name, domain in space.settings.items()},
            },
        }
        text, file = tomli_w.dumps(described), self.path / "study.toml"
        with writing(self.path):
            (self.path / "trials").mkdir(parents=True, exist_ok=True)
        with self.locked():
            if not file.exists():
                write_text(file, text)
            elif file.read_text(encoding="utf-8") != text:
                raise RunError(
                    f"{self.path} holds a search with other settings, another space or other data (see study.toml "
                    "in it); give the same ones to go on with it, or another folder by ",
                    Option("out"),
                )

    def open(self, space: Space, seed: int) -> Study:
        """The study, made if it is not there."""
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        file = str(self.path / "journal.log")
        storage = JournalStorage(JournalFileBackend(file, lock_obj=JournalFileOpenLock(file)))
        return optuna.create_study(
            study_name="tgap",
            storage=storage,
            load_if_exists=True,
            direction="maximize",
            sampler=_sampler(seed),
            pruner=optuna.pruners.NopPruner()
            if space.search == "in turn"  # every value of a setting is seen to its end
            else optuna.pruners.MedianPruner(n_startup_trials=_STARTUP_TRIALS, n_warmup_steps=1),
        )


def ask(study: Study, space: Space, start: Mapping[str, Any], seed: int) -> Trial | None:
    """The next trial, with values; None if there is nothing to do now. Call it with the folder's lock held.

    What is drawn depends on the seed and on how many trials there are: processes that share a search, and one that goes
    on with it, do not try again what another has drawn.
    """
    study.sampler = _sampler(seed + len(study.get_trials(deepcopy=False)))
    if space.search == "in turn" and not _waiting(study):
        proposal = next_in_turn(space, start, [Tried(trial.params, _result(trial)) for trial in _alive(study)])
        if proposal.values is None:
            return None
        study.enqueue_trial(proposal.values)
    return study.ask({name: _distribution(space, name, start) for name in space.settings})


def _sampler(seed: int) -> optuna.samplers.BaseSampler:
    return optuna.samplers.TPESampler(
        n_startup_trials=_STARTUP_TRIALS, multivariate=True, constant_liar=True, seed=seed
    )


def is_done(study: Study, space: Space, start: Mapping[str, Any]) -> bool:
    """Whether a search in turn has come to its end; one by a model never does."""
    if space.search != "in turn":
        return False
    return next_in_turn(space, start, [Tried(trial.params, _result(trial)) for trial in _alive(study)]).done


def put_back_dead(folder: StudyFolder, study: Study) -> None:
    """Trials whose process is gone wait again, with the run that they had. Call it with the folder's lock held."""
    for trial in study.get_trials(states=(TrialState.RUNNING,)):
        number = trial.user_attrs.get(_RUN, trial.number)
        try:
            with folder.lock_of(trial):
                study.tell(trial.number, state=TrialState.FAIL)
                study.enqueue_trial(trial.params, user_attrs={_RUN: number})
        except Timeout:
            continue  # somebody is at it


def values_at_start(base: RunConfig, space: Space) -> dict[str, Any]:
    """What the settings of the space are before anything is tried."""
    flat = {f"{section}.{name}": value for section, part in base.sections.items() for name, value in dict(part).items()}
    found = {}
    for name in space.settings:
        homes = [key for key in flat if key == name or key.partition(".")[2] == name]
        if len(homes) != 1:
            raise ConfigError(f"{name} is no setting of {base.method}; tgap train --show-config lists them")
        found[name] = flat[homes[0]]
    return found


def _distribution(space: Space, name: str, start: Mapping[str, Any]) -> Any:
    """In turn, a value is one of a list, and the one that it started with belongs to it."""
    if space.search != "in turn":
        return space.settings[name].distribution()
    values = tuple(dict.fromkeys((start[name], *space.settings[name].listed())))
    return optuna.distributions.CategoricalDistribution(values)


def _waiting(study: Study) -> bool:
    return bool(study.get_trials(deepcopy=False, states=(TrialState.WAITING,)))


def _alive(study: Study) -> list[FrozenTrial]:
    """Trials that count: of those that share a run, because one was put back, the newest."""
    newest = {trial.user_attrs.get(_RUN, trial.number): trial for trial in study.get_trials(deepcopy=False)}
    return list(newest.values())


def _result(trial: FrozenTrial) -> float | None:
    """Its result as ``Tried`` wants it."""
    if not trial.state.is_finished():
        return None
    return trial.value if trial.state == TrialState.COMPLETE else float("-inf")
