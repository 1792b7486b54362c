"""A model at one place in memory: the same answers, mapped pages, writes that stay private."""

from __future__ import annotations

import io
import pickle
import threading
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.asking.run_folder import make_run
from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.data import load_dataset
from tgap.distributed.sharing import Mapped, Packed, _Packer, once_per_machine, pack
from tgap.evaluation.scoring import split_queries
from tgap.scorer import FloatArray, QueryBatch, ScoreKind
from tgap.training.workers import Group


def packed(loaded: Model) -> Packed[Model]:
    found = pack(loaded)
    assert found is not None
    return found


def scores(loaded: Model) -> FloatArray:
    return loaded.scorer.score(split_queries(loaded.dataset, "test").batch.take(slice(0, 40)))


@pytest.fixture(scope="module")
def walker(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load_model(make_run(tmp_path_factory.mktemp("shared") / "run"))


@pytest.mark.parametrize("method", ["recency", "frequency", "recurrency", "typed-pair"])
def test_counters_answer_from_a_file_as_before(method: str, tmp_path: Path) -> None:
    loaded = load_model(method, dataset="world")
    np.testing.assert_array_equal(scores(packed(loaded).to_file(tmp_path / "model").load()), scores(loaded))


def test_a_walker_answers_and_explains_from_a_file_as_before(walker: Model, tmp_path: Path) -> None:
    mapped = packed(walker).to_file(tmp_path / "model").load()
    np.testing.assert_array_equal(scores(mapped), scores(walker))
    asked = ("Tarkania", "Retaliate against", "?", "2012-01-06")
    assert mapped.explain(*asked).document == walker.explain(*asked).document
    assert mapped.dataset.causes == walker.dataset.causes


def test_what_is_large_stays_out_of_the_stream_and_lies_in_the_file(walker: Model, tmp_path: Path) -> None:
    whole = packed(walker)
    assert len(whole.stream) < 0.1 * sum(map(len, whole.buffers))
    weights = sum(one.numel() * one.element_size() for one in walker.scorer.model.parameters())  # type: ignore[attr-defined]
    assert sum(map(len, whole.buffers)) > weights + walker.scorer.graph.time.nbytes  # type: ignore[attr-defined]
    first, second = (whole.to_file(tmp_path / "model").load() for _ in range(2))
    times = first.scorer.graph.time  # type: ignore[attr-defined]
    assert times.tobytes() in (tmp_path / "model").read_bytes()
    kept = int(times[0])
    times[0] = kept + 1  # a page of its own now
    assert second.scorer.graph.time[0] == kept  # type: ignore[attr-defined]
    assert whole.to_file(tmp_path / "again").load().scorer.graph.time[0] == kept  # type: ignore[attr-defined]


def test_memory_that_is_read_only_serves_as_it_is(walker: Model) -> None:
    whole = packed(walker)
    store = [buffer.copy() for buffer in whole.buffers]
    for buffer in store:
        buffer.flags.writeable = False
    served = Packed[Model](whole.stream, store).load()
    begin, end = np.lib.array_utils.byte_bounds(served.scorer.graph.time)  # type: ignore[attr-defined]
    assert any(begin >= low and end <= high for low, high in map(np.lib.array_utils.byte_bounds, store))
    np.testing.assert_array_equal(scores(served), scores(walker))


def test_tensors_and_read_only_mappings_come_back_as_they_were() -> None:
    fixed = nn.Parameter(torch.arange(3.0), requires_grad=False)
    value = {"tensor": torch.arange(6).reshape(2, 3).T, "fixed": fixed, "again": fixed, "map": MappingProxyType({1: 2})}
    stream = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    _Packer(stream, protocol=5, buffer_callback=buffers.append).dump(value)
    found = pickle.loads(stream.getvalue(), buffers=buffers)  # noqa: S301
    assert torch.equal(found["tensor"], value["tensor"])  # type: ignore[arg-type]
    assert isinstance(found["fixed"], nn.Parameter)
    assert not found["fixed"].requires_grad
    assert found["again"] is found["fixed"]
    assert found["map"] == {1: 2}
    assert isinstance(found["map"], MappingProxyType)


def test_a_scorer_that_cannot_be_shared_is_told() -> None:
    class Locked:
        name, kind, num_entities, num_relations = "locked", ScoreKind.ORDER, 1, 1

        def __init__(self) -> None:
            self.lock = threading.Lock()

        def score(self, queries: QueryBatch) -> FloatArray:
            return np.zeros((len(queries), 1), np.float32)

    assert pack(Model(Locked(), load_dataset("world"))) is None


class Second(Group):
    """Rank 1 of two on one machine, or on two; rank 0 gives what the test says."""

    def __init__(self, given: Mapped[str] | None, *, together: bool = True) -> None:
        self.rank, self.size, self.given, self.together = 1, 2, given, together
        self.gathered: list[Any] = []

    def gather(self, value: Any) -> list[Any]:
        self.gathered.append(value)
        name, shared, _end = (value if self.together else "another"), self.given, None
        return [(name, shared, _end)[len(self.gathered) - 1], value]


@pytest.mark.parametrize(
    ("given", "together"),
    [(None, True), (Mapped[str](b"", Path("nowhere/memory"), ((0, 1),)), True), (None, False)],
    ids=["cannot be packed", "a file that only the other sees", "another machine"],
)
def test_what_cannot_be_shared_is_made_by_each(given: Mapped[str] | None, together: bool) -> None:
    group = Second(given, together=together)
    assert once_per_machine(group, lambda: "made here") == "made here"
    assert group.gathered[1:] == [None, None], (
        "it has nothing to share: nobody else is on its machine, or it came second"
    )


def test_memory_of_a_neighbour_is_taken_as_it_is(tmp_path: Path) -> None:
    whole = pack({"numbers": np.arange(1000)})
    assert whole is not None

    def make() -> dict[str, np.ndarray[Any, Any]]:
        raise AssertionError("nothing is to be made")

    found = once_per_machine(Second(whole.to_file(tmp_path / "memory")), make)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found["numbers"], np.arange(1000))
