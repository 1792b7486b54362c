"""The loop with a stand-in model: resuming, stopping, selecting, failing."""

from __future__ import annotations

import itertools
import json
import signal
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.processes import Started as StartedProcess
from tests.training.standin import (
    StandIn,
    StandInLearner,
    assert_same_run,
    config_of,
    new_run,
    small_dataset,
    train_standin,
)
from tgap.data import atomic
from tgap.errors import RunError, TrainingError
from tgap.runs.files import read_tensors
from tgap.runs.folder import RunFolder
from tgap.training.checkpoint import CheckpointStore
from tgap.training.events import Listener, Measured, Saved, Started, Stepped, Stopped, Validated
from tgap.training.interruption import Interruption
from tgap.training.loop import Trainer, Validate
from tgap.training.session import resumed_config
from tgap.training.state import ProtocolMetrics


class Recorder(Listener):
    """Keeps what it hears; may ask for a stop at a step."""

    def __init__(self, interruption: Interruption | None = None, stop_at: int = -1) -> None:
        self.started: list[Started] = []
        self.steps: list[Stepped] = []
        self.measures: list[Measured] = []
        self.validations: list[Validated] = []
        self.saved: list[Saved] = []
        self.stopped: list[Stopped] = []
        self.closed = 0
        self._interruption = interruption
        self._stop_at = stop_at

    def on_start(self, event: Started) -> None:
        self.started.append(event)

    def on_step(self, event: Stepped) -> None:
        self.steps.append(event)
        if self._interruption is not None and event.at.step == self._stop_at:
            self._interruption.request()

    def on_measure(self, event: Measured) -> None:
        self.measures.append(event)

    def on_validation(self, event: Validated) -> None:
        self.validations.append(event)

    def on_checkpoint(self, event: Saved) -> None:
        self.saved.append(event)

    def on_stop(self, event: Stopped) -> None:
        self.stopped.append(event)

    def close(self) -> None:
        self.closed += 1


@pytest.mark.usefixtures("drawn_curve")
def test_a_run_leaves_everything_behind(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    recorder = Recorder()
    assert train_standin(folder, listeners=[recorder]) == "finished"
    assert recorder.steps[-1].at.share == 1.0
    assert [event.at.epochs for event in recorder.validations] == [1.0, 2.0]
    assert recorder.closed == 1
    assert folder.curve_file.read_bytes().startswith(b"\x89PNG")
    assert list(folder.tensorboard.glob("events.out.tfevents.*"))
    report, environment = folder.report(), folder.environment()
    assert report["status"] == "finished"
    assert report["steps"] == len(recorder.steps)
    assert set(report["validation"]) >= {"raw", "static", "time"}
    assert environment["seconds"] > 0
    assert environment["peak_memory_megabytes"] > 0
    kinds = [line["kind"] for line in folder.metrics()]
    assert kinds.count("steps") == -(-len(recorder.steps) // 5)
    assert kinds.count("validation") == 2


def test_the_last_steps_reach_the_metrics_and_give_way_when_training_goes_on(tmp_path: Path) -> None:
    def steps_of(folder: RunFolder) -> list[tuple[int, bool]]:
        return [(line["step"], "partial" in line) for line in folder.metrics() if line["kind"] == "steps"]

    folder = new_run(tmp_path / "run")
    interruption = Interruption()
    train_standin(folder, listeners=[Recorder(interruption, 7)], interruption=interruption)
    assert steps_of(folder) == [(5, False), (7, True)]
    partial = [line for line in folder.metrics() if line.get("partial")]
    interruption = Interruption()
    interruption.request()  # stops before any step: nothing is new
    train_standin(folder, interruption=interruption)
    assert [line for line in folder.metrics() if line.get("partial")] == partial
    interruption = Interruption()
    train_standin(folder, listeners=[Recorder(interruption, 11)], interruption=interruption)
    assert steps_of(folder) == [(5, False), (10, False), (11, True)]


def test_the_speed_of_the_last_steps_does_not_count_the_validation(tmp_path: Path) -> None:
    now = [0.0]

    class Clockwork(Listener):
        """A second a step, an hour a validation."""

        def on_step(self, event: Stepped) -> None:  # noqa: ARG002
            now[0] += 1.0

    def figure() -> Iterator[float]:
        now[0] += 3600.0
        yield 0.1

    trainer, recorder = make_trainer(
        tmp_path, figure(), clock=lambda: now[0], epochs=1.0, log_steps=1000, listeners=[Clockwork()]
    )
    trainer.run()
    (measure,) = recorder.measures
    assert measure.partial
    assert measure.queries_per_second == pytest.approx(240 / len(recorder.steps))


def test_losses_fall(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run", epochs=8.0)
    recorder = Recorder()
    train_standin(folder, listeners=[recorder])
    assert recorder.validations[-1].loss < 0.8 * recorder.validations[0].loss


@pytest.mark.parametrize("schedule", ["linear", "plateau"])
def test_stopping_and_resuming_anywhere_changes_nothing(tmp_path: Path, schedule: str) -> None:
    whole = new_run(tmp_path / "whole", schedule=schedule, validate_every=0.4)
    train_standin(whole)
    parts = new_run(tmp_path / "parts", schedule=schedule, validate_every=0.4)
    reasons = []
    for stop_at in (1, 12, 13, 31, 45):
        interruption = Interruption()
        reasons.append(train_standin(parts, listeners=[Recorder(interruption, stop_at)], interruption=interruption))
    assert reasons == ["interrupted"] * 5
    assert train_standin(parts) == "finished"
    assert_same_run(whole, parts)


def test_without_average_and_clipping_too(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"average_decay": 0.0, "clip_norm": 0.0, "epochs": 0.5}
    whole, parts = new_run(tmp_path / "whole", **settings), new_run(tmp_path / "parts", **settings)
    train_standin(whole)
    interruption = Interruption()
    train_standin(parts, listeners=[Recorder(interruption, 7)], interruption=interruption)
    assert train_standin(parts) == "finished"
    assert_same_run(whole, parts)


def test_resuming_a_finished_run_does_nothing_and_more_epochs_train_on(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run", schedule="constant")
    train_standin(folder)
    before = sorted(path.name for path in folder.checkpoints.iterdir())
    recorder = Recorder()
    assert train_standin(folder, listeners=[recorder]) == "finished"
    assert not recorder.steps
    assert not recorder.validations
    assert sorted(path.name for path in folder.checkpoints.iterdir()) == before

    folder.write_config(config_of(schedule="constant", epochs=3.0))
    assert train_standin(folder) == "finished"
    longer = new_run(tmp_path / "longer", schedule="constant", epochs=3.0)
    train_standin(longer)
    assert_same_run(folder, longer)


def test_a_stop_during_validation_repeats_the_validation(tmp_path: Path) -> None:
    class StopValidation(Listener):
        def __init__(self, interruption: Interruption) -> None:
            self.interruption = interruption

        def on_validating(self, done: int, total: int) -> None:  # noqa: ARG002
            self.interruption.request()

    whole, parts = new_run(tmp_path / "whole"), new_run(tmp_path / "parts")
    for folder in (whole, parts):  # two batches of validation queries, so that the second one notices
        config = folder.config().with_values({"evaluation.batch_size": 10})
        folder.write_config(config)
    train_standin(whole)
    interruption = Interruption()
    assert train_standin(parts, listeners=[StopValidation(interruption)], interruption=interruption) == "interrupted"
    assert parts.weights_file.exists()  # not validated yet, but it can be used
    assert "validation" not in parts.report()
    assert train_standin(parts) == "finished"
    assert_same_run(whole, parts)


def test_a_loss_that_is_no_number_names_the_batch_and_keeps_the_checkpoint(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run", epochs=2.0)
    model = StandIn(small_dataset())
    model.fail_at = 45
    recorder = Recorder()
    with pytest.raises(
        TrainingError, match=r"loss became nan in epoch 2, batch \d+ \(\d queries at times \d.*first as"
    ):
        train_standin(folder, model=model, listeners=[recorder])
    assert recorder.closed == 1
    assert len(recorder.steps) == 44
    checkpoint = CheckpointStore(folder.checkpoints, folder.config()).load()
    assert checkpoint is not None
    assert checkpoint.state.epoch == 1
    assert all(torch.isfinite(tensor).all() for tensor in checkpoint.tensors.values())
    assert all(torch.isfinite(tensor).all() for tensor in read_tensors(folder.weights_file)[0].values())
    assert train_standin(folder) == "finished"  # with a sound model the run can go on


def test_what_is_advised_after_a_loss_that_is_no_number_is_true(tmp_path: Path) -> None:
    early, late = new_run(tmp_path / "early"), new_run(tmp_path / "late", clip_norm=0.0)
    for folder, call, words in (
        (early, 1, r"there is no checkpoint yet; .* or a lower training\.clip_norm \(now 3\)$"),
        (late, 45, r"the weights of step \d\d, before it, are kept .* or a training\.clip_norm \(now off\)$"),
    ):
        model = StandIn(small_dataset())
        model.fail_at = call
        with pytest.raises(TrainingError, match=words):
            train_standin(folder, model=model)
        slower = resumed_config(folder, folder.config(), {"training.learning_rate": 0.025, "training.clip_norm": 1.0})
        folder.write_config(slower)
        recorder = Recorder()
        assert train_standin(folder, listeners=[recorder]) == "finished"
        assert all(event.rate <= 0.025 for event in recorder.steps)


def test_a_gradient_that_is_no_number_stops_before_the_step(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    model = StandIn(small_dataset())
    model.entity.register_hook(lambda gradient: gradient * float("inf"))  # type: ignore[no-untyped-call]
    with pytest.raises(TrainingError, match=r"length of the gradient became (inf|nan) in epoch 1, batch 1 "):
        train_standin(folder, model=model)
    assert torch.isfinite(model.entity).all()


def test_a_full_disk_stops_with_one_line_and_the_run_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = new_run(tmp_path / "whole"), new_run(tmp_path / "parts")
    train_standin(whole)
    writes = itertools.count()
    real = atomic.write_through

    def fills_up(path: Path, content: bytes) -> None:
        if path.parent.parent == parts.checkpoints and next(writes) >= 4:  # two checkpoints of two files fit
            raise OSError(28, "No space left on device")
        real(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(atomic, "write_through", fills_up)
        with pytest.raises(RunError, match=r"disk is full.*checkpoint-000002 is intact; afterwards resume the run"):
            train_standin(parts)
    assert train_standin(parts) == "finished"
    assert_same_run(whole, parts)


def test_a_damaged_checkpoint_is_told_and_the_one_before_gives_the_same_end(tmp_path: Path) -> None:
    whole, parts = new_run(tmp_path / "whole"), new_run(tmp_path / "parts")
    train_standin(whole)
    for stop_at in (10, 20):
        interruption = Interruption()
        train_standin(parts, listeners=[Recorder(interruption, stop_at)], interruption=interruption)
    newest = max(parts.checkpoints.iterdir()) / "tensors.safetensors"
    newest.write_bytes(newest.read_bytes()[:-100])
    recorder = Recorder()
    assert train_standin(parts, listeners=[recorder]) == "finished"
    assert recorder.started[0].at.step == 10
    assert "checkpoint-000002 is damaged" in recorder.started[0].problems[0]
    assert_same_run(whole, parts)


def hold_lock(folder: RunFolder) -> None:
    with folder.locked():
        print("locked", flush=True)  # noqa: T201
        signal.pause()


def test_two_processes_cannot_train_one_run(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    other = StartedProcess(tmp_path / "log", hold_lock, folder)
    other.wait_until(lambda: other.output == "locked\n")
    with pytest.raises(RunError, match="another process is training"):
        train_standin(folder)
    other.send(signal.SIGKILL)  # a killed process leaves no lock behind
    other.finish(-signal.SIGKILL)
    assert train_standin(folder) == "finished"


def make_trainer(
    path: Path,
    metrics: Iterable[float],
    clock: Any = None,
    listeners: Sequence[Listener] = (),
    **training: Any,
) -> tuple[Trainer, Recorder]:
    """A trainer whose validations give prepared metrics."""
    dataset, config, recorder = small_dataset(), config_of(**training), Recorder()
    given = iter(metrics)

    def validate(_progress: Any) -> ProtocolMetrics:
        return {"time": {"mrr": next(given)}}

    prepared: Validate = validate
    trainer = Trainer(
        StandInLearner(dataset, config),
        config.training,
        prepared,
        store=CheckpointStore(path, config),
        listeners=[recorder, *listeners],
        **({"clock": clock} if clock else {}),
    )
    return trainer, recorder


def test_plateau_lowers_the_rate_and_patience_ends_training(tmp_path: Path) -> None:
    figures = [0.3, 0.2, 0.2, 0.1, 0.25, 0.9]
    trainer, recorder = make_trainer(
        tmp_path, figures, epochs=10.0, schedule="plateau", plateau_patience=1, patience=4, learning_rate=0.01
    )
    assert trainer.run() == "patience"
    assert [event.improved for event in recorder.validations] == [True, False, False, False, False]
    assert recorder.stopped[0].best == {"time": {"mrr": 0.3}}
    assert recorder.stopped[0].best_epochs == 1.0
    by_epoch = [event.rate for event in recorder.steps if event.at.epochs in (2.0, 3.0, 4.0, 5.0)]
    assert by_epoch == pytest.approx([0.01, 0.01, 0.001, 0.001])


def test_time_limit_validates_and_stops_and_counts_over_resumes(tmp_path: Path) -> None:
    ticks = itertools.count(step=1.0)
    trainer, recorder = make_trainer(tmp_path, [0.1], clock=lambda: next(ticks), epochs=50.0, max_minutes=2.0)
    assert trainer.run() == "time"
    assert len(recorder.validations) == 1
    assert recorder.stopped[0].at.seconds >= 120
    again, heard = make_trainer(tmp_path, [], clock=lambda: next(ticks), epochs=50.0, max_minutes=2.0)
    assert heard.started == []
    assert again.run() == "time"
    assert heard.started[0].limit == 120
    assert not heard.steps


def test_a_run_cut_off_by_a_limit_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"schedule": "plateau", "plateau_patience": 0, "patience": 3, "learning_rate": 0.01}
    whole, all_at_once = make_trainer(tmp_path / "whole", [0.3, 0.2, 0.4, 0.4], epochs=4.0, **settings)
    assert whole.run() == "finished"
    now = itertools.count(step=1.0)
    parts = tmp_path / "parts"
    cut, first = make_trainer(parts, [0.35], clock=lambda: next(now), epochs=4.0, max_minutes=1.0, **settings)
    assert cut.run() == "time"
    assert 0 < first.stopped[0].at.epochs < 1
    assert [event.improved for event in first.validations] == [True]
    rest, second = make_trainer(parts, [0.3, 0.2, 0.4, 0.4], epochs=4.0, **settings)
    assert rest.run() == "finished"
    assert rest.state.plateau == whole.state.plateau
    assert [event.rate for event in (*first.steps, *second.steps)] == [event.rate for event in all_at_once.steps]
    assert [event.loss for event in second.validations] == [event.loss for event in all_at_once.validations]
    # What the limit's validation found stays the best until something is better.
    assert [event.improved for event in second.validations] == [False, False, True, False]
    for name, tensor in whole.model.state_dict().items():
        assert torch.equal(tensor, rest.model.state_dict()[name])


def test_the_peak_of_memory_is_that_of_all_processes(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "run")
    folder.update_environment(peak_memory_megabytes=1e9)
    train_standin(folder)
    assert folder.environment()["peak_memory_megabytes"] == 1e9
    folder.update_environment(peak_memory_megabytes=1.0)
    train_standin(folder)
    assert folder.environment()["peak_memory_megabytes"] > 1.0


def test_checkpoints_come_by_the_clock(tmp_path: Path) -> None:
    ticks = itertools.count(step=1.0)
    trainer, recorder = make_trainer(
        tmp_path, [0.1], clock=lambda: next(ticks), epochs=1.0, checkpoint_minutes=0.5, log_steps=1000
    )
    trainer.run()
    inside = [event.at.step for event in recorder.saved if event.at.step < recorder.stopped[0].at.step]
    assert len(inside) >= 2


def test_validations_fall_where_they_are_due(tmp_path: Path) -> None:
    trainer, recorder = make_trainer(tmp_path, [0.1] * 9, epochs=1.25, validate_every=0.5)
    assert trainer.run() == "finished"
    places = [event.at.epochs for event in recorder.validations]
    assert places == pytest.approx([0.5, 1.0, 1.25], abs=0.05)


def test_metrics_survive_a_torn_last_line(tmp_path: Path) -> None:
    whole, parts = new_run(tmp_path / "whole"), new_run(tmp_path / "parts")
    train_standin(whole)
    interruption = Interruption()
    train_standin(parts, listeners=[Recorder(interruption, 11)], interruption=interruption)
    later = {"kind": "steps", "step": 15, "loss": 99.0}
    with parts.metrics_file.open("a") as file:
        file.write(json.dumps(later) + "\n" + '{"kind": "steps", "st')
    train_standin(parts)
    assert_same_run(whole, parts)
