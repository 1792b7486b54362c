"""A real run folder for tests: a small untrained model of the synthetic world, saved as training saves it."""

from __future__ import annotations

from pathlib import Path

from tgap.config import RunConfig
from tgap.data import load_dataset
from tgap.runs import build_graph, build_model, create_run
from tgap.runs.files import write_tensors

SETTINGS = {
    "dataset": "world",
    "model.dimension": "8",
    "model.heads": "2",
    "model.core_nodes": "4",
    "model.sampled_edges": "20",
    "model.added_edges": "20",
}


def make_run(path: Path, **settings: str) -> Path:
    """A run on the world with initial weights; ``settings`` change the config by dotted key with _ for the dot."""
    values = {**SETTINGS, **{name.replace("__", "."): value for name, value in settings.items()}}
    config = RunConfig().with_values(values)
    dataset = load_dataset("world")
    folder = create_run(path, config, dataset)
    if config.scorer == "tgap":
        model = build_model(config, dataset, build_graph(dataset))
        write_tensors(folder.weights_file, model.state_dict(), {})
    return path
