"""From a run folder to something that answers queries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tgap.config import RunConfig
from tgap.data import Dataset, load_dataset
from tgap.errors import RunError
from tgap.graph import TemporalGraph
from tgap.runs.files import read_tensors
from tgap.runs.folder import TGAP_SCORER, RunFolder, find_run
from tgap.scorer import Scorer

if TYPE_CHECKING:
    from tgap.model.tgap import TGAP


@dataclass(frozen=True)
class LoadedRun:
    """A run ready to answer: ``metrics`` is its report (best validation figures, seconds, and so on)."""

    scorer: Scorer
    dataset: Dataset
    config: RunConfig
    metrics: dict[str, Any]
    folder: Path


def load_scorer(path_or_name: str | Path) -> LoadedRun:
    """Scorer and dataset of a run folder, or of a shipped run by its name (``icews14``).

    The dataset is loaded by name and must have the checksum that the run was made with.
    """
    folder = find_run(path_or_name)
    config = folder.config()
    dataset = load_dataset(config.dataset)
    folder.check_dataset(dataset)
    scorer: Scorer
    if config.scorer == TGAP_SCORER:
        from tgap.model.scorer import TGAPScorer  # noqa: PLC0415  a baseline needs no compiled kernels

        model = build_model(config, dataset, build_graph(dataset))
        load_weights(model, folder)
        model.eval()
        scorer = TGAPScorer(model, config.evaluation)
    else:
        from tgap.baselines import build_baseline  # noqa: PLC0415

        scorer = build_baseline(config.scorer, dataset)
    return LoadedRun(scorer, dataset, config, folder.report(), folder.path)


def build_graph(dataset: Dataset) -> TemporalGraph:
    """Build the graph that is walked: the training facts of a dataset."""
    train = dataset.train
    return TemporalGraph.build(
        dataset.num_entities, dataset.num_relations, train.subject, train.relation, train.object, train.time
    )


def build_model(config: RunConfig, dataset: Dataset, graph: TemporalGraph) -> TGAP:
    """Build the model of a run with its initial weights, a function of the config's seed alone."""
    from tgap.model.tgap import TGAP  # noqa: PLC0415

    return TGAP(config.model, graph, dataset.timeline.span, config.training.seed)


def load_weights(model: torch.nn.Module, folder: RunFolder) -> None:
    """Put the best weights of a run into its model."""
    if not folder.weights_file.exists():
        raise RunError(f"{folder.path} has no weights yet; train on with: tgap train --resume {folder.path}")
    tensors, _ = read_tensors(folder.weights_file)
    wanted = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if wanted != found:
        differing = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
        raise RunError(
            f"{folder.weights_file} does not fit its config.toml: {', '.join(differing[:5])} differ; "
            f"the folder holds files of two runs, or was made by another version of tgap"
        )
    model.load_state_dict(tensors)
