"""A small model with the interface that training knows, a small dataset, and a run of the two: fast loop tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from tgap.config import RunConfig, TrainingConfig
from tgap.data import Dataset, Facts, Timeline, Vocabulary
from tgap.graph import TemporalGraph, View
from tgap.runs.folder import RunFolder, create_run
from tgap.runs.load import build_graph
from tgap.scorer import FloatArray, IntArray, QueryBatch, ScoreKind
from tgap.training.checkpoint import CheckpointStore
from tgap.training.events import Listener, StopReason
from tgap.training.interruption import Interruption
from tgap.training.session import train_module


def random_facts(seed: int, *, facts: int, entities: int, relations: int, days: int) -> Facts:
    """Facts with some repeats and some queries that have several answers."""
    random = np.random.default_rng(seed)
    return Facts(
        random.integers(0, entities, facts),
        random.integers(0, relations, facts),
        random.integers(0, entities, facts),
        random.integers(0, days, facts),
    )


def small_dataset(seed: int = 0, facts: int = 120) -> Dataset:
    """12 entities, 3 relations, 10 days."""
    sizes = {"entities": 12, "relations": 3, "days": 10}
    return Dataset(
        name="small",
        entities=Vocabulary([f"e{number:02d}" for number in range(sizes["entities"])]),
        relations=Vocabulary([f"r{number}" for number in range(sizes["relations"])]),
        timeline=Timeline("day", 0, sizes["days"] - 1),
        train=random_facts(seed, facts=facts, **sizes),
        valid=random_facts(seed + 1, facts=15, **sizes),
        test=random_facts(seed + 2, facts=15, **sizes),
    )


class LossResult(NamedTuple):
    """As the real model gives it."""

    value: torch.Tensor
    unreachable: int


class StandIn(torch.nn.Module):
    """Scores by a product of embeddings; its dropout draws from torch's generator, so that resuming must restore it."""

    def __init__(self, graph: TemporalGraph, seed: int = 0) -> None:
        super().__init__()
        self.graph = graph
        generator = torch.Generator().manual_seed(seed)
        self.entity = torch.nn.Parameter(torch.randn(graph.num_entities, 6, generator=generator))
        self.relation = torch.nn.Parameter(torch.randn(2 * graph.num_relations, 6, generator=generator))
        self.unused = torch.nn.Parameter(torch.zeros(2))  # never gets a gradient
        self.dropout = torch.nn.Dropout(0.1)
        self.losses = 0  # how often the loss was asked for
        self.fail_at = -1  # the loss is not a number at this call

    def forward(self, queries: QueryBatch) -> torch.Tensor:
        subject = self.entity[torch.from_numpy(queries.subject)]
        relation = self.relation[torch.from_numpy(queries.relation)]
        scores: torch.Tensor = self.dropout(subject * relation) @ self.entity.T
        return scores

    def loss(self, queries: QueryBatch, answers: IntArray, view: View, seed: int) -> LossResult:
        assert view.hidden
        assert seed >= 0
        value = torch.nn.functional.cross_entropy(self(queries), torch.from_numpy(answers))
        self.losses += 1
        return LossResult(value * float("nan") if self.losses == self.fail_at else value, int((answers == 0).sum()))


class StandInScorer:
    """Scorer of a stand-in."""

    name = "stand-in"
    kind = ScoreKind.ORDER

    def __init__(self, model: StandIn) -> None:
        self.model = model
        self.num_entities = model.graph.num_entities
        self.num_relations = model.graph.num_relations

    @torch.no_grad()
    def score(self, queries: QueryBatch) -> FloatArray:
        assert not self.model.training
        scores: FloatArray = self.model(queries).numpy()
        return scores


def config_of(**training: Any) -> RunConfig:
    """Settings of a short run."""
    values: dict[str, Any] = {
        "epochs": 2.0,
        "batch_size": 8,
        "learning_rate": 0.05,
        "warmup_steps": 5,
        "log_steps": 5,
        "validate_every": 1.0,
        "directions": "apart",
        "validation_queries": 0,
        "average_decay": 0.9,
        "patience": 0,
        **training,
    }
    return RunConfig(dataset="small", training=TrainingConfig(**values))


def blank_curve(metrics: list[dict[str, Any]], title: str) -> bytes:
    """In place of ``draw_curve`` where the picture is not the point: drawing takes longer than all the rest."""
    return b""


def new_run(path: Path, dataset: Dataset | None = None, **training: Any) -> RunFolder:
    """Run folder for a stand-in."""
    return create_run(path, config_of(**training), dataset or small_dataset(), threads=1)


def train_standin(
    folder: RunFolder,
    dataset: Dataset | None = None,
    *,
    model: StandIn | None = None,
    listeners: Sequence[Listener] = (),
    interruption: Interruption | None = None,
) -> StopReason:
    """Train, or go on training, a stand-in in a run folder."""
    dataset = dataset or small_dataset()
    graph = build_graph(dataset)
    learner = model or StandIn(graph)
    with folder.locked():
        return train_module(
            folder,
            dataset,
            graph,
            learner,
            learner.loss,
            lambda: StandInScorer(learner),
            listeners=listeners,
            interruption=interruption,
        )


def newest_tensors(folder: RunFolder) -> dict[str, torch.Tensor]:
    """Everything in the newest checkpoint."""
    checkpoint = CheckpointStore(folder.checkpoints, folder.config()).load()
    assert checkpoint is not None
    return checkpoint.tensors


def course(folder: RunFolder) -> list[dict[str, Any]]:
    """Metrics without what the clock decides."""
    timed = ("seconds", "queries_per_second")
    return [{key: value for key, value in line.items() if key not in timed} for line in folder.metrics()]


def assert_same_run(first: RunFolder, second: RunFolder) -> None:
    """Two runs came to the same state, weights and figures, bit for bit."""
    one, other = newest_tensors(first), newest_tensors(second)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert first.weights_file.read_bytes() == second.weights_file.read_bytes()
    assert course(first) == course(second)
    assert first.report()["validation"] == second.report()["validation"]
