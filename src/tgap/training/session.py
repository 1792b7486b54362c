"""Training from settings to a trained model: puts learner, checkpoints, validation and listeners together.

``train`` needs no folder: a notebook or a search over settings gets the trained model back in memory. With a folder,
what is kept there (checkpoints, best weights, metrics, report, curve, TensorBoard) is written by listeners, and a
second call goes on where the folder stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tgap.config import RunConfig
from tgap.data import Dataset
from tgap.errors import RunError, TrainingError
from tgap.evaluation import Filters, evaluate
from tgap.learner import Learner
from tgap.methods import find_method, make_learner, make_scorer
from tgap.runs.files import write_json
from tgap.runs.folder import RunFolder, find_run
from tgap.runs.load import load_weights
from tgap.scorer import Scorer
from tgap.training.checkpoint import CHANGEABLE_NAMES, CheckpointStore
from tgap.training.curve import Curve
from tgap.training.events import Listener, StopReason
from tgap.training.interruption import Interruption
from tgap.training.loop import Trainer, Validate
from tgap.training.metrics_file import MetricsFile
from tgap.training.report_file import ReportFile
from tgap.training.state import ProtocolMetrics
from tgap.training.tensorboard import TensorBoard
from tgap.training.weights_file import BestWeights, WeightsFile
from tgap.training.workers import ALONE, Workers


@dataclass(frozen=True)
class Trained:
    """What training leaves in memory: why it stopped, and the learner with the best weights so far."""

    reason: StopReason
    learner: Learner
    best: ProtocolMetrics | None  # validation metrics of those weights


def train(
    config: RunConfig,
    dataset: Dataset,
    *,
    folder: RunFolder | None = None,
    listeners: Sequence[Listener] = (),
    interruption: Interruption | None = None,
) -> Trained:
    """Train a config's method on a dataset, from where ``folder`` stands if one is given (it is locked meanwhile)."""
    with folder.locked() if folder is not None else nullcontext():
        return train_learner(
            make_learner(config, dataset.base),
            config,
            dataset,
            folder=folder,
            listeners=listeners,
            interruption=interruption,
        )


def train_learner(
    learner: Learner,
    config: RunConfig,
    dataset: Dataset,
    *,
    folder: RunFolder | None = None,
    listeners: Sequence[Listener] = (),
    interruption: Interruption | None = None,
    workers: Workers = ALONE,
) -> Trained:
    """``train`` for a learner that is there already. What was appended to the dataset is not learned from.

    With ``workers`` this is the process of rank 0; the others call ``help_training`` with equal learners.
    """
    dataset = dataset.base
    for split in ("train", "valid"):
        if not len(dataset.splits[split]):
            raise TrainingError(f"the {split} split of {dataset.name} is empty; training needs facts in it")
    best = BestWeights()
    trainer = Trainer(
        learner,
        config.training,
        validation(dataset, config, learner.scorer),
        store=None if folder is None else CheckpointStore(folder.checkpoints, config),
        listeners=[best, *listeners] if folder is None else [*_folder_listeners(folder), *listeners],
        interruption=interruption,
        workers=workers,
    )
    reason = trainer.run()
    if folder is None:
        best.apply(learner.module)
    elif folder.weights_file.exists():
        load_weights(learner.module, folder)
    learner.module.eval()
    return Trained(reason, learner, trainer.state.best)


def help_training(learner: Learner, config: RunConfig, workers: Workers) -> None:
    """What processes of other ranks than 0 do: the same steps, without validation, files and listeners."""

    def validate(_progress: Callable[[int, int], None]) -> ProtocolMetrics:
        raise AssertionError("only rank 0 validates")

    Trainer(learner, config.training, validate, workers=workers).run()


def _folder_listeners(folder: RunFolder) -> list[Listener]:
    """What keeps a run folder up to date; the curve is drawn from the metrics file, so it comes after it."""
    return [
        WeightsFile(folder),
        MetricsFile(folder),
        TensorBoard(folder.tensorboard),
        ReportFile(folder),
        Curve(folder),
    ]


def validation(dataset: Dataset, config: RunConfig, scorer: Callable[[], Scorer]) -> Validate:
    """Scores the validation split, or the same random part of it every time."""
    filters = Filters.of(dataset)

    def validate(progress: Callable[[int, int], None]) -> ProtocolMetrics:
        report = evaluate(
            scorer(),
            dataset,
            "valid",
            batch_size=config.evaluation.batch_size,
            limit=config.training.validation_queries or None,
            filters=filters,
            progress=progress,
        ).report
        return {protocol: asdict(report.of(protocol)) for protocol in report.protocols}

    return validate


def record_untrained(
    folder: RunFolder, config: RunConfig, dataset: Dataset, progress: Callable[[int, int], None]
) -> ProtocolMetrics:
    """Make the run of a method that needs no training: validate it and write the report."""
    metrics = validation(dataset, config, lambda: make_scorer(config, dataset))(progress)
    write_json(folder.report_file, {"status": "finished", "validation": metrics})
    return metrics


class ReopenedRun(NamedTuple):
    """A run that is going to be resumed; the lock is held."""

    folder: RunFolder
    config: RunConfig
    dataset: Dataset
    changed: dict[str, list[Any]]  # dotted name -> [old value, new value]


@contextmanager
def reopen_run(path: str | Path, changes: Mapping[str, Any]) -> Iterator[ReopenedRun]:
    """Lock a run that is to be resumed and write changed settings to its config; the lock lasts as long as the block.

    Inside it call ``train`` with the run's folder.
    """
    folder = find_run(path)
    with folder.locked():
        config = folder.config()
        if find_method(config.method).learn is None:
            raise RunError(
                f"{folder.path} is a run of {config.method}, and {config.method} needs no training; "
                f"evaluate it with: tgap evaluate {folder.path}"
            )
        if folder.weights_file.exists() and not folder.checkpoints.is_dir():
            raise RunError(f"{folder.path} holds finished weights and no checkpoints; there is nothing to resume")
        after = resumed_config(folder, config, changes)
        dataset = folder.dataset(after)
        changed = config.changes(after)
        if changed:
            folder.write_config(after)
        yield ReopenedRun(folder, after, dataset, changed)


def resumed_config(folder: RunFolder, config: RunConfig, changes: Mapping[str, Any]) -> RunConfig:
    """Settings of a run with changes; one that would make it another run is refused."""
    after = config.with_values(changes)
    for key, (old, new) in config.changes(after).items():
        if key not in (*CHANGEABLE_NAMES, "dataset"):  # another place of the same dataset; its checksum is compared
            raise RunError(
                f"{key} is {old} in {folder.path} and cannot become {new} in the middle of a run; "
                f"only {', '.join(CHANGEABLE_NAMES)} may change, else train again into a new folder"
            )
    return after
