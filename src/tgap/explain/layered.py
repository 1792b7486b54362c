"""Layout of the layered picture: one column a step, one lane an entity, edges from column to column.

A lane carries its entity's name once, at the left, so that labels never collide; the same entity stands in the same
lane in every column, so that a self-loop is a level line and a walk can be followed with a finger. Numbered edges are
spelled out under the picture. Only the strongest edges are drawn, and for the chosen answer the edges that brought it
most of its mass, so that the answer never hangs in the air.

This module decides where everything goes, in pixels of the default size; ``svg`` and ``figures`` only draw.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tgap.explain.edges import mean_attention
from tgap.explain.naming import INVERSE, NamedEdge, Names, sign_of
from tgap.explain.paths import through_answer
from tgap.explain.sentences import edge_clause
from tgap.scorer import Trace

WIDTH = 1180
_LEFT, _RIGHT, _TOP = 230, 90, 112  # margins of the grid of lanes and columns
_LANE = 46  # pixels between lanes
_BADGE = 9  # radius of an edge's number
_MOST_LANES = 12
_LABEL, _RELATION = 30, 36  # most letters of an entity's and a relation's name in the picture


@dataclass(frozen=True)
class Lane:
    """An entity's row."""

    y: float
    label: str
    title: str
    role: str  # "start", "answer" or ""
    final: str  # probability after the last step


@dataclass(frozen=True)
class Dot:
    """An entity after a step."""

    x: float
    y: float
    radius: float
    text: str
    title: str
    answer: bool


@dataclass(frozen=True)
class Link:
    """An edge: a cubic curve, its kind (past, present, future, stay) and, if it is spelled out, its number."""

    points: tuple[tuple[float, float], ...]
    width: float
    kind: str
    dashed: bool
    title: str
    number: int | None
    badge: tuple[float, float]


@dataclass(frozen=True)
class Key:
    """What a numbered edge is."""

    number: int
    kind: str
    relation: str
    details: str


@dataclass(frozen=True)
class Picture:
    """Everything to draw."""

    width: int
    height: int
    title: str
    subtitle: str
    columns: tuple[tuple[float, str], ...]  # x and heading
    lanes: tuple[Lane, ...]
    dots: tuple[Dot, ...]
    links: tuple[Link, ...]
    keys: tuple[tuple[float, tuple[Key, ...]], ...]  # x of each step's list
    keys_top: float
    legend_top: float


@dataclass(frozen=True)
class _Edge:
    """An edge chosen for the picture: step from 0, place in the step's arrays."""

    step: int
    place: int
    subject: int
    object: int
    attention: float
    through: float


def layered_picture(names: Names, trace: Trace, answer: int, title: str, count: int = 5) -> Picture:
    """Picture of a trace with the ``count`` strongest edges a step, and those that mattered most to ``answer``."""
    loop = 2 * names.num_relations
    edges = _choose(trace, answer, loop, count)
    mass = _masses(trace)
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


def percent(share: float) -> str:
    """A share as a short percentage: 31 %, 4.2 %, 0.03 %, < 0.01 %."""
    value = 100 * share
    if 0 < value < 0.01:
        return "< 0.01 %"
    digits = 0 if value >= 9.95 or value == 0 else 1 if value >= 0.995 else 2
    return f"{value:.{digits}f} %"


def shorten(text: str, most: int) -> str:
    """At most ``most`` letters, the end replaced by an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def short_label(edge: NamedEdge, most: int) -> str:
    """Relation of an edge in at most ``most`` letters; that it is inverse stays to be read."""
    mark = INVERSE if edge.inverse else ""
    return shorten(edge.relation, most - len(mark)) + mark


def _heading(column: int) -> str:
    return "start" if column == 0 else f"after step {column}"


def _radius(mass: float) -> float:
    return 3.0 + 14.0 * float(np.sqrt(mass))


def _masses(trace: Trace) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """a-bar^(0), ..., a-bar^(T), one number an entity."""
    start = np.zeros(len(trace.scores))
    start[trace.query.subject] = 1.0
    columns = [start]
    for step in trace.steps:
        held = np.zeros(len(trace.scores))
        held[step.nodes] = step.mass.astype(np.float64).mean(axis=1)
        columns.append(held)
    return columns


def _choose(trace: Trace, answer: int, loop: int, count: int) -> list[_Edge]:
    """Edges to draw: for every step the strongest, and the two that brought the answer most; lanes are bounded."""
    chosen: dict[tuple[int, int], _Edge] = {}
    entities = {trace.query.subject, answer}
    through = through_answer(trace, answer)
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


def _arrange(
    edges: list[_Edge], start: int, answer: int, mass: list[np.ndarray[tuple[int], np.dtype[np.float64]]]
) -> list[int]:
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
    mass: list[np.ndarray[tuple[int], np.dtype[np.float64]]],
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
    badges: list[tuple[float, float]] = []
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
        points = _curve(*ends, bend)
        badge = _free_place(points, badges)
        badges.append(badge)
        kind = sign_of(named.displacement)
        title = (
            f"{number}. {edge_clause(named)}: attention {percent(edge.attention)}, "
            f"brought {percent(edge.through)} of the answer"
        )
        width = 1.2 + 6.8 * float(np.sqrt(edge.attention / widest))
        links.append(Link(points, width, kind, named.inverse, title, number, badge))
        details = f"{named.time} · {named.words} · {percent(edge.attention)}"
        keys[edge.step].append(Key(number, kind, short_label(named, _RELATION), details))
    links = _stays(names, trace, grid, mass, (loop, widest)) + links
    return tuple(links), keys


def _stays(
    names: Names,
    trace: Trace,
    grid: tuple[list[float], dict[int, float]],
    mass: list[np.ndarray[tuple[int], np.dtype[np.float64]]],
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
                links.append(Link(_curve(left, right, 0.0), width, "stay", False, title, None, left))
    return links


def _curve(left: tuple[float, float], right: tuple[float, float], bend: float) -> tuple[tuple[float, float], ...]:
    """Cubic curve that leaves and arrives level, pushed up or down by ``bend`` so that parallel edges part."""
    third = (right[0] - left[0]) * 0.4
    return (
        (left[0], left[1] + bend * 0.3),
        (left[0] + third, left[1] + bend),
        (right[0] - third, right[1] + bend),
        (right[0], right[1] + bend * 0.3),
    )


def point_on(points: tuple[tuple[float, float], ...], at: float) -> tuple[float, float]:
    """Point of a cubic curve, ``at`` from 0 to 1."""
    weights = ((1 - at) ** 3, 3 * at * (1 - at) ** 2, 3 * at**2 * (1 - at), at**3)
    return (
        sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
        sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
    )


def _free_place(points: tuple[tuple[float, float], ...], taken: list[tuple[float, float]]) -> tuple[float, float]:
    """Place for an edge's number on its curve, away from the other numbers: the first free one, else the freest."""

    def room(place: tuple[float, float]) -> float:
        return min((float(np.hypot(place[0] - x, place[1] - y)) for x, y in taken), default=1e9)

    places = [point_on(points, at) for at in (0.5, 0.42, 0.58, 0.34, 0.66, 0.28, 0.72, 0.22, 0.78, 0.16, 0.84)]
    free = [place for place in places if room(place) >= 2 * _BADGE + 2]
    return free[0] if free else max(places, key=room)
