"""Layout of the layered picture: one column a step, one lane an entity, edges from column to column.

A lane carries its entity's name once, at the left, so that labels never collide; the same entity stands in the same
lane in every column, so that a self-loop is a level line and a walk can be followed with a finger. Numbered edges are
spelled out under the picture. Only the strongest edges are drawn, and for the chosen answer the edges that brought it
most of its mass, so that the answer never hangs in the air.

This module decides where everything goes; ``picture`` has the parts, ``svg`` and ``figures`` draw them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.curves import Key, Point, free_place, level_curve
from tgap.explain.edges import masses, mean_attention
from tgap.explain.naming import Names, sign_of
from tgap.explain.picture import Dot, Lane, Link, Picture
from tgap.explain.wording import percent, shorten
from tgap.scorer import Trace

WIDTH = 1180
_LEFT, _RIGHT, _TOP = 230, 90, 112  # margins of the grid of lanes and columns
_LANE = 46  # pixels between lanes
_MOST_LANES = 12
_LABEL, _RELATION = 30, 42  # most letters of an entity's and a relation's name in the picture
_ENDS = 0.3  # how far the ends of parallel edges part
_BADGES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.28, 0.72, 0.22, 0.78, 0.16, 0.84)  # where a number may stand on its edge


@dataclass(frozen=True)
class _Edge:
    """An edge chosen for the picture: step from 0, place in the step's arrays."""

    step: int
    place: int
    subject: int
    object: int
    attention: float
    through: float


def layered_picture(names: Names, flow: AnswerFlow, title: str, count: int = 5) -> Picture:
    """Picture of a trace with the ``count`` strongest edges per step, and those that mattered most to the answer."""
    trace, answer = flow.trace, flow.answer
    loop = 2 * names.num_relations
    edges = _choose(flow, loop, count)
    mass = masses(trace)
    lanes = _arrange(edges, trace.query.subject, answer, mass)
    y_of = {entity: float(_TOP + _LANE * place) for place, entity in enumerate(lanes)}
    gap = (WIDTH - _LEFT - _RIGHT) / len(trace.steps)
    x_of = [_LEFT + gap * column for column in range(len(trace.steps) + 1)]

    dots = tuple(
        Dot(
            x_of[column],
            y_of[entity],
            _radius(held[entity]),
            percent(held[entity]) if held[entity] >= 0.005 and column < len(trace.steps) else "",
            f"{names.entity(entity)}: {percent(held[entity])} {_heading(column)}",
            entity == answer and column == len(trace.steps),
        )
        for column, held in enumerate(mass)
        for entity in lanes
        if held[entity] > 0
    )
    links, keys = _links(names, trace, edges, (x_of, y_of), mass, loop)
    keys_top = _TOP + _LANE * len(lanes) + 6
    rows = max((len(step) for step in keys), default=0)
    legend_top = keys_top + 44 + 34 * rows
    final = mass[-1]
    return Picture(
        width=WIDTH,
        height=int(legend_top + 52),
        title=title,
        subtitle=f"answer: {names.entity(answer)}, probability {percent(float(final[answer]))}",
        columns=tuple((x, _heading(column)) for column, x in enumerate(x_of)),
        lanes=tuple(
            Lane(
                y_of[entity],
                shorten(names.entity(entity), _LABEL),
                names.entity(entity),
                "answer" if entity == answer else "start" if entity == trace.query.subject else "",
                percent(float(final[entity])),
            )
            for entity in lanes
        ),
        dots=dots,
        links=links,
        keys=tuple((x_of[step] + 4 if step else x_of[0] - 60, tuple(keys[step])) for step in range(len(keys))),
        keys_top=keys_top,
        legend_top=legend_top,
    )


def _heading(column: int) -> str:
    return "start" if column == 0 else f"after step {column}"


def _radius(mass: float) -> float:
    return 3.0 + 14.0 * float(np.sqrt(mass))


def _choose(flow: AnswerFlow, loop: int, count: int) -> list[_Edge]:
    """Edges to draw: for every step the strongest, and the two that brought the answer most; lanes are bounded."""
    chosen: dict[tuple[int, int], _Edge] = {}
    trace, through = flow.trace, flow.edges
    entities = {trace.query.subject, flow.answer}
    wanted: list[tuple[int, int, int]] = []  # (round, step, place): the strongest of every step come first
    for number, step in enumerate(trace.steps):
        moving = np.flatnonzero(step.relation != loop)
        for values, rounds, first in ((through[number], 2, 0), (mean_attention(step), count, 1)):
            best = moving[np.argsort(-values[moving], kind="stable")[:rounds]]
            wanted += [(first + turn, number, int(place)) for turn, place in enumerate(best) if values[place] > 0]
    for _, number, place in sorted(wanted):
        step = trace.steps[number]
        ends = {int(step.subject[place]), int(step.object[place])}
        if (number, place) in chosen or len(entities | ends) > _MOST_LANES:
            continue
        entities |= ends
        chosen[number, place] = _Edge(
            number,
            place,
            int(step.subject[place]),
            int(step.object[place]),
            float(step.attention[place].mean()),
            float(through[number][place]),
        )
    return sorted(chosen.values(), key=lambda edge: (edge.step, -edge.attention))


def _arrange(edges: list[_Edge], start: int, answer: int, mass: list[NDArray[np.float64]]) -> list[int]:
    """Order of the lanes: neighbours that exchange much attention stand close, found by swapping lanes."""
    total = np.sum(mass, axis=0)
    entities = {start, answer} | {end for edge in edges for end in (edge.subject, edge.object)}
    order = sorted(entities, key=lambda entity: (-total[entity], entity))
    pull: dict[tuple[int, int], float] = defaultdict(float)
    for edge in edges:
        if edge.subject != edge.object:
            pull[edge.subject, edge.object] += edge.attention**0.5

    def length(lanes: list[int]) -> float:
        place = {entity: number for number, entity in enumerate(lanes)}
        return sum(weight * abs(place[i] - place[j]) for (i, j), weight in pull.items())

    best = length(order)
    improved = True
    while improved:
        improved = False
        for i in range(len(order)):
            for j in range(i + 1, len(order)):
                trial = order.copy()
                trial[i], trial[j] = trial[j], trial[i]
                if (measure := length(trial)) < best - 1e-9:
                    order, best, improved = trial, measure, True
    return order


def _links(
    names: Names,
    trace: Trace,
    edges: list[_Edge],
    grid: tuple[list[float], dict[int, float]],
    mass: list[NDArray[np.float64]],
    loop: int,
) -> tuple[tuple[Link, ...], list[list[Key]]]:
    """Curves of the chosen edges with their keys, and level lines for attention that stayed."""
    x_of, y_of = grid
    widest = max((edge.attention for edge in edges), default=1.0)
    beside: dict[tuple[int, int, int], list[_Edge]] = defaultdict(list)  # parallel edges of a step
    for edge in edges:
        beside[edge.step, edge.subject, edge.object].append(edge)
    links: list[Link] = []
    keys: list[list[Key]] = [[] for _ in trace.steps]
    badges: list[Point] = []
    for number, edge in enumerate(edges, start=1):
        step = trace.steps[edge.step]
        named = names.edge(
            (edge.subject, edge.object), int(step.relation[edge.place]), int(step.time[edge.place]), trace.query.time
        )
        rank = beside[edge.step, edge.subject, edge.object]
        bend = 24.0 * (rank.index(edge) - (len(rank) - 1) / 2 + (0.6 if edge.subject == edge.object else 0))
        ends = (
            (x_of[edge.step] + _radius(mass[edge.step][edge.subject]), y_of[edge.subject]),
            (x_of[edge.step + 1] - _radius(mass[edge.step + 1][edge.object]), y_of[edge.object]),
        )
        points = level_curve(*ends, bend, _ENDS)
        badge = free_place(points, badges, _BADGES)
        badges.append(badge)
        kind = sign_of(named.displacement)
        key = Key.of(number, kind, named, edge.attention, _RELATION)
        keys[edge.step].append(key)
        title = f"{number}. {key.clause}, brought {percent(edge.through)} of the answer"
        width = 1.2 + 6.8 * float(np.sqrt(edge.attention / widest))
        links.append(Link(points, kind, number, badge, width, named.inverse, title))
    links = _stays(names, trace, grid, mass, (loop, widest)) + links
    return tuple(links), keys


def _stays(
    names: Names,
    trace: Trace,
    grid: tuple[list[float], dict[int, float]],
    mass: list[NDArray[np.float64]],
    scale: tuple[int, float],
) -> list[Link]:
    """Level lines of self-loops that hold at least half a percent."""
    x_of, y_of = grid
    loop, widest = scale
    links = []
    for number, step in enumerate(trace.steps):
        attention = mean_attention(step)
        for place in np.flatnonzero((step.relation == loop) & (attention >= 0.005)):
            entity = int(step.subject[place])
            if entity in y_of:
                y = y_of[entity]
                left = (x_of[number] + _radius(mass[number][entity]), y)
                right = (x_of[number + 1] - _radius(mass[number + 1][entity]), y)
                width = 1.2 + 6.8 * float(np.sqrt(min(1.0, attention[place] / widest)))
                title = f"stays at {names.entity(entity)}: {percent(float(attention[place]))}"
                links.append(Link(level_curve(left, right, 0.0), "stay", None, left, width, False, title))
    return links
