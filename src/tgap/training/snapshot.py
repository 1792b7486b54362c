"""All tensors that training needs to go on exactly: weights, optimiser state, the weight average, torch's generator.

weights/NAME               the module's parameters and buffers
optimiser/KEY/NAME         what the optimiser keeps for parameter NAME, whatever optimiser it is
average/NAME               the weight average, if it is on
generator/torch            batches need no saved generator (they are functions of seed and epoch); torch's own is
                           kept so that a module which draws from it resumes exactly as well
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from tgap.errors import RunError
from tgap.runs.files import Tensors
from tgap.training.average import WeightAverage

_GENERATOR = "generator/torch"


def take_snapshot(model: torch.nn.Module, optimiser: torch.optim.Optimizer, average: WeightAverage | None) -> Tensors:
    """Name -> tensor for everything; the tensors are the live ones, so write them before the next step."""
    tensors = {f"weights/{name}": tensor for name, tensor in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        for key, kept in optimiser.state.get(parameter, {}).items():  # empty for one that never had a gradient
            tensors[f"optimiser/{key}/{name}"] = torch.as_tensor(kept)
    if average is not None:
        tensors |= {f"average/{name}": tensor for name, tensor in average.tensors.items()}
        tensors["average_count"] = torch.tensor(average.count)
    tensors[_GENERATOR] = torch.get_rng_state()
    return tensors


def restore_snapshot(
    tensors: Mapping[str, torch.Tensor],
    model: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    average: WeightAverage | None,
) -> None:
    """Put a snapshot back; one that does not fit the model is a RunError."""
    try:
        model.load_state_dict(_part(tensors, "weights"))
    except RuntimeError as error:
        raise RunError(f"the checkpoint does not fit the model of config.toml: {_one_line(error)}") from error
    kept: dict[str, dict[str, torch.Tensor]] = {}
    for path, tensor in _part(tensors, "optimiser").items():
        key, _, name = path.partition("/")
        kept.setdefault(name, {})[key] = tensor
    for name, parameter in model.named_parameters():
        if name in kept:
            optimiser.state[parameter] = kept[name]
    if average is not None:
        average.restore(_part(tensors, "average"), int(tensors["average_count"]))
    torch.set_rng_state(tensors[_GENERATOR])


def _part(tensors: Mapping[str, torch.Tensor], name: str) -> Tensors:
    prefix = f"{name}/"
    return {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}


def _one_line(error: RuntimeError) -> str:
    return " ".join(str(error).split())
