"""Training a run folder: puts dataset, graph, model, checkpoints, validation and listeners together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch

from tgap.config import RunConfig
from tgap.data import Dataset, load_dataset
from tgap.errors import RunError, TrainingError
from tgap.evaluation import PROTOCOLS, Filters, evaluate
from tgap.graph import TemporalGraph
from tgap.runs.changes import changed_settings
from tgap.runs.files import write_json, write_tensors
from tgap.runs.folder import TGAP_SCORER, RunFolder, find_run
from tgap.runs.load import build_graph, build_model
from tgap.scorer import Scorer
from tgap.training.batches import TrainingQueries
from tgap.training.checkpoint import CHANGEABLE_NAMES, CheckpointStore
from tgap.training.curve import Curve
from tgap.training.events import Listener, StopReason
from tgap.training.interruption import Interruption
from tgap.training.loop import LossFunction, Trainer, Validate
from tgap.training.metrics_file import MetricsFile
from tgap.training.report_file import ReportFile
from tgap.training.state import Figures, TrainingState
from tgap.training.tensorboard import TensorBoard


def train_run(
    folder: RunFolder,
    dataset: Dataset,
    *,
    listeners: Sequence[Listener] = (),
    interruption: Interruption | None = None,
    locked: bool = False,
) -> StopReason:
    """Train the T-GAP run in ``folder`` from where it stands.

    The run is locked meanwhile; ``locked`` says that the caller holds the lock already, as inside ``reopen_run``.
    """
    from tgap.model.scorer import TGAPScorer  # noqa: PLC0415  compiled kernels, only where they are used

    with nullcontext() if locked else folder.locked():
        config = folder.config()
        _require_trainable(folder, config)
        graph = build_graph(dataset)
        model = build_model(config, dataset, graph)
        return train_module(
            folder,
            dataset,
            graph,
            model,
            model.loss,
            lambda: TGAPScorer(model, config.evaluation),
            listeners=listeners,
            interruption=interruption,
        )


def train_module(
    folder: RunFolder,
    dataset: Dataset,
    graph: TemporalGraph,
    model: torch.nn.Module,
    loss: LossFunction,
    scorer: Callable[[], Scorer],
    *,
    listeners: Sequence[Listener] = (),
    interruption: Interruption | None = None,
) -> StopReason:
    """Train any module that has a loss; ``scorer`` makes the scorer that validation asks, from the current weights.

    The caller holds the run's lock.
    """
    config = folder.config()
    for split in ("train", "valid"):
        if not len(dataset.splits[split]):
            raise TrainingError(f"the {split} split of {dataset.name} is empty; training needs facts in it")

    def keep_best(tensors: Mapping[str, torch.Tensor], state: TrainingState) -> None:
        write_tensors(folder.weights_file, tensors, {"step": str(state.step), "epochs": str(state.best_epochs)})

    trainer = Trainer(
        model=model,
        loss=loss,
        queries=TrainingQueries.of(dataset.train, graph, config.training),
        config=config.training,
        store=CheckpointStore(folder.checkpoints, config),
        validate=validation(dataset, config, scorer),
        keep_best=keep_best,
        listeners=[
            MetricsFile(folder),
            TensorBoard(folder.tensorboard),
            ReportFile(folder),
            Curve(folder),
            *listeners,
        ],
        interruption=interruption,
    )
    return trainer.run()


def validation(dataset: Dataset, config: RunConfig, scorer: Callable[[], Scorer]) -> Validate:
    """Scores the validation split, or the same random part of it every time."""
    filters = Filters.of(dataset)

    def validate(progress: Callable[[int, int], None]) -> Figures:
        report = evaluate(
            scorer(),
            dataset,
            "valid",
            batch_size=config.evaluation.batch_size,
            limit=config.training.validation_queries or None,
            filters=filters,
            progress=progress,
        ).report
        return {protocol: asdict(report.of(protocol)) for protocol in PROTOCOLS}

    return validate


def record_baseline(folder: RunFolder, dataset: Dataset, progress: Callable[[int, int], None]) -> Figures:
    """Make the run of a scorer that needs no training: validate it and write the report."""
    from tgap.baselines import build_baseline  # noqa: PLC0415

    config = folder.config()
    figures = validation(dataset, config, lambda: build_baseline(config.scorer, dataset))(progress)
    write_json(folder.report_file, {"status": "finished", "validation": figures})
    return figures


class ReopenedRun(NamedTuple):
    """A run that is going to be resumed; the lock is held."""

    folder: RunFolder
    dataset: Dataset
    changed: dict[str, list[Any]]  # dotted name -> [old value, new value]


@contextmanager
def reopen_run(path: str | Path, changes: Mapping[str, str]) -> Iterator[ReopenedRun]:
    """Lock a run that is to be resumed and write changed settings to its config; the lock lasts as long as the block.

    Inside it call ``train_run`` with ``locked=True``.
    """
    folder = find_run(path)
    with folder.locked():
        config = folder.config()
        _require_trainable(folder, config)
        if folder.weights_file.exists() and not folder.checkpoints.is_dir():
            raise RunError(f"{folder.path} holds finished weights and no checkpoints; there is nothing to resume")
        after = resumed_config(folder, changes)
        dataset = load_dataset(after.dataset)
        folder.check_dataset(dataset)
        changed = changed_settings(config, after)
        if changed:
            folder.write_config(after)
        yield ReopenedRun(folder, dataset, changed)


def _require_trainable(folder: RunFolder, config: RunConfig) -> None:
    if config.scorer != TGAP_SCORER:
        raise RunError(
            f"{folder.path} is a run of {config.scorer}, and {config.scorer} needs no training; "
            f"evaluate it with: tgap evaluate {folder.path}"
        )


def resumed_config(folder: RunFolder, changes: Mapping[str, str]) -> RunConfig:
    """Settings of a run with changes; one that would make it another run is refused."""
    config = folder.config()
    after = config.with_values(changes)
    for key, (old, new) in changed_settings(config, after).items():
        if key not in (*CHANGEABLE_NAMES, "dataset"):  # another place of the same dataset; its checksum is compared
            raise RunError(
                f"{key} is {old} in {folder.path} and cannot become {new} in the middle of a run; "
                f"only {', '.join(CHANGEABLE_NAMES)} may change, else train again with a new --out"
            )
    return after
