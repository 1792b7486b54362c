"""A real run folder for tests: a small untrained model of the synthetic world, saved as training saves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tgap.data import load_dataset
from tgap.methods import config_for, find_method, make_learner
from tgap.runs import create_run
from tgap.runs.files import write_tensors

SETTINGS = {
    "model.dimension": 8,
    "model.heads": 2,
    "model.core_nodes": 4,
    "model.sampled_edges": 20,
    "model.added_edges": 20,
}


def make_run(path: Path, method: str = "tgap", **settings: Any) -> Path:
    """A run on the world with initial weights; ``settings`` change the config by dotted key with __ for the dot."""
    changes = {name.replace("__", "."): value for name, value in settings.items()}
    config = config_for(method, "world").with_values({**(SETTINGS if method == "tgap" else {}), **changes})
    dataset = load_dataset("world")
    folder = create_run(path, config, dataset)
    if find_method(method).learn is not None:
        write_tensors(folder.weights_file, make_learner(config, dataset).module.state_dict(), {})
    return path
