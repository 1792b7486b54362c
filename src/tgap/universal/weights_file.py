"""The shipped weights: one safetensors file per task, half precision on disk, inside the package."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

import torch
from safetensors.torch import load, save_file

from tgap.errors import ConfigError
from tgap.graph.task import TASKS
from tgap.universal.model import UniversalModel


@cache
def shipped_model(task: str) -> UniversalModel:
    """The model of a task, read once per process. It is shared: nobody may train it."""
    if task not in TASKS:
        raise ConfigError(f"unknown task {task!r}; expected one of {', '.join(TASKS)}")
    content = files("tgap.universal").joinpath("weights", f"{task}.safetensors").read_bytes()
    model = UniversalModel()
    model.load_state_dict({name: tensor.float() for name, tensor in load(content).items()})
    return model.eval().requires_grad_(False)


def write_weights(model: UniversalModel, path: Path) -> None:
    """Write a model's weights in the form in which they are shipped."""
    tensors = {name: tensor.detach().to(torch.float16).contiguous() for name, tensor in model.state_dict().items()}
    save_file(tensors, path)
