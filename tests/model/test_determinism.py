"""Same seed and number of threads: the same bits, run after run and process after process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.golden.loss_curve import Run, run
from tests.model.tiny_models import batch_of, model_of
from tests.processes import Started
from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.graph import View
from tgap.kernels import num_threads, set_threads

STEPS = 5


@pytest.fixture(autouse=True)
def _same_threads_after() -> Iterator[None]:
    before = num_threads()
    yield
    set_threads(before)


@cache
def first_run(threads: int) -> Run:
    """The run that others are compared with."""
    return run(STEPS, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_two_runs_in_one_process_are_equal_bit_by_bit(threads: int) -> None:
    assert run(STEPS, threads=threads) == first_run(threads)


def write_run(file: Path) -> None:
    file.write_text(json.dumps(asdict(run(STEPS, threads=2))))


def test_two_processes_are_equal_bit_by_bit(tmp_path: Path) -> None:
    there = tmp_path / "run.json"
    other = Started(tmp_path / "log", write_run, there)
    here = first_run(2)
    other.finish()
    assert json.loads(there.read_text()) == asdict(here)


def test_threads_change_only_rounding() -> None:
    np.testing.assert_allclose(first_run(1).losses, first_run(2).losses, rtol=1e-5)


def test_another_seed_gives_another_run() -> None:
    assert run(STEPS, seed=1, threads=2).digest != first_run(2).digest


def test_another_sampling_seed_gives_other_samples_and_the_same_one_the_same() -> None:
    config = tiny_config(sampled_edges=2, added_edges=3)
    graph = tiny_graph(5, facts=60)
    model = model_of(config, graph, 12, random_parameters(config, 8, 3, 12, 5))

    def sampled(seed: int) -> list[list[int]]:
        records = model.record(batch_of((0, 1, 4)), View.all(), seed, looked_at=2)
        return [record.sample.candidate.tolist() for record in records if record.sample is not None]

    assert sampled(1) == sampled(1)
    assert len({str(sampled(seed)) for seed in range(5)}) == 5
