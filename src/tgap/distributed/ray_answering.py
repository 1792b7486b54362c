"""Parts of many questions answered on a Ray cluster; the command that asked writes them, as it does on one machine.

Actors, not Ray Data: a part is the unit that is written, resumed and repeated here, and its number decides which rows
it holds. Ray Data cuts blocks as it sees fit and names files by its own tasks, so that a second call could not tell
what is missing, and rows would not lie where one machine puts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from typing import Any

from tgap.asking.bulk import AnsweredPart, Answering, Part, Wanted, answer_part
from tgap.asking.model import Model
from tgap.distributed.answering import LOST
from tgap.distributed.ray_cluster import RESTARTS
from tgap.distributed.sharing import Packed, pack
from tgap.distributed.source import AnswerSource
from tgap.errors import WorkerError
from tgap.kernels import set_threads


class RemoteAnswerer:
    """Makes the model ready when the first part comes, so that an error of the user's comes back as what it is.

    A packed model is read where it lies in the object store, by all workers of a machine; another is loaded.
    """

    def __init__(self, source: AnswerSource | Packed[Model], wanted: Wanted, threads: int) -> None:
        self._source, self._wanted, self._threads = source, wanted, threads
        self._model: Model | None = None

    def answer(self, part: Part) -> AnsweredPart:
        """The answers to a part."""
        if self._model is None:
            set_threads(self._threads, whole_process=True)
            self._model = self._source.load()
        return answer_part(self._model, part, self._wanted)


def answering_on_ray(
    ray: Any, model: Model, source: AnswerSource, wanted: Wanted, workers: int, threads: int
) -> Answering:
    """Parts go to ``workers`` actors; one that dies is replaced and its part repeated."""

    def answer(parts: Iterator[Part]) -> Iterable[AnsweredPart]:
        shared = ray.put(pack(model) or source)
        make = ray.remote(num_cpus=threads, max_restarts=RESTARTS, max_task_retries=RESTARTS)(RemoteAnswerer)
        actors = [make.remote(shared, wanted, threads) for _ in range(workers)]
        first = zip(cycle(actors), islice(parts, 2 * workers), strict=False)  # one at hand, one waiting for each
        running = {actor.answer.remote(part): actor for actor, part in first}
        try:
            while running:
                (done,), _ = ray.wait(list(running), num_returns=1)
                actor = running.pop(done)
                answered: AnsweredPart = ray.get(done)
                running |= {actor.answer.remote(part): actor for part in islice(parts, 1)}
                yield answered
        except ray.exceptions.RayActorError as error:
            reason = " ".join(str(error).split())[:120]
            raise WorkerError(f"workers of the cluster died more than {RESTARTS} times ({reason}); {LOST}") from error

    return answer
