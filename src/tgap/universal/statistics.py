"""Statistics of a graph with respect to the relation of a query, made when that relation is first asked for.

From the counts of ``counting.py`` come, for every relation r and displacement class b,

    P[r, b]   chance that the partner of such an event is the answer, backed off where few were counted
    L[r, b]   log of P over the base rate of the relation that is asked

P is drawn by ``_TRIALS`` trials to a prior: what events of the same kind (the relation itself, its inverse, others)
show at this displacement, times how much more or less often r hits than its kind; that again to shipped ratios, which
stand for graphs in general. So a relation pair seen twice says little, and one never seen says what its kind says. All
are ratios: none depends on the size of the graph. Displacements count the graph's own unit (``natural_unit``).

What may be seen is part of the key. A window's statistics read nothing outside it; where each query sees only what lies
before it, they end at a cutoff that depends on the number of facts before the query alone, so the future cannot leak
and few distinct cutoffs serve many times.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Facts
from tgap.data.near_copies import has_twin, interval_ends
from tgap.graph import TemporalGraph, View
from tgap.graph.candidate_events import ByTime
from tgap.universal.counting import EARLIEST, LATEST, EventCounts, Window, count_events, count_roles
from tgap.universal.event_index import CLASSES, EventIndex

Floats = NDArray[np.float32]
_TRIALS = 4.0
_KIND_TRIALS = 8.0
_LIFT_HITS = 2.0
_MOST_EVENTS = 3_000_000  # read for one relation: some ten milliseconds
_MOST_ROLES = 2_000
_KEPT = 4096  # profiles, the most recently used
_GRID_BITS = 4  # cutoffs are numbers of facts with so many leading bits
_APART = 0.5  # share of held-out facts whose other end is in train, above which that is the rule
_GAPS = 8  # units per typical gap between events of an entity


class Chances(NamedTuple):
    """P and L [2R, CLASSES]."""

    chance: Floats
    lift: Floats


@dataclass(frozen=True, eq=False)
class Profile:
    """What is known about one relation of the query within a window."""

    relation: int
    window: Window
    unit: int
    step: int  # every so many of its questions were counted
    counts: EventCounts
    event: Chances
    near: Chances
    roles: Floats  # [2R, 4] share of the subjects, of the objects, that have an event of r as subject; log freq; kind
    shares: Floats  # [3] log number of questions counted; share of answers that are partners; partners by the relation


class Statistics:
    """Statistics of one graph. Threads may share it."""

    def __init__(self, graph: TemporalGraph, prior: Floats, other_end: NDArray[np.int64] | None = None) -> None:
        self.graph = graph
        self.prior = prior  # [2, 3, CLASSES] log of the usual ratio, for all and for nearest events
        self._other_end = other_end
        self._units: dict[Window, int] = {}
        self._frequencies: dict[Window, NDArray[np.float64]] = {}
        self._kept: OrderedDict[tuple[int, Window], Profile] = OrderedDict()
        self._lock = Lock()

    @cached_property
    def index(self) -> EventIndex:
        """The graph's events in the orders that are read."""
        return EventIndex.of(self.graph)

    @cached_property
    def by_time(self) -> ByTime:
        """The events of each entity in order of time."""
        return ByTime.of(self.graph)

    @cached_property
    def _times(self) -> NDArray[np.int32]:
        """Times of the facts, ascending."""
        return np.sort(self.graph.time[self.graph.fact_edge[self.graph.fact_row[:-1]]])

    def window(self, view: View, time: int) -> Window:
        """The window of the statistics for a query of this time."""
        earliest, latest, length = view.earliest_of_all(), view.limit_of_all(), view.window_length()
        first = EARLIEST if earliest is None else earliest
        first = first if length is None else max(first, time - length)
        last = LATEST if latest is None else latest
        if not view.past_only:
            return Window(first, last, past=False)
        stop = int(np.searchsorted(self._times, min(time, last + 1)))
        begin = int(np.searchsorted(self._times, first))
        seen = max(stop - begin, 0)
        rest = max(seen.bit_length() - _GRID_BITS, 0)
        at = begin + (seen >> rest << rest)
        cutoff = int(self._times[at]) if at < stop else min(time, last + 1)
        return Window(first, cutoff - 1, past=True)

    def unit(self, window: Window) -> int:
        """The natural unit of the events within a window."""
        if window not in self._units:
            self._units[window] = natural_unit(self.graph, self.by_time, window)
        return self._units[window]

    def _frequency(self, window: Window) -> NDArray[np.float64]:
        """[2R] share of the events within a window that have each relation."""
        if window not in self._frequencies:
            shown = self.graph.relation[self.index.asked_edge]
            times = self.graph.time[self.index.asked_edge]
            shown = shown[(times >= window.first) & (times <= window.last)]
            found = np.bincount(shown, minlength=self.index.loop) / max(len(shown), 1)
            self._frequencies[window] = found
        return self._frequencies[window]

    def profile(self, relation: int, window: Window) -> Profile:
        """What is known about a relation (inverses have their own)."""
        key = (relation, window)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = self._make(relation, window)
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made

    def other_end(self, relation: int) -> int:
        """The relation at the other end of an interval, or -1."""
        return -1 if self._other_end is None else int(self._other_end[relation])

    def without(self, profile: Profile, questions: NDArray[np.int32]) -> Profile:
        """The profile without what some of its questions (edges) added: as if they had not been asked."""
        asked = self._asked(profile.relation, profile.window)
        place = np.flatnonzero(np.isin(asked, questions))
        counted = asked[place[place % profile.step == 0]]
        other_end = self.other_end(profile.relation)
        own = count_events(self.index, counted, profile.window, profile.unit, other_end)
        return replace(profile, **self._derived(profile.relation, profile.counts.without(own)))

    def _asked(self, relation: int, window: Window) -> NDArray[np.int32]:
        """Edges of a relation within a window, in order of time."""
        edges = self.index.asked(relation)
        times = self.graph.time[edges]
        begin, stop = np.searchsorted(times, window.first), np.searchsorted(times, window.last, side="right")
        return edges[begin:stop]

    def _make(self, relation: int, window: Window) -> Profile:
        index, asked = self.index, self._asked(relation, window)
        cost = int(np.diff(index.row)[index.source[asked]].sum())
        step = max(1, -(-cost // _MOST_EVENTS))
        unit = self.unit(window)
        counts = count_events(index, asked[::step], window, unit, self.other_end(relation))
        at_subject, at_object = np.zeros(index.loop), np.zeros(index.loop)
        sample = asked[:: max(1, -(-len(asked) // _MOST_ROLES))]
        count_roles(index, sample, window, at_subject, at_object)
        frequency = self._frequency(window)
        roles = np.stack(
            [
                at_subject / max(len(sample), 1),
                at_object / max(len(sample), 1),
                np.log(frequency + 1e-6),
                self._kinds(relation).astype(np.float64),
            ],
            axis=1,
        ).astype(np.float32)
        return Profile(relation, window, unit, step, roles=roles, **self._derived(relation, counts))

    def _derived(self, relation: int, counts: EventCounts) -> dict[str, Any]:
        kinds = self._kinds(relation)
        asked, partners, same = counts.answers
        shares = np.array([np.log1p(asked), (partners + 1) / (asked + 2), (same + 1) / (asked + 3)], np.float32)
        return {
            "counts": counts,
            "event": chances(counts.hits, counts.misses, kinds, self.prior[0]),
            "near": chances(counts.near_hits, counts.near_misses, kinds, self.prior[1]),
            "shares": shares,
        }

    def _kinds(self, relation: int) -> NDArray[np.int64]:
        """[2R] 0 for the relation itself, 1 for its inverse, 2 for others."""
        count = self.graph.num_relations
        kinds = np.full(2 * count, 2, np.int64)
        kinds[relation], kinds[(relation + count) % (2 * count)] = 0, 1
        return kinds


def chances(hits: Floats, misses: Floats, kinds: NDArray[np.int64], prior: Floats) -> Chances:
    """P and L from counts [2R, CLASSES]; ``prior`` [3, CLASSES]: log of the usual ratio to the base rate, by kind."""
    trials = hits + misses
    base = (hits.sum() + 0.5) / (trials.sum() + 25.0)
    usual = np.minimum(base * np.exp(prior), 0.9)
    by_kind = np.zeros((3, CLASSES))
    for kind in range(3):
        rows = kinds == kind
        tried = trials[rows].sum(0) + _KIND_TRIALS
        by_kind[kind] = (hits[rows].sum(0) + _KIND_TRIALS * usual[kind]) / tried
    expected = by_kind[kinds]
    ratio = (hits.sum(1) + _LIFT_HITS) / ((trials * expected).sum(1) + _LIFT_HITS)
    drawn = np.minimum(expected * ratio[:, None], 0.95)
    chance = (hits + _TRIALS * drawn) / (trials + _TRIALS)
    return Chances(chance.astype(np.float32), np.log(chance / base + 1e-4).astype(np.float32))


def natural_unit(graph: TemporalGraph, by_time: ByTime, window: Window) -> int:
    """A power of two of time units: about an eighth of the median gap between an entity's successive instants.

    1 for data whose calendar unit is coarse already (days, years); minutes or so for events stamped in seconds. O(E).
    """
    times = graph.time[by_time.edge]
    shown = (times >= window.first) & (times <= window.last)
    entity, times = graph.source[by_time.edge][shown], times[shown].astype(np.int64)
    gaps = np.diff(times)[np.diff(entity) == 0]
    gaps = gaps[gaps > 0]
    typical = float(np.median(gaps)) / _GAPS if len(gaps) else 1.0
    return 1 << max(int(np.floor(np.log2(max(typical, 1.0)))), 0)


def other_ends(dataset: Dataset) -> NDArray[np.int64] | None:
    """[2R] the relation at the other end of a relation's intervals, or -1; None where no question misses both ends.

    Where the held-out facts of a dataset have their other ends in train, what is asked may be seen from there, and
    statistics should know it.
    """
    ends = interval_ends(dataset.relations)
    if not (ends.partner >= 0).any():
        return None
    held = Facts.concatenate([dataset.valid, dataset.test])
    if len(held) and has_twin(held, dataset.train, ends).mean() > _APART:
        return None
    count = len(ends.partner)
    return np.concatenate([ends.partner, np.where(ends.partner >= 0, ends.partner + count, -1)])
