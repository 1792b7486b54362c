"""Training a run folder: puts dataset, graph, model, checkpoints, validation and listeners together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from tgap.config import RunConfig
from tgap.data import Dataset, load_dataset
from tgap.errors import RunError, TrainingError
from tgap.evaluation import PROTOCOLS, Filters, evaluate
from tgap.graph import TemporalGraph, Visibility
from tgap.runs.files import write_json, write_tensors
from tgap.runs.folder import RunFolder, find_run
from tgap.runs.load import build_graph, build_model
from tgap.scorer import Scorer
from tgap.training.batches import TrainingQueries
from tgap.training.checkpoint import CheckpointStore
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
) -> StopReason:
    """Train the T-GAP run in ``folder`` from where it stands."""
    from tgap.model.scorer import TGAPScorer  # noqa: PLC0415  compiled kernels, only where they are used

    config = folder.config()
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
    """Train any module that has a loss; ``scorer`` makes the scorer that validation asks, from the current weights."""
    config = folder.config()
    for split in ("train", "valid"):
        if not dataset.splits[split].count:
            raise TrainingError(f"the {split} split of {dataset.name} is empty; training needs facts in it")

    def keep_best(tensors: Mapping[str, torch.Tensor], state: TrainingState) -> None:
        write_tensors(folder.weights_file, tensors, {"step": str(state.step), "epochs": str(state.best_epochs)})

    with folder.locked():
        trainer = Trainer(
            model=model,
            loss=loss,
            queries=TrainingQueries.of(dataset.train, graph, config.training),
            visibility=Visibility(graph),
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
        return {protocol: asdict(getattr(report, protocol)) for protocol in PROTOCOLS}

    return validate


def record_baseline(folder: RunFolder, dataset: Dataset, progress: Callable[[int, int], None]) -> Figures:
    """Make the run of a scorer that needs no training: validate it and write the report."""
    from tgap.baselines import build_baseline  # noqa: PLC0415

    config = folder.config()
    figures = validation(dataset, config, lambda: build_baseline(config.scorer, dataset))(progress)
    write_json(folder.report_file, {"status": "finished", "validation": figures})
    return figures


def reopen_run(path: str | Path, changes: Mapping[str, str]) -> tuple[RunFolder, Dataset]:
    """Find folder and dataset of a run to be resumed, and write changed settings to its config.

    Only settings that say when to stop or save may change; the checkpoint refuses others.
    """
    folder = find_run(path)
    if folder.weights_file.exists() and not folder.checkpoints.is_dir():
        raise RunError(f"{folder.path} holds finished weights and no checkpoints; there is nothing to resume")
    config = folder.config()
    changed = config.with_values(changes)
    dataset = load_dataset(changed.dataset)
    folder.check_dataset(dataset)
    if changed != config:
        CheckpointStore(folder.checkpoints, changed).load()
        folder.write_config(changed)
    return folder, dataset
