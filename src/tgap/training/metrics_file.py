"""metrics.jsonl: the course of training, a JSON object a line, of two kinds.

``steps`` lines are means over ``log_steps`` steps, ``validation`` lines hold the metrics of a validation. If training
stops between two lines of steps, those since the last one have a line marked ``partial``. A resumed run first drops
the lines that lie after its checkpoint, because those steps are taken again, and at its first step the partial one.
"""

from __future__ import annotations

import json
from typing import IO, Any

from tgap.runs.files import write_bytes, writing
from tgap.runs.folder import RunFolder
from tgap.training.events import Listener, Measured, Progress, Started, Stepped, Validated


class MetricsFile(Listener):
    """Writes the lines as they come, each at once."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._path = folder.metrics_file
        self._file: IO[str] | None = None
        self._partial = False  # whether there is a line to be dropped when training goes on

    def on_start(self, event: Started) -> None:
        """Drop what is going to be repeated, and open the file."""
        kept = [line for line in self._folder.metrics() if _stands(line, event)]
        self._partial = any(line.get("partial") for line in kept)
        self._open_with(kept)

    def on_step(self, event: Stepped) -> None:  # noqa: ARG002  only that there is one counts
        """Drop the line about fewer steps: they become part of a whole one."""
        if self._partial:
            self._partial = False
            self.close()
            self._open_with([line for line in self._folder.metrics() if not line.get("partial")])

    def on_measure(self, event: Measured) -> None:
        """Add a line about the last steps."""
        self._add(
            "steps",
            event.at,
            {
                "loss": event.loss,
                "rate": event.rate,
                "gradient_norm": event.gradient_norm,
                **event.metrics,
                "queries_per_second": event.queries_per_second,
                **({"partial": True} if event.partial else {}),
            },
        )

    def on_validation(self, event: Validated) -> None:
        """Add a line with the metrics."""
        self._add(
            "validation",
            event.at,
            {
                "validation": event.validation,
                "improved": event.improved,
                "loss": event.loss,
                "rate": event.rate,
                **event.metrics,
            },
        )

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with writing(self._path):
                self._file.close()

    def _open_with(self, lines: list[dict[str, Any]]) -> None:
        with writing(self._path):
            write_bytes(self._path, "".join(f"{json.dumps(line)}\n" for line in lines).encode())
            self._file = self._path.open("a", encoding="utf-8")

    def _add(self, kind: str, at: Progress, values: dict[str, Any]) -> None:
        assert self._file is not None, "metrics before the start"
        line = {"kind": kind, "step": at.step, "epochs": at.epochs, "seconds": round(at.seconds, 3), **values}
        with writing(self._path):
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()


def _stands(line: dict[str, Any], event: Started) -> bool:
    """Whether a line tells of something that the checkpoint has behind it."""
    step: int = line["step"]
    if step == event.at.step and line["kind"] == "validation":
        return event.validated
    return step <= event.at.step
