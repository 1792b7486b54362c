from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tensorboardX.proto.event_pb2 import Event, SessionLog

from tgap.errors import RunError
from tgap.training.events import Measured, Progress, Started, Validated
from tgap.training.tensorboard import TensorBoard


def at(step: int) -> Progress:
    return Progress(step=step, epochs=step / 10, share=step / 20, seconds=1.0)


def started(step: int) -> Started:
    return Started(at(step), 2.0, 10, 320, False, ())


def events_in(path: Path) -> list[Event]:
    """Events of a file: length, checksum, record, checksum."""
    content, found, place = path.read_bytes(), [], 0
    while place < len(content):
        (length,) = struct.unpack_from("<Q", content, place)
        found.append(Event.FromString(content[place + 12 : place + 12 + length]))
        place += 16 + length
    return found


def test_scalars_are_events_and_a_resumed_run_replaces_later_ones(tmp_path: Path) -> None:
    board = TensorBoard(tmp_path / "tensorboard")
    board.on_start(started(0))
    board.on_measure(Measured(at(5), 2.5, 1e-3, 0.7, {"unreachable": 0.125}, 100.0))
    board.on_validation(Validated(at(10), {"time": {"mrr": 0.25}}, 2.5, {}, 1e-3, True))
    board.close()
    again = TensorBoard(tmp_path / "tensorboard")
    again.on_start(started(5))
    again.close()

    first, second = sorted((tmp_path / "tensorboard").iterdir(), key=lambda path: path.name.rpartition("step")[2])
    scalars = {
        value.tag: (event.step, value.simple_value) for event in events_in(first) for value in event.summary.value
    }
    assert scalars["train/loss"] == (5, 2.5)
    assert scalars["train/unreachable"] == (5, 0.125)
    assert scalars["valid_time/mrr"] == (10, 0.25)
    restart = events_in(second)[-1]
    assert restart.session_log.status == SessionLog.START
    assert restart.step == 6


def test_a_folder_that_cannot_be_written_is_named() -> None:
    with pytest.raises(RunError, match="cannot write /sys/tensorboard"):
        TensorBoard(Path("/sys/tensorboard")).on_start(started(0))
