"""Training on a Ray cluster: Ray Train places the workers, sees them die and starts them anew.

The workers are those of ``tgap.distributed.training``; they go on from the last checkpoint in the run's folder, which
rank 0 must be able to write to (on several machines: a shared disk). Ray's own checkpoints are not used: a run is
resumed the same way with and without Ray. Nor is its set-up of torch's group, which would listen on all interfaces.
"""

from __future__ import annotations

import shutil
import uuid
from typing import Any

from tgap.distributed.group import cluster_group, open_meeting
from tgap.distributed.ray_cluster import RESTARTS, node_address
from tgap.distributed.ray_mail import MailedInterruption, MailedListener, open_mailbox, run_with_mail
from tgap.distributed.training import follow, lead
from tgap.errors import RunError, TgapError, TrainingError, WorkerError
from tgap.kernels import set_threads
from tgap.locks import one_process
from tgap.runs import RunFolder, find_run
from tgap.training.events import Listener, StopReason
from tgap.training.interruption import Interruption

_LOCK_SECONDS = 60  # that a worker of before may take to end


def train_on_ray(
    ray: Any,
    *,
    workers: int,
    threads: int,
    folder: RunFolder,
    listener: Listener,
    interruption: Interruption,
) -> StopReason:
    """Train a run on the cluster that ``ray`` is connected to. The caller holds the run's lock."""
    from ray.train import FailureConfig, ScalingConfig  # noqa: PLC0415  an extra
    from ray.train import RunConfig as TrainConfig  # noqa: PLC0415
    from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer  # noqa: PLC0415

    mailbox, path = open_mailbox(ray), folder.path.resolve()
    notes, name = path / ".ray", uuid.uuid4().hex
    trainer = DataParallelTrainer(
        _work,
        train_loop_config={"run": str(path), "threads": threads, "mailbox": mailbox},
        scaling_config=ScalingConfig(num_workers=workers, resources_per_worker={"CPU": threads}),
        run_config=TrainConfig(name=name, storage_path=str(notes), failure_config=FailureConfig(max_failures=RESTARTS)),
    )
    try:
        reason: StopReason = run_with_mail(ray, mailbox, listener, interruption, lambda: _result(trainer))
    finally:
        listener.close()
        shutil.rmtree(notes, ignore_errors=True)
    return reason


def _result(trainer: Any) -> Any:
    """What rank 0 gave back; Ray hands some errors over as part of the result."""
    result = trainer.fit()
    if result.error is not None:
        raise result.error
    return result.return_value


def _work(given: dict[str, Any]) -> StopReason | None:
    """What each worker runs.

    An error makes Ray end all workers and start them anew, which mends a lost worker. What that cannot mend (a full
    disk, a loss that is not a number) is left in the mailbox, where the workers that come next find it and go home.
    """
    import ray  # noqa: PLC0415
    from ray.train import get_context  # noqa: PLC0415
    from ray.train.collective import broadcast_from_rank_zero  # noqa: PLC0415

    mailbox, context = given["mailbox"], get_context()
    rank, size = context.get_world_rank(), context.get_world_size()
    if ray.get(mailbox.failure.remote()) is not None:
        return None
    set_threads(given["threads"], whole_process=True)
    store, meeting = open_meeting(node_address()) if rank == 0 else (None, None)
    meeting = broadcast_from_rank_zero(meeting)
    try:
        with cluster_group(store, meeting, rank, size) as group:
            if rank:
                follow(group)
                return None
            return _lead(group, given)
    except WorkerError:
        raise
    except TgapError as error:
        if rank == 0 or not isinstance(error, TrainingError):  # of an error that all meet, rank 0 knows most
            ray.get(mailbox.fail.remote(error))
        raise


def _lead(group: Any, given: dict[str, Any]) -> StopReason:
    """Rank 0: the run, its files, and word to the driver."""
    import ray  # noqa: PLC0415

    folder = find_run(given["run"])
    # A rank 0 of before may still be dying; two must not write.
    refusal = RunError(f"another worker still writes to {folder.path}; stop the cluster that it belongs to")
    with one_process(folder.path / ".worker.lock", refusal, seconds=_LOCK_SECONDS):
        config = folder.config()
        mailbox = given["mailbox"]
        listener, interruption = MailedListener(mailbox), MailedInterruption(ray, mailbox)
        return lead(group, config, folder.dataset(config), folder, [listener], interruption).reason
