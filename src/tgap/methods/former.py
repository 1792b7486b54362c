"""Configs of version 0.1, read as if they had been written today.

Then the method was called ``scorer``, every run carried T-GAP's settings whatever its method, and the settings of
T-GAP's batches stood among those of training.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_BATCHES = ("days_per_batch", "hidden_share", "directions", "siblings")


def from_former(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings in today's form; those of today's form are given back as they are."""
    if "scorer" not in values:
        return dict(values)
    training = dict(values.get("training", {}))
    batches = {name: training.pop(name) for name in _BATCHES if name in training}
    method = values["scorer"]
    model = {**values.get("model", {}), **batches} if method == "tgap" else {}
    kept = {key: value for key, value in values.items() if key not in ("scorer", "model", "training")}
    return {**kept, "method": method, "model": model, "training": training}
