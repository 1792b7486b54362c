"""The other scorers, one method a file. ``build_baseline(name, dataset)`` makes one.

Every result table shows the untrained ones, so that nobody takes a repeated event for intelligence.
"""

from collections.abc import Callable

from tgap.baselines.frequency import FrequencyScorer
from tgap.baselines.recency import RecencyScorer
from tgap.data import Dataset
from tgap.errors import ConfigError
from tgap.graph import TemporalGraph
from tgap.scorer import Scorer

__all__ = ["BASELINES", "UNTRAINED", "FrequencyScorer", "RecencyScorer", "build_baseline"]


def _train_graph(dataset: Dataset) -> TemporalGraph:
    train = dataset.train
    return TemporalGraph.build(
        dataset.num_entities, dataset.num_relations, train.subject, train.relation, train.object, train.time
    )


BASELINES: dict[str, Callable[[Dataset], Scorer]] = {
    "recency": lambda dataset: RecencyScorer(_train_graph(dataset)),
    "frequency": lambda dataset: FrequencyScorer(_train_graph(dataset)),
}
UNTRAINED = ("recency", "frequency")  # cheap enough to stand beside every result


def build_baseline(name: str, dataset: Dataset) -> Scorer:
    """The baseline of that name, ready to answer queries about a dataset."""
    if name not in BASELINES:
        raise ConfigError(f"unknown baseline {name!r}; expected one of {', '.join(BASELINES)}")
    return BASELINES[name](dataset)
