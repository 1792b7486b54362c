"""Where a scorer is good and where it is not: queries sorted into buckets, metrics of each bucket.

* relation   the fact's relation, both directions together
* degree     train events that the query's subject takes part in: how much is known about it
* answers    true answers at exactly this time, all splits: how crowded the question is
* distance   from the query's time to the nearest train event of the same (s, r, o), in units of the timeline:
             how far back or ahead the same thing happened. "never" is news; 0 means that the fact itself stands in
             train, which a clean split does not have
* seen       whether train knows the two entities at all
* evidence   the strongest thing that train tells about the fact, see ``strata``
* end        which end of an interval is asked about, where relations come in pairs -since and -until. The first kind
             is one fact of each interval, as papers about intervals ask
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Facts
from tgap.data.facts import contained, fact_keys
from tgap.data.near_copies import interval_ends, other_ends
from tgap.evaluation.metrics import Metrics
from tgap.evaluation.queries import SplitQueries
from tgap.evaluation.ranks import Ranks
from tgap.evaluation.strata import STRATA, strata_of
from tgap.evaluation.true_answers import TrueAnswers
from tgap.scorer import IntArray

BREAKDOWNS = ("relation", "degree", "answers", "distance", "seen", "evidence", "end")

DEGREES = (0, 1, 10, 30, 100, 300, 1000)  # first value of each bucket
ANSWERS = (1, 2, 3, 6, 11)
DISTANCES = (0, 1, 2, 4, 8, 15, 31, 91, 366)
NEW_FACTS = "never"  # label of the distances of facts whose (s, r, o) train does not have
NEVER = -1  # distance of a fact whose (s, r, o) train does not have
SEEN = ("both entities in train", "answer not in train", "subject not in train", "neither in train")
ENDS = ("start, or the only end known", "end", "no interval")


@dataclass(frozen=True)
class Bucket:
    """Metrics (mean ties) of the queries that fall together."""

    label: str
    queries: int
    metrics: dict[str, Metrics]  # by protocol


@dataclass(frozen=True)
class Traits:
    """What the breakdowns know about each of Q queries."""

    relation: IntArray  # [Q] without inverses
    degree: IntArray  # [Q]
    answers: IntArray  # [Q]
    distance: IntArray  # [Q] NEVER where there is none
    seen: IntArray  # [Q] position in SEEN
    evidence: IntArray  # [Q] position in STRATA
    end: IntArray | None  # [Q] position in ENDS; None where the dataset has no intervals

    @classmethod
    def of(cls, queries: SplitQueries, dataset: Dataset, answers: TrueAnswers) -> Traits:
        """Look everything up, vectorised; cheap beside scoring."""
        train, batch = dataset.train, queries.batch
        count = dataset.num_entities
        degree = np.bincount(train.subject, minlength=count) + np.bincount(train.object, minlength=count)
        relation = batch.relation % dataset.num_relations
        fact = Facts(
            np.where(queries.head, queries.answer, batch.subject),
            relation,
            np.where(queries.head, batch.subject, queries.answer),
            batch.time,
        )
        return cls(
            relation=relation,
            degree=degree[batch.subject],
            answers=answers.at_that_time().rows(batch).count,
            distance=nearest_distance(train, fact),
            seen=(degree[queries.answer] == 0) + 2 * (degree[batch.subject] == 0),
            evidence=strata_of(dataset, fact),
            end=asked_ends(dataset, fact),
        )


def asked_ends(dataset: Dataset, facts: Facts) -> IntArray | None:
    """Which end of its interval each fact is, as a position in ``ENDS``; None where the dataset has no intervals."""
    ends = interval_ends(dataset.relations)
    if not (ends.partner >= 0).any():
        return None
    known = Facts.concatenate(list(dataset.splits.values()))
    second = known[(other_ends(known, ends) >= 0) & ~ends.start[known.relation]]
    keys, there = fact_keys([facts, second])
    asked = np.where(contained(keys, np.sort(there)), 1, 0)
    return np.where(ends.partner[facts.relation] >= 0, asked, 2)


def nearest_distance(train: Facts, facts: Facts) -> IntArray:
    """Time from each fact to the nearest train event of the same (s, r, o); ``NEVER`` where train has none.

    >>> train = Facts(*(np.array(column) for column in ([0, 0], [0, 0], [1, 1], [10, 30])))
    >>> asked = Facts(*(np.array(column) for column in ([0, 0, 1], [0, 0, 0], [1, 1, 0], [18, 99, 10])))
    >>> nearest_distance(train, asked).tolist()
    [8, 69, -1]
    """
    if not len(train.time):
        return np.full(len(facts.time), NEVER, dtype=np.int64)
    # Number the triples of both sides together, so that (triple, time) packs into one sortable number.
    subject, relation, obj = (np.concatenate(pair) for pair in zip(train.columns[:3], facts.columns[:3], strict=True))
    packed = (subject * (relation.max() + 1) + relation) * (obj.max() + 1) + obj
    _, triple = np.unique(packed, return_inverse=True)
    known, asked = np.split(triple.reshape(-1), [len(train.time)])
    first, last = int(train.time.min()), int(train.time.max())
    span = last - first + 1
    order = np.lexsort((train.time, known))
    known, time = known[order], train.time[order]
    place = np.searchsorted(known * span + (time - first), asked * span + np.clip(facts.time - first, 0, span - 1))
    best = np.full(len(asked), np.iinfo(np.int64).max)
    for at in (place - 1, place):  # the event before and the event at or after
        inside = np.clip(at, 0, len(known) - 1)
        same = (known[inside] == asked) & (at == inside)
        best = np.where(same, np.minimum(best, np.abs(time[inside] - facts.time)), best)
    return np.where(best == np.iinfo(np.int64).max, NEVER, best)


def break_down(ranks: Ranks, traits: Traits, relation_names: Sequence[str]) -> dict[str, tuple[Bucket, ...]]:
    """Buckets of every breakdown, empty ones left out; relations by number of queries, the rest in natural order.

    The breakdown ``end`` is there only for data with intervals.
    """
    distance_labels = [*_labels(DISTANCES), NEW_FACTS]
    distance = np.where(traits.distance == NEVER, len(DISTANCES), _place(traits.distance, DISTANCES))
    relation = _buckets(ranks, traits.relation, relation_names)
    buckets = {
        "relation": tuple(sorted(relation, key=lambda bucket: -bucket.queries)),
        "degree": _buckets(ranks, _place(traits.degree, DEGREES), _labels(DEGREES)),
        "answers": _buckets(ranks, _place(traits.answers, ANSWERS), _labels(ANSWERS)),
        "distance": _buckets(ranks, distance, distance_labels),
        "seen": _buckets(ranks, traits.seen, SEEN),
        "evidence": _buckets(ranks, traits.evidence, [stratum.label for stratum in STRATA]),
    }
    return buckets if traits.end is None else {**buckets, "end": _buckets(ranks, traits.end, ENDS)}


def _buckets(ranks: Ranks, place: IntArray, labels: Sequence[str]) -> tuple[Bucket, ...]:
    used, group, size = np.unique(place, return_inverse=True, return_counts=True)
    columns = {name: Metrics.grouped(ranks.of(name), group.reshape(-1), len(used)) for name in ranks.protocols}
    return tuple(
        Bucket(labels[int(at)], int(size[k]), {name: column[k] for name, column in columns.items()})
        for k, at in enumerate(used)
    )


def _place(values: NDArray[np.int64], firsts: Sequence[int]) -> IntArray:
    """Bucket of each value: the last one whose first value is not beyond it."""
    return np.maximum(np.searchsorted(np.array(firsts), values, side="right") - 1, 0)


def _labels(firsts: Sequence[int]) -> list[str]:
    """'1', '2-3', '4+' for buckets that start at 1, 2 and 4."""
    ends = [following - 1 for following in firsts[1:]]
    labels = [f"{first}" if first == end else f"{first}-{end}" for first, end in zip(firsts[:-1], ends, strict=True)]
    return [*labels, f"{firsts[-1]}+"]
