"""The scalars of metrics.jsonl as TensorBoard events: ``tensorboard --logdir RUN/tensorboard``.

Events are written by this thread. tensorboardX's SummaryWriter has a queue and a thread of its own, which on a full
disk dies and leaves the next write waiting for ever.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tgap.runs.files import writing
from tgap.training.events import Listener, Measured, Started, Validated

if TYPE_CHECKING:
    from tensorboardX.event_file_writer import EventsWriter


class TensorBoard(Listener):
    """One event file for each time training starts or goes on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: EventsWriter | None = None

    def on_start(self, event: Started) -> None:
        """Open an event file that replaces what earlier ones say about later steps."""
        from tensorboardX.event_file_writer import EventsWriter  # noqa: PLC0415  only where it is used
        from tensorboardX.proto.event_pb2 import Event, SessionLog  # noqa: PLC0415

        with writing(self._folder):
            self._folder.mkdir(exist_ok=True)
            self._writer = EventsWriter(str(self._folder / "events"), f".step{event.at.step}")
            start = SessionLog(status=SessionLog.START)
            self._writer.write_event(Event(wall_time=time.time(), step=event.at.step + 1, session_log=start))
            self._writer.flush()

    def on_measure(self, event: Measured) -> None:
        """Write the means of the last steps."""
        scalars = {
            "train/loss": event.loss,
            "train/rate": event.rate,
            "train/gradient_norm": event.gradient_norm,
            "train/queries_per_second": event.queries_per_second,
            **{f"train/{name}": value for name, value in event.metrics.items()},
        }
        self._write(scalars, event.at.step)

    def on_validation(self, event: Validated) -> None:
        """Write the metrics of all protocols."""
        scalars = {f"{rule}/{name}": value for rule, part in event.validation.items() for name, value in part.items()}
        self._write({f"valid_{tag}": value for tag, value in scalars.items()}, event.at.step)

    def close(self) -> None:
        """Close the event file."""
        if self._writer is not None:
            with writing(self._folder):
                self._writer.close()

    def _write(self, scalars: Mapping[str, float], step: int) -> None:
        from tensorboardX.proto.event_pb2 import Event  # noqa: PLC0415
        from tensorboardX.proto.summary_pb2 import Summary  # noqa: PLC0415

        assert self._writer is not None, "scalars before the start"
        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in scalars.items()]
        with writing(self._folder):
            self._writer.write_event(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))
            self._writer.flush()
