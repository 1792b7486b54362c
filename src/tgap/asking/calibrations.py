"""Calibration of a model's probabilities, kept in its run folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgap.evaluation.calibration import Calibration, calibrate, collect, judge
from tgap.evaluation.reliability import Reliability
from tgap.graph.task import find_task
from tgap.runs.folder import RunFolder

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.asking.operation import Progress
    from tgap.asking.operations.calibrate import CalibrateOptions


@dataclass(frozen=True)
class Judgement:
    """Probabilities of a split as they are, and calibrated."""

    raw: Reliability
    calibrated: Reliability


@dataclass(frozen=True)
class CalibrationResult:
    """What was found on validation, and what is left of the error on the test split."""

    dataset: str
    calibration: Calibration
    test: Judgement | None
    kept: Path | None  # the file in the run folder

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        return {**self.calibration.to_dict(), **({} if self.test is None else {"test": asdict(self.test)})}

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def draw(self, file_format: str = "png") -> bytes:
        """The reliability curve as the bytes of a PNG, SVG or PDF file."""
        from tgap.drawing.calibration_figure import calibration_figure  # noqa: PLC0415  only for those who draw
        from tgap.drawing.rendering import render  # noqa: PLC0415

        found = self.calibration
        title = f"{self.dataset}: {found.answers:,} answers ({found.split})"
        return render(calibration_figure(title, found), file_format)


def calibrate_model(model: Model, options: CalibrateOptions, progress: Progress | None = None) -> CalibrationResult:
    """Measure on validation, keep it in the run folder, and judge it by the test split if that is wanted."""
    limit, seed = options.limit, options.seed
    found = calibrate(model.scorer, model.dataset, limit=limit, seed=seed, progress=progress)
    test = None
    if options.test:
        answers = collect(model.scorer, model.dataset, "test", limit=limit, seed=seed, progress=progress)
        test = Judgement(*judge(found, answers))
    return CalibrationResult(model.dataset.name, found, test, _keep(model, found))


def _keep(model: Model, found: Calibration) -> Path | None:
    """Write it to the run folder of a model that answers as its run does; other settings give other probabilities."""
    if model.folder is None or model.config is None:
        return None
    folder = RunFolder(model.folder)
    if model.config != folder.config() or model.setting != find_task(model.config.task).setting:
        return None
    folder.write_calibration(found)
    return folder.calibration_file
