"""Parts of many questions answered by several processes of this machine (``tgap.predict.bulk`` writes the answers).

Each process starts afresh and loads the model for itself: reading a question's time needs polars, whose threads do not
survive a fork, so memory is not shared.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from tgap.distributed.processes import begin_helper
from tgap.distributed.source import AnswerSource
from tgap.errors import DataError
from tgap.predict import Predictor
from tgap.predict.bulk import AnsweredPart, Answering, Part, Wanted, answer_part

LOST = "the parts that are done are kept; the same command goes on with those that are missing"
_predictor: Predictor | None = None  # of this process, once it is a helper


def answering_in_processes(source: AnswerSource, wanted: Wanted, workers: int, threads: int) -> Answering:
    """Parts go to ``workers`` processes of ``threads`` threads each."""

    def answer(parts: Iterator[Part]) -> Iterable[AnsweredPart]:
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (source, threads))
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


def _begin(source: AnswerSource, threads: int) -> None:
    global _predictor  # noqa: PLW0603  one a process
    begin_helper(threads)
    _predictor = source.load()


def _answer(part: Part, wanted: Wanted) -> AnsweredPart:
    assert _predictor is not None, "a helper has begun"
    return answer_part(_predictor, part, wanted)
