"""The same weights under other settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.errors import QueryError


def with_settings(model: Model, changes: Mapping[str, Any]) -> Model:
    """The model of the same run with other values, by dotted name, of settings that fit the same weights."""
    if model.folder is None or model.config is None:
        raise QueryError(f"{model!r} has no run folder to be loaded from with other settings; save it first")
    return load_model(model.folder, model.config.dataset, changes=changes).under(model.setting)
