"""Bundles: the edges of a step between the same two entities, as one ribbon of a picture.

Two entities may meet in a thousand dated events. Edges of a step that leave the same entity, lead to the same one, lie
on the same side of the question's time and were walked the same way round (with or against the stored fact) are one
bundle; its attention and its share of the answer are exact sums over all of them, whether or not they are listed.

Only the heaviest bundles are given, by attention and by share of the answer, and every one that a listed walk takes.
Each says how much the smaller ones carry together, so that whatever is left out of a picture can be told beside it.

Cost: one sort of the step's edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.edges import highest, mean_attention
from tgap.explain.paths import Walk

EVENTS = 5  # strongest edges that a bundle lists


@dataclass(frozen=True)
class Bundle:
    """Edges of one step that belong together, as ids."""

    subject: int
    object: int
    sign: int  # of t_e - t_q: -1 past, 0 present, 1 future
    inverse: bool
    size: int  # edges in it
    attention: float  # that crossed them
    answer_share: float  # share of the answer's mass that crossed them
    rest_attention: float  # attention that crossed bundles of less attention in this step
    rest_share: float  # share of the answer that crossed bundles of a smaller share
    edges: tuple[int, ...]  # places in the step's arrays: the strongest, and those of the listed walks
    walks: tuple[int, ...]  # places of the listed walks that take one of its edges in this step


def bundles(flow: AnswerFlow, walks: Sequence[Walk], count: int) -> tuple[tuple[Bundle, ...], ...]:
    """For every step the ``count`` heaviest bundles by attention, the ``count`` heaviest by share, those of ``walks``.

    In falling order of attention.
    """
    return tuple(_step_bundles(flow, walks, count, step) for step in range(len(flow.trace.steps)))


def _step_bundles(flow: AnswerFlow, walks: Sequence[Walk], count: int, number: int) -> tuple[Bundle, ...]:
    step, graph = flow.trace.steps[number], flow.graph
    moving = np.flatnonzero(step.relation != graph.loop_relation)
    sign = np.sign(step.time[moving] - flow.trace.query.time)
    inverse = step.relation[moving] >= graph.num_relations
    key = (
        (step.subject[moving].astype(np.int64) * graph.num_entities + step.object[moving]) * 6
        + 2 * (sign + 1)
        + inverse
    )
    _, first, bundle, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    attention = mean_attention(step)[moving]
    answer_share = flow.edges[number][moving]
    crossed = np.bincount(bundle, weights=attention, minlength=len(size)).astype(np.float64, copy=False)
    brought = np.bincount(bundle, weights=answer_share, minlength=len(size)).astype(np.float64, copy=False)
    walked = _walked(walks, number, step.edge[moving])  # walk -> the edge that it takes here
    taken = np.unique(list(walked.values())).astype(np.int64)
    best = np.concatenate([highest(crossed, count), highest(brought, count)])
    chosen = np.union1d(best[crossed[best] > 0], bundle[taken])
    rest_attention, rest_share = _smaller(crossed), _smaller(brought)
    order = np.argsort(bundle, kind="stable")
    rows = np.concatenate([[0], np.cumsum(size)])
    found = []
    for place in chosen[np.argsort(-crossed[chosen], kind="stable")].tolist():
        mine = order[rows[place] : rows[place + 1]]
        listed = mine[highest(attention[mine], EVENTS)]
        more = np.setdiff1d(taken[bundle[taken] == place], listed)
        one = int(first[place])
        found.append(
            Bundle(
                subject=int(step.subject[moving[one]]),
                object=int(step.object[moving[one]]),
                sign=int(sign[one]),
                inverse=bool(inverse[one]),
                size=int(size[place]),
                attention=float(crossed[place]),
                answer_share=float(brought[place]),
                rest_attention=float(rest_attention[place]),
                rest_share=float(rest_share[place]),
                edges=tuple(moving[np.concatenate([listed, more])].tolist()),
                walks=tuple(walk for walk, edge in walked.items() if bundle[edge] == place),
            )
        )
    return tuple(found)


def _walked(walks: Sequence[Walk], number: int, edges: NDArray[np.integer]) -> dict[int, int]:
    """For every walk (by its place) that takes an edge in step ``number`` (from 0), the place of that edge."""
    found = {}
    for place, walk in enumerate(walks):
        if number + 1 in walk.steps:
            edge = walk.edges[walk.steps.index(number + 1)]
            found[place] = int(np.flatnonzero(edges == edge)[0])
    return found


def _smaller(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each weight, the sum of all that come after it in falling order."""
    order = np.argsort(-weights, kind="stable")
    falling = weights[order]
    after = np.zeros(len(weights))
    after[order] = np.cumsum(falling[::-1])[::-1] - falling
    return np.maximum(after, 0.0)
