"""From a run folder to something that answers queries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tgap.capabilities import capabilities_of, require_transfer
from tgap.config import RunConfig
from tgap.data import Dataset, dataset_reference, load_dataset
from tgap.errors import ConfigError, Option, RunError
from tgap.evaluation.calibration import Calibration
from tgap.learner import DEFAULT_TASK
from tgap.methods import config_for, find_method, make_learner, make_scorer, needs_dataset, untrained
from tgap.runs.files import read_tensors
from tgap.runs.folder import RunFolder, find_run
from tgap.scorer import Scorer


class TransferWarning(UserWarning):
    """A model answers about a dataset that it was not trained on; the message tells what it knows of it."""


@dataclass(frozen=True)
class LoadedRun:
    """A run ready to answer."""

    scorer: Scorer
    dataset: Dataset
    config: RunConfig
    report: dict[str, Any]  # best validation metrics, seconds, and so on; elsewhere only ``trained_on``
    folder: Path | None  # None: a method without training, which was named together with a dataset
    calibration: Calibration | None = None  # how often answers of a probability were right, if that was measured


def load_scorer(
    path_or_name: str | Path,
    changes: Mapping[str, Any] | None = None,
    dataset: str | None = None,
    task: str | None = None,
) -> LoadedRun:
    """Scorer and dataset of whatever answers: a run folder, or a shipped run by its name (``icews14``).

    The dataset is the run's own copy or is loaded by name, and must have the checksum that the run was made with. What
    was appended to it since is known as context, without training, to methods that read the graph.
    ``changes`` sets other values by dotted name, of those that fit the same weights. With ``dataset`` a method that
    needs no training answers too (``recency``, for ``task``), or a class of one's own (``package.module:Class``), and a
    T-GAP that was trained on another dataset with relations of the same names.
    """
    name = str(path_or_name)
    if needs_dataset(name):
        if dataset is None:
            raise ConfigError(
                f"{name} is a method, not a run, and needs a dataset; add ", Option("dataset"), ", icews14 say"
            )
        config = config_for(name, dataset, task=task or DEFAULT_TASK).with_values(changes or {})
        data = load_dataset(dataset)
        return LoadedRun(make_scorer(config, data), data, config, {}, None)
    loaded = _load_run(path_or_name, changes or {})
    own = loaded.config
    if task is not None and task != own.task:
        raise ConfigError(Option("task"), f" {task} does not fit: the run {name} was made for {own.task}; leave it out")
    if dataset is not None and own.dataset not in (dataset, dataset_reference(dataset)):
        return _elsewhere(loaded, name, dataset)
    return loaded


def _elsewhere(loaded: LoadedRun, name: str, dataset: str) -> LoadedRun:
    """A run on another dataset than its own, as far as its method goes."""
    transfers = require_transfer(loaded.scorer, loaded.dataset)
    other = load_dataset(dataset)
    scorer = transfers.transferred(loaded.dataset, other)
    pairs = (loaded.dataset.relations, other.relations), (loaded.dataset.entities, other.entities)
    relations, entities = (sum(found is not None for found in own.ids(theirs)) for own, theirs in pairs)
    warnings.warn(
        f"{name} was trained on {loaded.dataset.name}, not on {other.name}: it knows {relations:,} of its "
        f"{other.num_relations:,} relations and {entities:,} of its {other.num_entities:,} entities by name",
        TransferWarning,
        stacklevel=3,
    )
    config = loaded.config.model_copy(update={"dataset": dataset_reference(dataset)})
    return LoadedRun(scorer, other, config, {"trained_on": loaded.config.dataset}, loaded.folder)


def _load_run(path_or_name: str | Path, changes: Mapping[str, Any]) -> LoadedRun:
    try:
        folder = find_run(path_or_name)
    except RunError as error:
        if Path(path_or_name).exists():
            raise
        methods = f"a method without training ({', '.join(untrained())}) or package.module:Class with "
        raise RunError(error.message, ", or ", methods, Option("dataset")) from error
    own = folder.config()
    config = adjust(own, changes, folder.path)
    dataset = folder.dataset(config)
    scorer = _scorer(folder, config, dataset.base)
    scorer, dataset = with_appended(scorer, dataset)
    changed = own.changes(config) or len(dataset.context)  # other settings or facts give other probabilities
    calibration = None if changed else folder.calibration()
    return LoadedRun(scorer, dataset, config, folder.report(), folder.path, calibration)


def with_appended(scorer: Scorer, dataset: Dataset) -> tuple[Scorer, Dataset]:
    """A scorer that was made from ``dataset.base``, with the facts that were appended since, and what it answers about.

    A method that reads the graph knows them without training; one that answers from its weights alone cannot.
    """
    if not len(dataset.context):
        return scorer, dataset
    reader = capabilities_of(scorer).reads_graph
    if reader is not None:
        return reader.with_context(dataset, reader.setting), dataset
    return scorer, dataset.base


def adjust(config: RunConfig, changes: Mapping[str, Any], source: Path) -> RunConfig:
    """Config with other values; one that belongs to how the weights were made is refused."""
    after = config.with_values(changes)
    adjustable = [f"model.{name}" for name in find_method(config.method).adjustable]
    for key, (old, _) in config.changes(after).items():
        if key not in adjustable and not key.startswith("evaluation."):
            raise ConfigError(
                f"{key} is {old} in {source} and cannot be changed: it belongs to how the weights were made; "
                f"only {', '.join([*adjustable, 'evaluation.*'])} can, else train again"
            )
    return after


def _scorer(folder: RunFolder, config: RunConfig, dataset: Dataset) -> Scorer:
    if find_method(config.method).learn is None:
        return make_scorer(config, dataset)
    learner = make_learner(config, dataset)
    load_weights(learner.module, folder)
    learner.module.eval()
    return learner.scorer()


def load_weights(module: torch.nn.Module, folder: RunFolder) -> None:
    """Put the best weights of a run into its module."""
    if not folder.weights_file.exists():
        raise RunError(f"{folder.path} has no weights yet; train on with: tgap train --resume {folder.path}")
    tensors, _ = read_tensors(folder.weights_file)
    wanted = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if wanted != found:
        differing = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
        raise RunError(
            f"{folder.weights_file} does not fit its config.toml: {', '.join(differing[:5])} differ; "
            f"the folder holds files of two runs, or was made by another version of tgap"
        )
    module.load_state_dict(tensors)
