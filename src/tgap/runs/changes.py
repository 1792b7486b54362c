"""What differs between two sets of settings, by dotted name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tgap.config import RunConfig


def changed_settings(before: RunConfig, after: RunConfig) -> dict[str, list[Any]]:
    """Dotted name -> [old value, new value] of every setting that differs."""
    old, new = _flat(before.to_dict()), _flat(after.to_dict())
    return {key: [value, new[key]] for key, value in old.items() if new[key] != value}


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return flat
