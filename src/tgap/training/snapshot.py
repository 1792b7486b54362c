"""All tensors that training needs to go on exactly: weights, Adam's moments, the weight average, torch's generator.

Batches and samples need no saved generator: they are functions of (seed, epoch). Torch's own is kept so that a model
which draws from it resumes exactly as well.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from tgap.errors import RunError
from tgap.runs.files import Tensors
from tgap.training.average import WeightAverage

_ADAM = {"moment1": "exp_avg", "moment2": "exp_avg_sq", "count": "step"}
_GENERATOR = "generator/torch"


def take_snapshot(model: torch.nn.Module, optimiser: torch.optim.Adam, average: WeightAverage | None) -> Tensors:
    """Name -> tensor for everything; the tensors are the live ones, so write them before the next step."""
    tensors = {f"weights/{name}": tensor for name, tensor in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        kept = optimiser.state.get(parameter, {})  # empty for a parameter that never had a gradient
        tensors |= {f"{ours}/{name}": kept[adams] for ours, adams in _ADAM.items() if adams in kept}
    if average is not None:
        tensors |= {f"average/{name}": tensor for name, tensor in average.tensors.items()}
        tensors["average_count"] = torch.tensor(average.count)
    tensors[_GENERATOR] = torch.get_rng_state()
    return tensors


def restore_snapshot(
    tensors: Mapping[str, torch.Tensor],
    model: torch.nn.Module,
    optimiser: torch.optim.Adam,
    average: WeightAverage | None,
) -> None:
    """Put a snapshot back; one that does not fit the model is a RunError."""
    try:
        model.load_state_dict(_part(tensors, "weights"))
    except RuntimeError as error:
        raise RunError(f"the checkpoint does not fit the model of config.toml: {_one_line(error)}") from error
    parts = {adams: _part(tensors, ours) for ours, adams in _ADAM.items()}
    for name, parameter in model.named_parameters():
        kept = {adams: part[name] for adams, part in parts.items() if name in part}
        if kept:
            optimiser.state[parameter] = kept
    if average is not None:
        average.restore(_part(tensors, "average"), int(tensors["average_count"]))
    torch.set_rng_state(tensors[_GENERATOR])


def _part(tensors: Mapping[str, torch.Tensor], name: str) -> Tensors:
    prefix = f"{name}/"
    return {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}


def _one_line(error: RuntimeError) -> str:
    return " ".join(str(error).split())
