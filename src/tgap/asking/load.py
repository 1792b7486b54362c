"""From a run folder, the name of a shipped run or a method without training to a ``Model``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tgap.asking.model import Model
from tgap.runs import load_scorer


def load_model(
    run: str | Path, dataset: str | None = None, *, task: str | None = None, changes: Mapping[str, Any] | None = None
) -> Model:
    """The model of a run; ``changes`` set other values, by dotted name, of settings that fit the same weights.

    With ``dataset`` a method that needs no training answers, too, or a class of one's own (``package.module:Class``),
    and a T-GAP answers about facts that it was not trained on, if it knows their relations by name.
    """
    found = load_scorer(run, changes, dataset, task)
    return Model(
        found.scorer,
        found.dataset,
        config=found.config,
        report=found.report,
        calibration=found.calibration,
        folder=found.folder,
    )
