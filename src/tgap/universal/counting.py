"""What a graph's own facts say about each relation: the counts behind all statistics, in one pass.

A fact (s, q, o, t) is taken as a question (s, q, ?, t). Every other event (s, r, e, t') at the signed displacement
class b of t' - t speaks for its partner e:

    hits[r, b]    events whose partner is the answer o         misses[r, b]   events with other partners

The same is counted once more with only the nearest event of each type r between s and e (``near_``): a partner met a
hundred times counts once. Cost: O(events of s) per question; ``count_events`` is told which facts to ask, so that the
caller bounds it. The definition in plain loops stands in tests/universal/plain_counts.py.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph.temporal import Int32Array
from tgap.jit import kernel
from tgap.universal.event_index import CLASSES, EventIndex, class_of

Counts32 = NDArray[np.float32]
EARLIEST, LATEST = -(2**31), 2**31 - 1


class Window(NamedTuple):
    """Which events are seen: from ``first`` to ``last``, and of each question only what lies before it, if ``past``."""

    first: int = EARLIEST
    last: int = LATEST
    past: bool = False


class EventCounts(NamedTuple):
    """Counts for one relation of the query; each table is [2R, CLASSES]."""

    hits: Counts32
    misses: Counts32
    near_hits: Counts32
    near_misses: Counts32
    answers: NDArray[np.float64]  # [3] questions, those whose answer is a partner, and a partner by the same relation

    @classmethod
    def zero(cls, relations: int) -> EventCounts:
        """Nothing counted yet; ``relations`` is 2R."""
        hits, misses, near_hits, near_misses = (np.zeros((relations, CLASSES), np.float32) for _ in range(4))
        return cls(hits, misses, near_hits, near_misses, np.zeros(3))

    def without(self, others: EventCounts) -> EventCounts:
        """What is left when some questions are taken out again."""
        return EventCounts(
            np.maximum(self.hits - others.hits, 0), np.maximum(self.misses - others.misses, 0),
            np.maximum(self.near_hits - others.near_hits, 0), np.maximum(self.near_misses - others.near_misses, 0),
            np.maximum(self.answers - others.answers, 0),
        )  # fmt: skip


def count_events(index: EventIndex, questions: Int32Array, window: Window, unit: int, other_end: int) -> EventCounts:
    """Counts over questions, given as edges of one relation.

    ``other_end``: the relation that the other end of the question's interval has, or -1; it would tell the answer.
    """
    counts = EventCounts.zero(index.loop)
    nearest = np.full(index.loop, -1, np.int64)
    _count(index, questions, window, unit, other_end, nearest, counts)
    return counts


@kernel()
def _count(index, questions, window, unit, other_end, nearest, counts):
    for k in range(len(questions)):
        question = questions[k]
        subject, answer, now = index.source[question], index.neighbour[question], index.time[question]
        own, asked = index.fact[question], index.relation[question]
        last = min(window.last, now - 1) if window.past else window.last
        partner, same = 0, 0
        for pair in range(index.pair_row[subject], index.pair_row[subject + 1]):
            hit = index.pair_neighbour[pair] == answer
            begin, end = index.pair_edge[pair], index.pair_edge[pair + 1]
            for e in range(begin, end):
                r, when = index.relation[e], index.time[e]
                if r == index.loop or index.fact[e] == own or when < window.first or when > last:
                    continue
                if hit and r == other_end:
                    continue
                b = class_of(np.int64(when) - now, unit)
                if hit:
                    counts.hits[r, b] += 1
                    partner = 1
                    same = max(same, 1 if r == asked else 0)
                else:
                    counts.misses[r, b] += 1
                known = nearest[r]
                if known < 0 or abs(when - now) < abs(index.time[known] - now):
                    nearest[r] = e
            for e in range(begin, end):
                r = index.relation[e]
                if r != index.loop and nearest[r] >= 0:
                    b = class_of(np.int64(index.time[nearest[r]]) - now, unit)
                    if hit:
                        counts.near_hits[r, b] += 1
                    else:
                        counts.near_misses[r, b] += 1
                    nearest[r] = -1
        counts.answers[0] += 1
        counts.answers[1] += partner
        counts.answers[2] += same


@kernel()
def count_roles(
    index: EventIndex,
    questions: Int32Array,
    window: Window,
    at_subject: NDArray[np.float64],
    at_object: NDArray[np.float64],
) -> None:
    """How many subjects, and how many objects, of questions have an event of each relation; per question, not distinct.

    ``at_subject`` and ``at_object`` [2R] are added to.
    """
    for k in range(len(questions)):
        question = questions[k]
        for side in range(2):
            entity = index.source[question] if side == 0 else index.neighbour[question]
            into = at_subject if side == 0 else at_object
            at, end = index.role_row[entity], index.role_row[entity + 1]
            while at < end:
                r = index.relation[index.role_edge[at]]
                low, high = at, end  # past the last edge of this relation
                while low < high:
                    middle = (low + high) // 2
                    if index.relation[index.role_edge[middle]] <= r:
                        low = middle + 1
                    else:
                        high = middle
                found = False
                for place in range(at, low):
                    e = index.role_edge[place]
                    if index.fact[e] != index.fact[question] and window.first <= index.time[e] <= window.last:
                        found = True
                        break
                if found:
                    into[r] += 1
                at = low
