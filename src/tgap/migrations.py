"""Files of version 0.1, read as if they had been written today: configs of runs, and checkpoints of format 2.

Then the method was called ``scorer``, every run carried T-GAP's settings whatever its method, and the settings of
T-GAP's batches stood among those of training. The optimiser was always Adam, its moments had names of their own, and
T-GAP's count of unreachable answers was a field of the state. The digest of a checkpoint covers settings in a form that
is gone, so settings are not compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

FORMAT_OF_0_1 = 2  # of checkpoints
_BATCHES = ("days_per_batch", "hidden_share", "directions", "siblings")
_ADAM = {"moment1": "exp_avg", "moment2": "exp_avg_sq", "count": "step"}


def migrated_config(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings in today's form; those of today's form are given back as they are."""
    if "scorer" not in values:
        return dict(values)
    training = dict(values.get("training", {}))
    batches = {name: training.pop(name) for name in _BATCHES if name in training}
    method = values["scorer"]
    model = {**values.get("model", {}), **batches} if method == "tgap" else {}
    kept = {key: value for key, value in values.items() if key not in ("scorer", "model", "training")}
    return {**kept, "method": method, "model": model, "training": training}


def migrated_state(state: dict[str, Any]) -> dict[str, Any]:
    """The state of a checkpoint with its sums in today's form."""
    return {**state, "window": _tally(state["window"]), "round": _tally(state["round"])}


def _tally(values: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in values.items() if key != "unreachable"}
    return {**kept, "metrics": {"unreachable": values["unreachable"]}}


def migrated_tensors(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint under today's names."""
    renamed = {}
    for path, tensor in tensors.items():
        part, _, name = path.partition("/")
        renamed[f"optimiser/{_ADAM[part]}/{name}" if part in _ADAM else path] = tensor
    return renamed
