"""The pool of kernel threads: every chunk runs once, errors come back, the number of threads can change."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.processes import Started
from tgap.errors import ConfigError
from tgap.kernels import num_threads, set_threads
from tgap.kernels.threads import run_chunks


@pytest.fixture(autouse=True)
def _same_threads_after() -> Iterator[None]:
    before = num_threads()
    yield
    set_threads(before)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_number_chosen_is_used_by_kernels_and_torch(count: int) -> None:
    assert set_threads(count) == count
    assert num_threads() == count
    assert torch.get_num_threads() == count


def test_without_a_number_all_cores_of_the_process_are_used() -> None:
    allowed = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
    assert set_threads(None) == len(allowed(0))


@pytest.mark.parametrize("chunks", [0, 1, 2, 9])
def test_every_chunk_runs_once_in_a_thread_of_the_pool(chunks: int) -> None:
    set_threads(2)
    seen: list[tuple[int, str]] = []
    run_chunks(lambda chunk: seen.append((chunk, threading.current_thread().name)), chunks)
    assert sorted(chunk for chunk, _ in seen) == list(range(chunks))
    assert all(name.startswith("tgap") for _, name in seen)


def who_took_chunks(count: int) -> set[str]:
    caller, seen = threading.current_thread(), dict[int, str]()

    def note(chunk: int) -> None:
        seen[chunk] = "caller" if threading.current_thread() is caller else "pool"

    run_chunks(note, count)
    assert sorted(seen) == list(range(count))
    return set(seen.values())


def ask_as_a_program_of_ours() -> None:
    set_threads(2, whole_process=True)
    assert who_took_chunks(1) == {"caller"}
    assert who_took_chunks(3) == {"caller", "pool"}
    with ThreadPoolExecutor(1, initializer=torch.set_flush_denormal, initargs=(False,)) as other:
        assert other.submit(who_took_chunks, 1).result() == {"pool"}


def test_a_caller_that_flushes_takes_the_first_chunk(tmp_path: Path) -> None:
    assert Started(tmp_path / "log", ask_as_a_program_of_ours).finish() == ""


def test_chunks_run_side_by_side() -> None:
    set_threads(2)
    meeting, met = threading.Barrier(2, timeout=20), []

    def meet(chunk: int) -> None:
        meeting.wait()  # one after the other they would wait in vain
        met.append(chunk)

    run_chunks(meet, 2)
    assert sorted(met) == [0, 1]


def test_an_error_in_a_chunk_reaches_the_caller_and_the_pool_lives_on() -> None:
    set_threads(2)

    def fails(chunk: int) -> None:
        if chunk == 1:
            raise ValueError("chunk 1")

    with pytest.raises(ValueError, match="chunk 1"):
        run_chunks(fails, 3)
    done: list[int] = []
    run_chunks(done.append, 3)
    assert sorted(done) == [0, 1, 2]


def test_denormal_numbers_vanish_in_the_pool_and_the_caller_keeps_its_own_way() -> None:
    tiny, tenth = np.full(16, 1e-38, np.float32), np.float32(0.1)
    before = float((tiny * tenth).max())
    set_threads(1)
    found: list[float] = []
    run_chunks(lambda _: found.append(float((tiny * tenth).max())), 1)
    assert found == [0.0]
    assert float((tiny * tenth).max()) == before


def test_a_senseless_number_leaves_the_old_pool_at_work() -> None:
    set_threads(2)
    with pytest.raises(ConfigError, match="expected at least 1"):
        set_threads(-1)
    done: list[int] = []
    run_chunks(done.append, 2)
    assert sorted(done) == [0, 1]


def ask_from_many_threads() -> None:
    sys.setswitchinterval(1e-6)
    start, done = threading.Barrier(8), list[int]()

    def ask() -> None:
        start.wait()
        run_chunks(done.append, 4)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 32, len(done)


def test_many_threads_may_ask_first(tmp_path: Path) -> None:
    """The first use makes the pool; askers that come at the same moment must find the same one."""
    for number in range(3):
        assert Started(tmp_path / f"{number}.log", ask_from_many_threads).finish() == ""
