"""A method from outside the table, in one file, with a small dataset: fast tests of the loop and of the seam."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import Field

from tgap.config import RunConfig, Settings
from tgap.data import Dataset, Facts, Timeline, Vocabulary
from tgap.graph import TemporalGraph
from tgap.learner import Loss, Method
from tgap.methods import METHODS, config_for
from tgap.methods.day_batches import EpochPlan, TrainingQueries
from tgap.model.batch import HiddenBatch
from tgap.model.settings import TGAPSettings
from tgap.runs.folder import RunFolder, create_run
from tgap.scorer import FloatArray, QueryBatch, ScoreKind
from tgap.training.checkpoint import CheckpointStore
from tgap.training.events import Listener, StopReason
from tgap.training.interruption import Interruption
from tgap.training.session import train_learner


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


class StandInSettings(Settings):
    """Settings of the stand-in."""

    width: int = Field(6, ge=1, description="numbers per entity")


class StandIn(torch.nn.Module):
    """Scores by a product of embeddings; its dropout draws from torch's generator, so that resuming must restore it."""

    def __init__(self, dataset: Dataset, width: int = 6, seed: int = 0) -> None:
        super().__init__()
        self.num_entities, self.num_relations = dataset.num_entities, dataset.num_relations
        generator = torch.Generator().manual_seed(seed)
        self.entity = torch.nn.Parameter(torch.randn(self.num_entities, width, generator=generator))
        self.relation = torch.nn.Parameter(torch.randn(2 * self.num_relations, width, generator=generator))
        self.unused = torch.nn.Parameter(torch.zeros(2))  # never gets a gradient
        self.dropout = torch.nn.Dropout(0.1)
        self.losses = 0  # how often the loss was asked for
        self.fail_at = -1  # the loss is not a number at this call

    def scores(self, queries: QueryBatch) -> torch.Tensor:
        subject = self.entity[torch.from_numpy(queries.subject)]
        relation = self.relation[torch.from_numpy(queries.relation)]
        scores: torch.Tensor = self.dropout(subject * relation) @ self.entity.T
        return scores

    def forward(self, batch: HiddenBatch) -> Loss:
        value = torch.nn.functional.cross_entropy(self.scores(batch.queries), torch.from_numpy(batch.answers))
        self.losses += 1
        failed = self.losses == self.fail_at
        return Loss(value * float("nan") if failed else value, {"first_entity": int((batch.answers == 0).sum())})


class StandInLearner:
    """As any method gives it: module, plan, optimiser, scorer."""

    def __init__(self, dataset: Dataset, config: RunConfig, module: StandIn | None = None) -> None:
        settings = config.model
        assert isinstance(settings, StandInSettings)
        self.config = config
        self.module = module or StandIn(dataset, settings.width, config.training.seed)
        self._batches = TGAPSettings(directions="apart")
        graph = TemporalGraph.of(dataset)
        self._queries = TrainingQueries.of(dataset.train, graph, self._batches, config.training.batch_size)

    @property
    def queries(self) -> int:
        return len(self._queries)

    def plan(self, epoch: int) -> EpochPlan:
        return EpochPlan(self._queries, self._batches, self.config.training, epoch)

    def optimiser(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.module.parameters(), lr=self.config.training.learning_rate, fused=True)

    def scorer(self) -> StandInScorer:
        return StandInScorer(self.module)


class StandInScorer:
    """Scorer of a stand-in."""

    name = "stand-in"
    kind = ScoreKind.ORDER

    def __init__(self, model: StandIn) -> None:
        self.model = model
        self.num_entities = model.num_entities
        self.num_relations = model.num_relations

    @torch.no_grad()
    def score(self, queries: QueryBatch) -> FloatArray:
        assert not self.model.training
        scores: FloatArray = self.model.scores(queries).numpy()
        return scores


METHOD = Method(
    name="stand-in",
    title="stand-in",
    summary="A product of embeddings, for tests.",
    settings=StandInSettings,
    learn=StandInLearner,
)
METHODS[METHOD.name] = "tests.training.standin:METHOD"  # the one line


def config_of(**training: Any) -> RunConfig:
    """Settings of a short run."""
    values: dict[str, Any] = {
        "epochs": 2.0,
        "batch_size": 8,
        "learning_rate": 0.05,
        "warmup_steps": 5,
        "log_steps": 5,
        "validate_every": 1.0,
        "validation_queries": 0,
        "average_decay": 0.9,
        "patience": 0,
        **training,
    }
    return config_for("stand-in", "small").with_values({f"training.{name}": value for name, value in values.items()})


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
    dataset, config = dataset or small_dataset(), folder.config()
    learner = StandInLearner(dataset, config, model)
    with folder.locked():
        return train_learner(
            learner, config, dataset, folder=folder, listeners=listeners, interruption=interruption
        ).reason


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
