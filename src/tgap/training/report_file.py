"""report.json and the last lines of environment.json: where training stands, after every validation and at the end."""

from __future__ import annotations

from typing import Any

from tgap.runs.environment import peak_memory_megabytes
from tgap.runs.files import write_json
from tgap.runs.folder import RunFolder
from tgap.training.events import Listener, Progress, Stopped, Validated


class ReportFile(Listener):
    """Keeps the report of a run up to date."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._report: dict[str, Any] = folder.report()

    def on_validation(self, event: Validated) -> None:
        """Note the metrics of the newest and of the best weights."""
        metrics = {"epochs": event.at.epochs, "step": event.at.step, **event.validation}
        self._report["last"] = {**metrics, "loss": event.loss, **event.metrics}
        if event.improved:
            self._report["validation"] = metrics
        self._write("running", event.at)

    def on_stop(self, event: Stopped) -> None:
        """Note why training ended."""
        self._write(event.reason, event.at)

    def _write(self, status: str, at: Progress) -> None:
        seconds = round(at.seconds, 1)
        standing = {"status": status, "epochs": at.epochs, "steps": at.step, "seconds": seconds}
        self._report = {**standing, **{key: value for key, value in self._report.items() if key not in standing}}
        write_json(self._folder.report_file, self._report)
        self._folder.update_environment(seconds=seconds, peak_memory_megabytes=self._peak())

    def _peak(self) -> float | None:
        """The most memory that any process of this run has held."""
        known = [self._folder.environment().get("peak_memory_megabytes"), peak_memory_megabytes()]
        return max((peak for peak in known if peak is not None), default=None)
