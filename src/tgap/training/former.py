"""Checkpoints of version 0.1 (format 2), read as if they had been written today.

Then the optimiser was always Adam, its moments had names of their own, and T-GAP's count of unreachable answers was a
field of the state. Their digest covers settings in a form that is gone, so settings are not compared.
"""

from __future__ import annotations

from typing import Any

from tgap.runs.files import Tensors

FORMER = 2
_ADAM = {"moment1": "exp_avg", "moment2": "exp_avg_sq", "count": "step"}


def former_state(state: dict[str, Any]) -> dict[str, Any]:
    """The state with its sums in today's form."""
    return {**state, "window": _tally(state["window"]), "round": _tally(state["round"])}


def _tally(values: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in values.items() if key != "unreachable"}
    return {**kept, "metrics": {"unreachable": values["unreachable"]}}


def former_tensors(tensors: Tensors) -> Tensors:
    """The tensors under today's names."""
    renamed = {}
    for path, tensor in tensors.items():
        part, _, name = path.partition("/")
        renamed[f"optimiser/{_ADAM[part]}/{name}" if part in _ADAM else path] = tensor
    return renamed
