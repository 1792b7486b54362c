"""T-GAP as a method: its presets, and what the training loop needs of it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tgap.config import RunConfig
from tgap.data import Dataset
from tgap.data.entries import paper_settings, tuned_settings
from tgap.graph.task import COMPLETION, FORECAST, find_task
from tgap.learner import Learner, Method, Overrides
from tgap.model.settings import TGAPSettings
from tgap.scorer import Scorer

if TYPE_CHECKING:
    import torch

    from tgap.methods.day_batches import EpochPlan, TrainingQueries
    from tgap.model.tgap import TGAP


class TGAPLearner:
    """Batches by day with their own facts hidden, Adam, and the scorer of the present weights.

    In forecasts a batch sees what lies before its day, and the scorer walks the facts of all splits under that limit.
    """

    def __init__(self, dataset: Dataset, config: RunConfig) -> None:
        from tgap.graph import TemporalGraph  # noqa: PLC0415  compiled kernels, only where they are used
        from tgap.model.tgap import TGAP  # noqa: PLC0415

        assert isinstance(config.model, TGAPSettings), "the table of methods gives every method its own settings"
        self._dataset = dataset
        self._config = config
        self._settings = config.model
        self._task = find_task(config.task)
        self.graph = TemporalGraph.of(dataset)
        self.module = TGAP(self._settings, self.graph, dataset.timeline.span, config.training.seed)

    @cached_property
    def _queries(self) -> TrainingQueries:
        from tgap.methods.day_batches import TrainingQueries, hidden_twins  # noqa: PLC0415

        twins = hidden_twins(self._dataset, self._settings)
        batch_size = self._config.training.batch_size
        return TrainingQueries.of(self._dataset.train, self.graph, self._settings, batch_size, twins)

    @property
    def queries(self) -> int:
        """Both directions of every training fact."""
        return len(self._queries)

    def plan(self, epoch: int) -> EpochPlan:
        """Batches by day; see ``day_batches``."""
        from tgap.methods.day_batches import EpochPlan  # noqa: PLC0415

        return EpochPlan(self._queries, self._settings, self._config.training, epoch, self._task)

    def optimiser(self) -> torch.optim.Optimizer:
        """Adam, as in the paper; where entities have sparse gradients, one that leaves the others alone."""
        from tgap.model.optimiser import make_adam  # noqa: PLC0415

        sparse = [self.module.entity] if self._settings.sparse else []
        return make_adam(self.module, sparse, self._config.training.learning_rate)

    def scorer(self) -> Scorer:
        """Answers with the module's present weights."""
        from tgap.model.scorer import TGAPScorer  # noqa: PLC0415

        return TGAPScorer(self._answering, self._config.evaluation, self._task.setting)

    @cached_property
    def _answering(self) -> TGAP:
        """The module on the graph that is walked when nothing is learned."""
        context = self._task.setting.context
        if not context:
            return self.module
        from tgap.graph import TemporalGraph  # noqa: PLC0415

        return self.module.on(TemporalGraph.of(self._dataset, context))


def _learn(dataset: Dataset, config: RunConfig) -> Learner:
    return TGAPLearner(dataset, config)


# The paper's model to the letter, every choice named, so that no change of ours changes it. x, y, z, batch size and
# clipping differ by dataset and stand in the catalog of datasets.
PAPER_MODEL: dict[str, Any] = {
    "dimension": 100,
    "heads": 5,
    "steps": 3,
    "pgnn_layers": 1,
    "displacement": "relative",
    "subgraph": True,
    "flow_heads": False,
    "flow_displacement": "size",
    "query_vector": "paper",
    "arrival_term": False,
    "key_map": True,
    "bias": False,
    "scaled": False,
    "activation": False,
    "leaky_slope": 0.01,
    "initial_scale": 0.3,
    "prior": 0.0,
    "displacement_exact": 4096,
    "displacement_octave": 8,
    "walk_cap": 0,
    "gather_cap": 0,
    "cap_choice": "uniform",
    "lazy": False,
    "sparse": False,
    "days_per_batch": 1,
    "hidden_share": 0.5,
    "directions": "apart",
    "siblings": "apart",
    "other_answers": "compete",
    "repeats": "hidden",
    "twins": "visible",
}
PAPER_TRAINING: dict[str, Any] = {
    "epochs": 10.0,
    "learning_rate": 5e-4,
    "warmup_steps": 0,
    "schedule": "plateau",
    "decay_share": 0.5,
    "plateau_factor": 0.1,
    "plateau_patience": 1,
    "average_decay": 0.0,
    "patience": 5,
    "validate_every": 1.0,
    "select_by": "hits1",
    "validation_queries": 0,
}


def _paper(dataset: str) -> Overrides:
    """The paper to the letter with its settings for a dataset; one that it does not have gets those for ICEWS14."""
    by_dataset = paper_settings(dataset) or paper_settings("icews14")
    assert by_dataset is not None, "the catalog has the paper's settings for ICEWS14"
    chosen = by_dataset._asdict()
    training = {name: chosen.pop(name) for name in ("batch_size", "clip_norm")}
    return {"model": {**PAPER_MODEL, **chosen}, "training": {**PAPER_TRAINING, **training}}


def _recommended(dataset: str) -> Overrides:
    """The defaults, with what paid on a dataset of the catalog."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in tuned_settings(dataset).items():
        section, _, key = name.partition(".")
        found.setdefault(section, {})[key] = value
    return found


SPACES: dict[str, dict[str, Any]] = {
    "default": {
        "settings": {
            "training.learning_rate": {"low": 2e-4, "high": 5e-3, "log": True},
            "model.core_nodes": [10, 20, 50],
            "model.sampled_edges": [100, 200, 500],
            "model.added_edges": [100, 200, 500],
            "model.heads": [3, 4, 5, 6],
            "model.hidden_share": [0.25, 0.5, 1.0],
            "training.clip_norm": {"low": 1, "high": 5},
        }
    },
    "paper": {  # its bounds and its rule
        "search": "in turn",
        "metric": "hits1",
        "settings": {
            "model.steps": [2, 3, 4],
            "model.core_nodes": [5, 10, 50, 100],
            "model.sampled_edges": [10, 50, 100, 200, 500],
            "model.added_edges": [10, 50, 100, 200, 500],
            "model.heads": [3, 4, 5, 6],
            "training.batch_size": [8, 16, 32],
            "training.learning_rate": {"low": 5e-5, "high": 5e-2, "log": True, "points": 4},
            "training.clip_norm": {"low": 1, "high": 5, "step": 1},
        },
    },
}
# Nothing of the question's day is seen, so a day may be hidden whole, and answers that share a walk share a batch.
FORECAST_BATCHES: dict[str, Any] = {"hidden_share": 1.0, "directions": "apart", "siblings": "together"}

METHOD = Method(
    name="tgap",
    title="T-GAP",
    summary="Attention walks across time from the query's subject; the walk is the explanation.",
    settings=TGAPSettings,
    learn=_learn,
    presets={"recommended": _recommended, "paper": _paper},
    spaces=SPACES,
    tasks={COMPLETION.name: {}, FORECAST.name: {"model": FORECAST_BATCHES}},
    adjustable=(
        "core_nodes",
        "added_edges",
        "walk_cap",
        "gather_cap",
        "cap_choice",
        "lazy",
        "sparse",
        "prior",
    ),
)
