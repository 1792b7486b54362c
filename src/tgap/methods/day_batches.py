"""An epoch's batches: every training fact asked in both directions, once an epoch, in an order fixed by (seed, epoch).

Queries that must or should share a batch form a *unit*. With ``directions = "together"`` the two directions of a fact
do, which halves what a batch hides. With ``siblings = "together"`` so do all answers of one (s, r, t): they walk once,
but then a sibling is always hidden in training, while in evaluation those in train are visible, and the model does not
learn to pass them by (docs/study-icews14.md). A unit larger than a batch is cut. Units are dealt to batches like this:

1. Timestamps are shuffled and taken in pools of ``days_per_batch`` (0: one pool of everything). A batch hides its
   facts, and one that holds a thin day whole would hide that day whole: what happened on the day of the question, the
   best evidence there is, would never be seen in training. So thin timestamps come first and share pools until a batch
   of the pool hides about ``hidden_share`` of each at most (a pool of Q queries has Q / 2 facts, a batch hides up to
   ``batch_size`` of them, half as many with ``directions = "together"``), and half a batch at least is there.
2. A pool of Q queries makes ceil(Q / batch_size) batches of nearly equal size (33 queries at 32 a batch give 17 and
   16, not 32 and 1): the largest units first, each to the emptiest batch, equals in random order. If a unit does not
   fit, the pool gets one batch more. No batch exceeds ``batch_size``.
3. The batches of all pools are shuffled.

A batch hides its facts with all their copies. With ``repeats = "visible"`` a fact that stands in train more than once
stays in sight instead: where the data to be asked about repeat train as train repeats itself, the model learns to see.

Where facts are the two ends of intervals, a batch can hide the other end of each interval that it asks about, too: the
*twin*. With ``twins = "auto"`` it does where train holds the twins of its own facts but not those of valid
(``tgap.data.near_copies.TwinsInTrain``), as in data that are divided by intervals.

With ``other_answers = "aside"`` a batch knows all true answers of its queries, visible or not: those besides the one
that is asked for step aside in the loss, as they do when ranks are filtered by time.

The shuffles use the raw output of a counter-based stream seeded with (seed, epoch), so a resumed run rebuilds the
epoch it was in, and no generator state needs saving.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.config import TrainingConfig
from tgap.data import Dataset, Facts
from tgap.data.facts import both_directions
from tgap.data.near_copies import interval_ends, other_ends, twins_in_train
from tgap.evaluation.true_answers import AnswerTable
from tgap.graph import TemporalGraph
from tgap.graph.task import COMPLETION, Task
from tgap.model.batch import HiddenBatch
from tgap.model.settings import TGAPSettings
from tgap.scorer import IntArray, QueryBatch

_PLAN, _SAMPLING = 0, 1  # what a stream is for, so that two streams of one epoch differ


@dataclass(frozen=True)
class TrainingQueries:
    """All training queries, sorted by unit; units are sorted by time."""

    subject: IntArray  # [Q]
    relation: IntArray  # [Q] r for (s, r, ?), r + R for (o, r + R, ?)
    answer: IntArray  # [Q]
    time: IntArray  # [Q]
    fact: IntArray  # [Q] id as in ``graph.fact``
    hides: NDArray[np.bool_]  # [Q] whether the fact is hidden while it is asked about
    twin: IntArray  # [Q] the fact at the other end of the same interval, hidden with it; -1: none
    unit: IntArray  # [U+1] queries of unit u stand at unit[u]..unit[u+1]
    true: AnswerTable | None  # their true answers, where others than the one that is asked for step aside

    def __len__(self) -> int:
        return len(self.subject)

    @classmethod
    def of(
        cls,
        facts: Facts,
        graph: TemporalGraph,
        settings: TGAPSettings,
        batch_size: int,
        twins: IntArray | None = None,
    ) -> TrainingQueries:
        """Both directions of every fact (repeated facts stay repeated), grouped into units.

        ``twins`` are those of ``hidden_twins``: for each fact the position of the one that is hidden with it, or -1.
        """
        subject, relation, answer, time = both_directions(facts, graph.num_relations).columns
        known = graph.find_facts(facts.subject, facts.relation, facts.object, facts.time)
        assert (known >= 0).all(), "a training fact is missing from the graph"
        fact = np.concatenate([known, known])
        twin = np.full(len(fact), -1) if twins is None else np.tile(np.where(twins >= 0, known[twins], -1), 2)

        # What stays together: queries that walk alike, or only the copies of one fact's query.
        alike = (subject, relation) if settings.siblings == "together" else (fact, relation)
        walk = _number_rows(time, *alike)
        group = _join_directions(walk) if settings.directions == "together" else walk
        order = np.lexsort((relation, fact, group))  # group numbers rise with time
        place = _place_in_group(group[order])
        fresh = place % batch_size == 0  # a new unit, or the cut of one that is larger than a batch
        bounds = np.append(np.flatnonzero(fresh), len(order)).astype(np.int64)
        hides = np.ones(len(order), dtype=bool) if settings.repeats == "hidden" else ~_repeated(known)[fact[order]]
        size = graph.num_entities, graph.num_relations
        true = AnswerTable.build(*size, facts, by_time=True) if settings.other_answers == "aside" else None
        asked = subject[order], relation[order], answer[order], time[order]
        return cls(*asked, fact[order], hides, twin[order], bounds, true)


class EpochPlan:
    """The batches of one epoch, a pure function of the queries, the settings and the epoch's number."""

    def __init__(
        self,
        queries: TrainingQueries,
        settings: TGAPSettings,
        training: TrainingConfig,
        epoch: int,
        task: Task = COMPLETION,
    ) -> None:
        self.queries = queries
        self.epoch = epoch
        self.limits = task.limits
        self.sampling_seed = (
            int(_stream(training.seed, epoch, _SAMPLING).random_raw()) >> 1
        )  # fits a signed 64-bit word
        random = _stream(training.seed, epoch, _PLAN)
        sizes = np.diff(queries.unit)
        shuffled = np.argsort(random.random_raw(len(sizes)), kind="stable")
        day_of_unit = _number_rows(queries.time[queries.unit[:-1]])
        day_sizes = np.bincount(day_of_unit, weights=sizes).astype(np.int64)
        pool_of_day = _pools(day_sizes, settings, training.batch_size, random)
        pool = pool_of_day[day_of_unit[shuffled]]
        by_pool = np.lexsort((-sizes[shuffled], pool))  # stable: equal sizes stay shuffled
        shuffled = shuffled[by_pool]
        cuts = np.flatnonzero(np.diff(pool[by_pool])) + 1
        batches = [
            units
            for members in np.split(shuffled, cuts)
            for units in _deal(members, sizes[members], training.batch_size)
        ]
        order = np.argsort(random.random_raw(len(batches)), kind="stable")
        self._units = [np.sort(batches[place]) for place in order]

    def __len__(self) -> int:
        return len(self._units)

    def __getitem__(self, index: int) -> HiddenBatch:
        if not 0 <= index < len(self):
            raise IndexError(f"batch {index} of {len(self)}")
        queries = self.queries
        units = self._units[index]
        rows = np.concatenate([np.arange(queries.unit[u], queries.unit[u + 1]) for u in units])
        batch = QueryBatch(queries.subject[rows], queries.relation[rows], queries.time[rows])
        # Where only the past is seen, the facts of a batch are out of sight anyway, and are past to its later queries.
        hiding = rows[:0] if self.limits.past_only else rows[queries.hides[rows]]
        twins = queries.twin[hiding]
        hidden = np.unique(np.concatenate([queries.fact[hiding], twins[twins >= 0]]))
        true = None if queries.true is None else queries.true.rows(batch).pairs()
        seed = self.sampling_seed
        return HiddenBatch(self.epoch, index, batch, queries.answer[rows], hidden, seed, self.limits, true)


def hidden_twins(dataset: Dataset, settings: TGAPSettings) -> IntArray | None:
    """For each training fact the position of its twin if batches hide it, or -1; None where no twin is hidden."""
    if settings.twins == "visible" or (settings.twins == "auto" and not twins_in_train(dataset).differ):
        return None
    return other_ends(dataset.train, interval_ends(dataset.relations))


def _stream(seed: int, epoch: int, purpose: int) -> np.random.PCG64:
    return np.random.PCG64(np.random.SeedSequence((seed, epoch, purpose)))


def _number_rows(*columns: IntArray) -> IntArray:
    """Dense number of each row's distinct value, in the sorted order of the columns."""
    order = np.lexsort(columns[::-1])
    fresh = np.zeros(len(order), dtype=np.int64)
    for column in columns:
        fresh[1:] |= column[order][1:] != column[order][:-1]
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(fresh)
    return number


def _repeated(fact: IntArray) -> NDArray[np.bool_]:
    """[F] whether a fact stands in train more than once."""
    return np.bincount(fact) > 1


def _join_directions(walk: IntArray) -> IntArray:
    """Label the connected groups of facts that share a walk in either direction, for each query.

    ``walk`` holds the walk of every fact's plain query, then of every inverse query. Labels spread along shared
    walks until nothing changes; groups lie inside one (relation, timestamp), so this takes few rounds.
    """
    count = len(walk) // 2
    label = walk[:count].copy()  # walks are numbered by time, so groups are too
    while True:
        least = np.full(int(walk.max(initial=-1)) + 1, len(walk), dtype=np.int64)
        np.minimum.at(least, walk, np.concatenate([label, label]))
        spread = np.minimum(least[walk[:count]], least[walk[count:]])
        if (spread == label).all():
            return np.concatenate([label, label])
        label = spread


def _place_in_group(group: IntArray) -> IntArray:
    """For sorted group numbers: how many earlier rows belong to the same group."""
    rows = np.arange(len(group))
    first = np.ones(len(group), dtype=bool)
    first[1:] = group[1:] != group[:-1]
    return rows - np.maximum.accumulate(np.where(first, rows, 0))


def _least_pool(settings: TGAPSettings, batch_size: int) -> float:
    """Queries that a pool needs, so that a batch hides no more than ``hidden_share`` of its timestamps."""
    if settings.hidden_share == 1:
        return batch_size / 2
    hidden_facts = batch_size / (2 if settings.directions == "together" else 1)
    return 2 * hidden_facts / settings.hidden_share


def _pools(day_sizes: IntArray, settings: TGAPSettings, batch_size: int, random: np.random.PCG64) -> IntArray:
    """Pool of each timestamp: rule 1 of the module."""
    pool = np.zeros(len(day_sizes), dtype=np.int64)
    if settings.days_per_batch == 0:
        return pool
    enough = _least_pool(settings, batch_size)
    shuffled = np.argsort(random.random_raw(len(day_sizes)), kind="stable")
    thin_first = shuffled[np.argsort(day_sizes[shuffled] >= enough, kind="stable")]
    current = days = queries = 0
    for day in thin_first:
        if days >= settings.days_per_batch and queries >= enough:
            current, days, queries = current + 1, 0, 0
        pool[day] = current
        days, queries = days + 1, queries + int(day_sizes[day])
    return pool


def _deal(units: IntArray, sizes: IntArray, batch_size: int) -> list[IntArray]:
    """Units of one pool (largest first) to nearly equal batches: rule 2 of the module."""
    count = -(-int(sizes.sum()) // batch_size)
    while True:
        dealt: list[list[int]] = [[] for _ in range(count)]
        loads = [(0, batch) for batch in range(count)]  # a heap: the emptiest batch first
        for unit, size in zip(units.tolist(), sizes.tolist(), strict=True):
            load, batch = loads[0]
            if load + size > batch_size:
                break
            dealt[batch].append(unit)
            heapq.heapreplace(loads, (load + size, batch))
        else:
            return [np.array(members, dtype=np.int64) for members in dealt]
        count += 1
