"""A search for settings on a Ray cluster: Ray Tune keeps seats, each of which tries one setting after another.

A seat is the ordinary loop of ``tgap.tuning``: it asks the study in the search's folder, which Optuna keeps, trains and
tells. So a search has one form, with Ray or without, and either may go on with what the other began. A seat that dies
is started anew by Ray Tune, finds its trial abandoned and goes on from its last checkpoint. On several machines the
folder must lie on a shared disk.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

from tgap.config import RunConfig
from tgap.data import load_dataset
from tgap.distributed.ray_cluster import RESTARTS
from tgap.distributed.ray_mail import MailedInterruption, News, open_mailbox, run_with_mail
from tgap.errors import WorkerError
from tgap.kernels import set_threads
from tgap.methods import parse_config
from tgap.training.events import Listener
from tgap.training.interruption import Interruption
from tgap.tuning.report import write_found
from tgap.tuning.session import Limits, Watcher, tune
from tgap.tuning.space import Space
from tgap.tuning.study import StudyFolder


def tune_on_ray(
    ray: Any,
    folder: StudyFolder,
    base: RunConfig,
    space: Space,
    limits: Limits,
    *,
    workers: int,
    threads: int,
    watcher: Watcher,
    interruption: Interruption,
) -> None:
    """Search with ``workers`` seats until a limit, a signal or the end of the space."""
    from ray.tune import FailureConfig, Tuner, with_resources  # noqa: PLC0415  an extra
    from ray.tune import RunConfig as TuneRunConfig  # noqa: PLC0415

    mailbox, place = open_mailbox(ray), folder.path.resolve()
    place.mkdir(parents=True, exist_ok=True)
    notes, name = place / ".ray", uuid.uuid4().hex
    given = {"folder": str(place), "base": base.to_toml(), "space": space, "limits": limits, "mailbox": mailbox}

    def take_seat(_seat: dict[str, Any]) -> None:
        _search(threads=threads, **given)

    tuner = Tuner(
        with_resources(take_seat, {"cpu": threads}),
        param_space={},
        tune_config=_seats(workers),
        run_config=TuneRunConfig(
            name=name, storage_path=str(notes), verbose=0, failure_config=FailureConfig(max_failures=RESTARTS)
        ),
    )
    try:
        results = run_with_mail(ray, mailbox, watcher, interruption, tuner.fit)
    finally:
        shutil.rmtree(notes, ignore_errors=True)
    if results.num_errors:
        reason = " ".join(str(results.errors[0]).split())[-200:]
        raise WorkerError(f"a seat of the search failed ({reason}); the same command goes on from here")


def _seats(count: int) -> Any:
    from ray.tune import TuneConfig  # noqa: PLC0415

    return TuneConfig(num_samples=count, max_concurrent_trials=count)


def _search(*, folder: str, base: str, space: Space, limits: Limits, mailbox: Any, threads: int) -> None:
    """What a seat does, on whatever machine it stands."""
    import ray  # noqa: PLC0415

    set_threads(threads, whole_process=True)
    config, place = parse_config(base), StudyFolder(Path(folder))
    tune(
        place,
        config,
        space,
        load_dataset(config.dataset),
        limits,
        _MailedWatcher(mailbox),
        MailedInterruption(ray, mailbox),
        after_trial=lambda study: write_found(place, config, space, study),
    )


class _MailedWatcher:
    """Sends on how the search goes; steps of a trial stay where they are."""

    def __init__(self, mailbox: Any) -> None:
        self._mailbox = mailbox

    def begun(self, number: int, values: dict[str, Any]) -> Listener:
        """Send it."""
        self._mailbox.put.remote(News("begun", (number, values)))
        return Listener()

    def ended(self, number: int, state: str, result: float | None) -> None:
        """Send it."""
        self._mailbox.put.remote(News("ended", (number, state, result)))

    def waiting(self) -> None:
        """Not worth a word: others are at work."""
