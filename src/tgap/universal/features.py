"""Features of candidates: what the graph's events say for each entity that may be the answer.

For a query (s, q, ?, t) and a candidate o they are read from the visible events of the pair (s, o), from the visible
facts (., q, o, .) of the candidate in its role, and from its other events near t. Distances count the graph's own unit.
For those in ``COMPARED`` the difference to the best candidate of the query is added: what counts is the competition.

Cost per candidate: O(events of the pair + facts of the role, at most ``_MOST`` of each side of t).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.graph.candidate_events import ByTime
from tgap.graph.resolve import VisibleGraph
from tgap.jit import kernel
from tgap.universal.counting import Counts32
from tgap.universal.event_index import EventIndex, class_of
from tgap.universal.statistics import Profile

_MOST = 512
_FAR = 20.0  # log2 of the distance to an event that is not there
_LOW = -6.0  # log ratio where there is no event
DECAYS = (2.0, 8.0, 32.0, 128.0)  # units

PAIR = (
    "same relation, decay 2", "same relation, decay 8", "same relation, decay 32", "same relation, decay 128",
    "same relation, count", "any relation, decay 2", "any relation, decay 8", "any relation, decay 32",
    "any relation, decay 128", "any relation, count", "inverse, decay 8", "inverse, count",
    "same relation, last before", "same relation, next after", "last before", "next after", "at the instant",
    "events, chance", "events, best", "events, second", "events, third", "events, best past", "events, positive sum",
    "events, positive count", "near, chance", "near, best", "near, second", "near, sum", "is a partner",
)  # fmt: skip
ROLE = (
    "role, share", "role, decay 2", "role, decay 16", "role, decay 128", "role, last before", "role, next after",
    "role, at the instant", "role, part of events",
)  # fmt: skip
ACTIVITY = ("events, against mean", "events within 2", "events within 16")
QUERY = (
    "partners", "events of subject", "relation, count", "relation, partners", "relation, repeats", "relation, variety",
)  # fmt: skip
WALK = ("walk, log mass", "walk, share of best", "walk, log mass outside")
SINGLE = (*PAIR, *ROLE, *ACTIVITY, *QUERY)
COMPARED = (
    "same relation, decay 2", "same relation, decay 8", "same relation, decay 32", "same relation, decay 128",
    "same relation, count", "any relation, decay 8", "any relation, decay 128", "any relation, count", "last before",
    "events, chance", "events, best", "events, positive sum", "near, chance", "near, best", "near, sum",
    "role, share", "role, decay 2", "role, decay 16", "role, decay 128", "events, against mean", "events within 16",
)  # fmt: skip
NAMES = (*SINGLE, *(f"{name}, to best" for name in COMPARED), *WALK)
_COMPARED = np.array([SINGLE.index(name) for name in COMPARED])
_FIRST_ROLE, _FIRST_ACTIVITY, _FIRST_QUERY = len(PAIR), len(PAIR) + len(ROLE), len(PAIR) + len(ROLE) + len(ACTIVITY)


class Reading(NamedTuple):
    """What the kernel reads of the statistics and the graph besides the index."""

    mask: NDArray[np.uint8]
    degree: NDArray[np.int32]
    by_time_row: NDArray[np.int64]
    by_time_edge: NDArray[np.int32]
    chance: Counts32
    lift: Counts32
    near_chance: Counts32
    near_lift: Counts32
    unit: int
    mean_degree: float
    role_total: int


def candidate_features(
    index: EventIndex,
    by_time: ByTime,
    visible: VisibleGraph,
    profile: Profile,
    subject: NDArray[np.int64],
    time: NDArray[np.int64],
    row: NDArray[np.int64],
    entity: NDArray[np.int64],
) -> NDArray[np.float32]:
    """[C, len(SINGLE) + len(COMPARED)] of the candidates of queries of one relation; ``row`` [B+1]: those of each."""
    graph = visible.graph
    shown = visible.mask[index.asked(profile.relation)]
    total = int(shown.sum())
    reading = Reading(
        visible.mask, visible.degree, *by_time, *profile.event, *profile.near, profile.unit,
        max(float(visible.degree.sum()) / graph.num_entities - 1, 1.0), total,
    )  # fmt: skip
    single = np.zeros((len(entity), len(SINGLE)), np.float32)
    inverse = (profile.relation + graph.num_relations) % (2 * graph.num_relations)
    nearest = np.full(index.loop, -1, np.int64)
    _fill(index, reading, profile.relation, inverse, subject, time, row, entity, nearest, single)
    distinct = len(np.unique(graph.neighbour[index.asked(profile.relation)][shown != 0]))
    single[:, _FIRST_QUERY + 2 : _FIRST_QUERY + 5] = profile.shares
    single[:, _FIRST_QUERY + 5] = np.log((distinct + 1) / (total + 1))
    compared = single[:, _COMPARED]
    filled = np.flatnonzero(np.diff(row))
    best = np.maximum.reduceat(compared, row[filled], axis=0) if len(filled) else compared[:0]
    compared = compared - np.repeat(best, np.diff(row)[filled], axis=0)
    return np.concatenate([single, compared], axis=1)


@kernel()
def _fill(index, reading, asked, inverse, subject, time, row, entity, nearest, out):
    for b in range(len(row) - 1):
        s, now = subject[b], time[b]
        partners = 0
        for c in range(row[b], row[b + 1]):
            partners += _pair(index, reading, asked, inverse, s, now, entity[c], nearest, out[c])
            _role(index, reading, inverse, now, entity[c], out[c, len(PAIR) :])
            _activity(index, reading, s, now, entity[c], out[c, _FIRST_ACTIVITY:])
        for c in range(row[b], row[b + 1]):
            out[c, _FIRST_QUERY] = np.log1p(partners)
            out[c, _FIRST_QUERY + 1] = np.log((reading.degree[s]) / (reading.mean_degree + 1))


@kernel()
def _find_pair(index, s, o):
    low, high = index.pair_row[s], index.pair_row[s + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if index.pair_neighbour[middle] < o:
            low = middle + 1
        else:
            high = middle
    if low < end and index.pair_neighbour[low] == o:
        return index.pair_edge[low], index.pair_edge[low + 1]
    return np.int64(0), np.int64(0)


@kernel()
def _pair(index, reading, asked, inverse, s, now, o, nearest, x):
    """Features of the events between subject and candidate; 1 if there is one."""
    begin, end = _find_pair(index, s, o)
    wrong = 1.0
    first, second, third, past, positive = _LOW, _LOW, _LOW, _LOW, 0.0
    count, same_before, same_after, before, after = 0, 1e9, 1e9, 1e9, 1e9
    for e in range(begin, end):
        r = index.relation[e]
        if r == index.loop or reading.mask[e] == 0:
            continue
        count += 1
        dt = np.int64(index.time[e]) - now
        b = class_of(dt, reading.unit)
        lift = reading.lift[r, b]
        wrong *= 1 - reading.chance[r, b]
        if lift > first:
            first, second, third = lift, first, second
        elif lift > second:
            second, third = lift, second
        elif lift > third:
            third = lift
        if dt <= 0:
            past = max(past, lift)
        if lift > 0:
            positive += lift
            x[23] += 1
        a = abs(dt) / reading.unit
        d0, d1, d2, d3 = np.exp(-a / 2), np.exp(-a / 8), np.exp(-a / 32), np.exp(-a / 128)
        if r == asked:
            x[0] += d0
            x[1] += d1
            x[2] += d2
            x[3] += d3
            x[4] += 1
            if dt <= 0:
                same_before = min(same_before, a)
            if dt >= 0:
                same_after = min(same_after, a)
        if r == inverse:
            x[10] += d1
            x[11] += 1
        x[5] += d0
        x[6] += d1
        x[7] += d2
        x[8] += d3
        x[9] += 1
        if dt <= 0:
            before = min(before, a)
        if dt >= 0:
            after = min(after, a)
        if dt == 0:
            x[16] += 1
        known = nearest[r]
        if known < 0 or abs(dt) < abs(index.time[known] - now):
            nearest[r] = e
    near_wrong, near_first, near_second, near_sum = 1.0, _LOW, _LOW, 0.0
    for e in range(begin, end):
        r = index.relation[e]
        if r != index.loop and nearest[r] >= 0:
            b = class_of(np.int64(index.time[nearest[r]]) - now, reading.unit)
            nearest[r] = -1
            lift = reading.near_lift[r, b]
            near_wrong *= 1 - reading.near_chance[r, b]
            near_sum += lift
            if lift > near_first:
                near_first, near_second = lift, near_first
            elif lift > near_second:
                near_second = lift
    for k in range(12):
        x[k] = np.log1p(x[k])
    x[12] = _distance(same_before)
    x[13] = _distance(same_after)
    x[14] = _distance(before)
    x[15] = _distance(after)
    x[16] = np.log1p(x[16])
    x[17] = -np.log(max(wrong, 1e-4))
    x[18], x[19], x[20], x[21] = first, second, third, past
    x[22] = np.log1p(positive)
    x[23] = np.log1p(x[23])
    x[24] = -np.log(max(near_wrong, 1e-4))
    x[25], x[26] = near_first, near_second
    x[27] = min(max(near_sum, -10.0), 20.0)
    x[28] = 1 if count > 0 else 0
    return 1 if count > 0 else 0


@kernel()
def _distance(a):
    return min(np.log2(1 + a), _FAR)


@kernel()
def _role(index, reading, inverse, now, o, x):
    """Features of the candidate as an answer to this relation, whoever the subject was."""
    low, stop = index.role_row[o], index.role_row[o + 1]
    end = stop
    while low < stop:  # the first edge of the inverse relation
        middle = (low + stop) // 2
        if index.relation[index.role_edge[middle]] < inverse:
            low = middle + 1
        else:
            stop = middle
    begin, stop = low, end
    while low < stop:  # behind its last
        middle = (low + stop) // 2
        if index.relation[index.role_edge[middle]] <= inverse:
            low = middle + 1
        else:
            stop = middle
    end = low
    count = 0
    for k in range(begin, end):
        count += reading.mask[index.role_edge[k]]
    low, stop = begin, end
    while low < stop:  # the first at the query's time or later
        middle = (low + stop) // 2
        if index.time[index.role_edge[middle]] < now:
            low = middle + 1
        else:
            stop = middle
    before, after, here, d0, d1, d2 = 1e9, 1e9, 0.0, 0.0, 0.0, 0.0
    for k in range(max(begin, low - _MOST), min(end, low + _MOST)):
        e = index.role_edge[k]
        if reading.mask[e] == 0:
            continue
        dt = np.int64(index.time[e]) - now
        a = abs(dt) / reading.unit
        d0 += np.exp(-a / 2)
        d1 += np.exp(-a / 16)
        d2 += np.exp(-a / 128)
        if dt <= 0:
            before = min(before, a)
        if dt >= 0:
            after = min(after, a)
        if dt == 0:
            here += 1
    x[0] = np.log((count + 0.1) / (reading.role_total + 1))
    x[1], x[2], x[3] = np.log1p(d0), np.log1p(d1), np.log1p(d2)
    x[4], x[5] = _distance(before), _distance(after)
    x[6] = np.log1p(here)
    x[7] = np.log((count + 0.1) / (reading.degree[o] + 1))


@kernel()
def _activity(index, reading, s, now, o, x):
    """How much the candidate takes part in at all, and near the query's time with others than the subject."""
    begin, end = reading.by_time_row[o], reading.by_time_row[o + 1]
    low, stop = begin, end
    while low < stop:
        middle = (low + stop) // 2
        if index.time[reading.by_time_edge[middle]] < now:
            low = middle + 1
        else:
            stop = middle
    two, sixteen = 0, 0
    for side in range(2):
        k = low if side == 0 else low - 1
        left = _MOST
        while left > 0 and begin <= k < end:
            e = reading.by_time_edge[k]
            a = abs(np.int64(index.time[e]) - now) / reading.unit
            if a > 16:
                break
            if reading.mask[e] != 0 and index.neighbour[e] != s:
                sixteen += 1
                two += 1 if a <= 2 else 0
            k += 1 if side == 0 else -1
            left -= 1
    x[0] = np.log(reading.degree[o] / (reading.mean_degree + 1))
    x[1], x[2] = np.log1p(two), np.log1p(sixteen)
