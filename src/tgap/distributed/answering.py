"""Parts of many questions answered by several processes of this machine (``tgap.asking.bulk`` writes the answers).

Each process starts afresh, since reading a question's time needs polars, whose threads do not survive a fork. Graph and
weights are those of the command, mapped from one file (``sharing``).
"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path

from tgap.asking.bulk import AnsweredPart, Answering, Part, Wanted, answer_part
from tgap.asking.model import Model
from tgap.distributed.processes import begin_helper
from tgap.distributed.sharing import Mapped, pack
from tgap.distributed.source import AnswerSource
from tgap.errors import DataError

LOST = "the parts that are done are kept; the same command goes on with those that are missing"
_model: Model | None = None  # of this process, once it is a helper


def answering_in_processes(model: Model, source: AnswerSource, wanted: Wanted, workers: int, threads: int) -> Answering:
    """Parts go to ``workers`` processes of ``threads`` threads each.

    They share the memory of ``model``; where its scorer cannot be shared, each loads ``source`` for itself.
    """

    def answer(parts: Iterator[Part]) -> Iterable[AnsweredPart]:
        with tempfile.TemporaryDirectory(prefix="tgap-") as folder:
            packed = pack(model)
            shared = source if packed is None else packed.to_file(Path(folder) / "model")
            del packed
            yield from in_pool(shared, parts)

    def in_pool(shared: AnswerSource | Mapped[Model], parts: Iterator[Part]) -> Iterable[AnsweredPart]:
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (shared, threads))
        try:
            running: set[Future[AnsweredPart]] = {pool.submit(_answer, part, wanted) for part in islice(parts, workers)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(_answer, part, wanted) for part in islice(parts, len(done))}
                yield from (future.result() for future in done)
        except BrokenProcessPool:
            raise DataError(f"a worker process was killed or ran out of memory; {LOST}") from None
        except BaseException:
            for helper in multiprocessing.active_children():
                helper.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    return answer


def _begin(source: AnswerSource | Mapped[Model], threads: int) -> None:
    global _model  # noqa: PLW0603  one a process
    begin_helper(threads)
    _model = source.load()


def _answer(part: Part, wanted: Wanted) -> AnsweredPart:
    assert _model is not None, "a helper has begun"
    return answer_part(_model, part, wanted)
