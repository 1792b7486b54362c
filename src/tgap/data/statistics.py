"""What a dataset is like: the numbers of the paper's table, what splits share, degrees, and facts over time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.data.dataset import Dataset, Leaks
from tgap.data.facts import Facts, Int64Array, contained, distinct
from tgap.data.near_copies import TwinsInTrain, has_twin, interval_ends, near_copies, twins_in_train


class SplitStatistics(NamedTuple):
    """One split. ``unseen``: what train lacks; ``facts_unseen``: facts with an entity or relation that train lacks.

    ``twins``, ``mirrors``, ``pairs``: facts with a near copy in train (see ``near_copies``). For train itself only
    ``twins`` are counted.
    """

    facts: int
    entities: int
    relations: int
    times: int
    unseen_entities: int
    unseen_relations: int
    unseen_times: int
    facts_unseen: int
    twins: int
    mirrors: int
    pairs: int


class Degrees(NamedTuple):
    """Facts of an entity in train, as subject or object, over the entities that train has."""

    median: float
    mean: float
    most: int
    busiest: int  # id of the entity with most
    single: int  # entities with one fact only


class Statistics(NamedTuple):
    """Everything that ``tgap data show`` prints."""

    times: int  # different instants over all splits
    splits: dict[str, SplitStatistics]
    leaks: Leaks
    degrees: Degrees
    own_twins: TwinsInTrain


class TimeBin(NamedTuple):
    """Facts between two instants, both included."""

    first: int
    last: int
    facts: int


def dataset_statistics(dataset: Dataset) -> Statistics:
    """Count everything once."""
    times = distinct(np.concatenate([facts.time for facts in dataset.splits.values()]))
    splits = {name: _split_statistics(dataset, facts) for name, facts in dataset.splits.items()}
    return Statistics(len(times), splits, dataset.leaks(), _degrees(dataset), twins_in_train(dataset))


def facts_over_time(dataset: Dataset, most_bins: int = 24) -> list[TimeBin]:
    """Facts of all splits in at most ``most_bins`` stretches of equal length, from the first instant to the last."""
    length = dataset.timeline.length
    width = -(-length // min(most_bins, length))
    time = np.concatenate([facts.time for facts in dataset.splits.values()])
    counts = np.bincount(time // width, minlength=-(-length // width))
    return [TimeBin(i * width, min((i + 1) * width, length) - 1, int(count)) for i, count in enumerate(counts)]


def _split_statistics(dataset: Dataset, facts: Facts) -> SplitStatistics:
    train = dataset.train
    entities, known = (_present(dataset.num_entities, part.subject, part.object) for part in (facts, train))
    relations, usual = (_present(dataset.num_relations, part.relation) for part in (facts, train))
    times = distinct(facts.time)
    near = near_copies(dataset, facts if facts is not train else facts[:0])
    twins = has_twin(facts, train, interval_ends(dataset.relations)) if facts is train else near.twin
    familiar = known[facts.subject] & known[facts.object] & usual[facts.relation]
    return SplitStatistics(
        facts=len(facts),
        entities=int(entities.sum()),
        relations=int(relations.sum()),
        times=len(times),
        unseen_entities=int((entities & ~known).sum()),
        unseen_relations=int((relations & ~usual).sum()),
        unseen_times=int((~contained(times, distinct(train.time))).sum()),
        facts_unseen=int((~familiar).sum()),
        twins=int(twins.sum()),
        mirrors=int(near.mirror.sum()),
        pairs=int(near.pair.sum()),
    )


def _present(count: int, *columns: Int64Array) -> NDArray[np.bool_]:
    """Which of the ids 0 to ``count`` - 1 occur."""
    mask = np.zeros(count, dtype=bool)
    for column in columns:
        mask[column] = True
    return mask


def _degrees(dataset: Dataset) -> Degrees:
    ends = np.concatenate([dataset.train.subject, dataset.train.object])
    counts = np.bincount(ends, minlength=dataset.num_entities)
    present = counts[counts > 0]
    return Degrees(
        median=float(np.median(present)) if len(present) else 0.0,
        mean=float(present.mean()) if len(present) else 0.0,
        most=int(counts.max(initial=0)),
        busiest=int(counts.argmax()) if len(counts) else 0,
        single=int((present == 1).sum()),
    )
