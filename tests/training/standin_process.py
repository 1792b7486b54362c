"""Trains a stand-in as a process of its own: ``python standin_process.py RUN``. Goes on where the run stands."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import torch

from tests.training.standin import blank_curve, new_run, train_standin
from tgap.runs.folder import RunFolder
from tgap.training import curve
from tgap.training.events import Listener, Stepped
from tgap.training.interruption import Interruption


class Announce(Listener):
    """Tells every step, slowly enough for somebody to interfere."""

    def on_step(self, event: Stepped) -> None:
        sys.stdout.write(f"{event.at.step}\n")
        sys.stdout.flush()
        time.sleep(0.005)


def main(path: Path) -> None:
    torch.set_num_threads(1)
    curve.draw_curve = blank_curve
    settings: dict[str, Any] = {"epochs": 4.0, "checkpoint_minutes": 0.001, "validate_every": 0.5}
    folder = RunFolder(path) if path.exists() else new_run(path, **settings)
    interruption = Interruption()
    with interruption.on_signals():
        reason = train_standin(folder, listeners=[Announce()], interruption=interruption)
    sys.stdout.write(f"{reason}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
