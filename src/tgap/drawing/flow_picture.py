"""The flow picture: how the answer's probability arrived, one column per step, one lane per entity.

Everything drawn is a share of the answer. A circle is the part that was on an entity after a step. A ribbon is the part
that moved from one entity to another in a step, over any number of events (parallel events are one ribbon). Everything
else is collected in a lane at the bottom, so that every column adds up to the whole.

A lane shows its entity's name once, at the left, so that labels never collide. An entity keeps its lane in every
column, so a self-loop is a level line and a chain can be followed by eye. Ribbons are numbered and spelled out below
the picture.

``flow_picture`` computes the layout; ``flow_drawing`` turns it into shapes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from tgap.drawing.palette import ANSWER, COLOURS, INK, LEGEND, MUTED
from tgap.drawing.shapes import (
    Curve,
    Drawing,
    Key,
    Point,
    Ring,
    Shape,
    Stroke,
    Text,
    badge,
    free_place,
    key_lines,
    level_curve,
    straight,
)
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.edges import highest
from tgap.explain.naming import Names, sign_of
from tgap.explain.wording import counted, percent, shorten
from tgap.scorer import IntArray

WIDTH = 1180
_LEFT, _RIGHT, _TOP = 230, 90, 112  # margins of the grid of lanes and columns
_LANE = 46  # pixels between lanes
_MOST_LANES = 11
_LABEL, _RELATION = 30, 42  # most letters of an entity's and a relation's name in the picture
_LEAST = 0.005  # shares below are not drawn
_BADGES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.28, 0.72, 0.22, 0.78, 0.16, 0.84)  # where a number may stand on its ribbon


@dataclass(frozen=True)
class Lane:
    """An entity's row; the last one may stand for all others."""

    y: float
    label: str
    title: str
    role: str  # "start", "answer", "rest" or ""


@dataclass(frozen=True)
class Dot:
    """What of the answer stood on an entity after a step."""

    x: float
    y: float
    radius: float
    text: str
    title: str
    answer: bool


@dataclass(frozen=True)
class Ribbon(Curve):
    """What of the answer went from one entity to another in a step."""

    width: float
    dashed: bool
    title: str


@dataclass(frozen=True)
class Picture:
    """Everything to draw, in pixels of the default size."""

    width: int
    height: int
    title: str
    subtitle: str
    columns: tuple[tuple[float, str], ...]  # x and heading
    lanes: tuple[Lane, ...]
    dots: tuple[Dot, ...]
    ribbons: tuple[Ribbon, ...]
    keys: tuple[tuple[float, tuple[Key, ...]], ...]  # x of each step's list
    keys_top: float
    legend_top: float


@dataclass(frozen=True)
class _Bundle:
    """Edges of a step (from 0) between two entities, strongest first."""

    step: int
    subject: int
    object: int
    share: float
    places: IntArray  # in the step's arrays


def flow_picture(names: Names, flow: AnswerFlow, title: str, count: int = 4) -> Picture:
    """Picture with the ``count`` heaviest ribbons per step."""
    bundles = _choose(flow, count)
    lanes = _arrange(bundles, flow)
    steps = len(flow.edges)
    grid = _Grid(
        tuple(_LEFT + (WIDTH - _LEFT - _RIGHT) / steps * column for column in range(steps + 1)),
        {entity: float(_TOP + _LANE * place) for place, entity in enumerate(lanes)},
        float(_TOP + _LANE * len(lanes)),
    )
    rest = [max(0.0, float(held.sum() - held[lanes].sum())) for held in flow.entities]
    with_rest = max(rest) >= _LEAST
    ribbons, keys = _ribbons(names, flow, bundles, grid)
    keys_top = grid.rest + 6 + _LANE * with_rest
    legend_top = keys_top + 44 + 34 * max((len(step) for step in keys), default=0)
    last = [Lane(grid.rest, "all others", "all other entities", "rest")] if with_rest else []
    return Picture(
        width=WIDTH,
        height=int(legend_top + 52),
        title=title,
        subtitle=f"how {names.entity(flow.answer)} came by its {percent(flow.mass)}",
        columns=tuple((x, _heading(column)) for column, x in enumerate(grid.x)),
        lanes=(*(_lane(names, flow, entity, grid.y[entity]) for entity in lanes), *last),
        dots=_dots(names, flow, lanes, rest, grid),
        ribbons=tuple(_stays(names, flow, grid) + ribbons),
        keys=tuple((grid.x[step] + 4 if step else grid.x[0] - 60, tuple(keys[step])) for step in range(len(keys))),
        keys_top=keys_top,
        legend_top=legend_top,
    )


@dataclass(frozen=True)
class _Grid:
    """Places of columns and lanes; ``rest`` is the lane of all others."""

    x: tuple[float, ...]
    y: dict[int, float]
    rest: float


def _heading(column: int) -> str:
    return "start" if column == 0 else f"after step {column}"


def _radius(share: float) -> float:
    return 3.0 + 14.0 * float(np.sqrt(max(share, 0.0)))


def _width(share: float) -> float:
    return 1.2 + 10.8 * float(np.sqrt(min(1.0, share)))


def _lane(names: Names, flow: AnswerFlow, entity: int, y: float) -> Lane:
    role = "answer" if entity == flow.answer else "start" if entity == flow.trace.query.subject else ""
    return Lane(y, shorten(names.entity(entity), _LABEL), names.entity(entity), role)


def _dots(names: Names, flow: AnswerFlow, lanes: list[int], rest: list[float], grid: _Grid) -> tuple[Dot, ...]:
    dots = []
    for column, held in enumerate(flow.entities):
        shares = [(names.entity(entity), float(held[entity]), grid.y[entity]) for entity in lanes]
        if rest[column] >= _LEAST:
            shares.append(("all other entities", rest[column], grid.rest))
        for name, share, y in shares:
            if share > 0:
                text = percent(share) if share >= _LEAST else ""
                title = f"{name}: {percent(share)} of the answer {_heading(column)}"
                arrived = column == len(flow.edges) and y == grid.y[flow.answer]
                dots.append(Dot(grid.x[column], y, _radius(share), text, title, arrived))
    return tuple(dots)


def _choose(flow: AnswerFlow, count: int) -> list[_Bundle]:
    """Ribbons to draw: the heaviest of every step come first, as long as there are lanes for their ends."""
    found: list[tuple[int, _Bundle]] = []
    for number, (step, share) in enumerate(zip(flow.trace.steps, flow.edges, strict=True)):
        moving = np.flatnonzero((step.relation != flow.graph.loop_relation) & (share > 0))
        key = step.subject[moving].astype(np.int64) * flow.graph.num_entities + step.object[moving]
        pairs, pair = np.unique(key, return_inverse=True)
        totals = np.bincount(pair, weights=share[moving], minlength=len(pairs)).astype(np.float64, copy=False)
        for turn, place in enumerate(highest(totals, count).tolist()):
            mine = moving[pair == place]
            mine = mine[np.argsort(-share[mine], kind="stable")]
            ends = divmod(int(pairs[place]), flow.graph.num_entities)
            if totals[place] >= _LEAST or turn == 0:
                found.append((turn, _Bundle(number, *ends, float(totals[place]), mine)))
    entities = {flow.trace.query.subject, flow.answer}
    chosen = []
    for _, bundle in sorted(found, key=lambda entry: (entry[0], entry[1].step)):
        ends_ = {bundle.subject, bundle.object}
        if len(entities | ends_) <= _MOST_LANES:
            entities |= ends_
            chosen.append(bundle)
    return sorted(chosen, key=lambda bundle: (bundle.step, -bundle.share))


def _arrange(bundles: list[_Bundle], flow: AnswerFlow) -> list[int]:
    """Order of the lanes: neighbours that exchange much stand close, found by swapping lanes."""
    total = np.sum(flow.entities, axis=0)
    entities = {flow.trace.query.subject, flow.answer} | {
        end for bundle in bundles for end in (bundle.subject, bundle.object)
    }
    order = sorted(entities, key=lambda entity: (-total[entity], entity))
    pull: dict[tuple[int, int], float] = defaultdict(float)
    for bundle in bundles:
        if bundle.subject != bundle.object:
            pull[bundle.subject, bundle.object] += bundle.share**0.5

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


def _ribbons(
    names: Names, flow: AnswerFlow, bundles: list[_Bundle], grid: _Grid
) -> tuple[list[Ribbon], list[list[Key]]]:
    """Curves of the chosen bundles with their keys."""
    ribbons: list[Ribbon] = []
    keys: list[list[Key]] = [[] for _ in flow.edges]
    badges: list[Point] = []
    for number, bundle in enumerate(bundles, start=1):
        left, right = flow.entities[bundle.step][bundle.subject], flow.entities[bundle.step + 1][bundle.object]
        ends = (
            (grid.x[bundle.step] + _radius(left), grid.y[bundle.subject]),
            (grid.x[bundle.step + 1] - _radius(right), grid.y[bundle.object]),
        )
        points = level_curve(*ends, 14.0 if bundle.subject == bundle.object else 0.0)
        place = free_place(points, badges, _BADGES)
        badges.append(place)
        kind, dashed, key = _key(names, flow, bundle, number)
        keys[bundle.step].append(key)
        ribbons.append(Ribbon(points, kind, number, place, _width(bundle.share), dashed, f"{number}. {key.clause}"))
    return ribbons, keys


def _key(names: Names, flow: AnswerFlow, bundle: _Bundle, number: int) -> tuple[str, bool, Key]:
    """Kind of a bundle (which side of the question's time most of it lies on), way it was walked, and its words."""
    step, share, now = flow.trace.steps[bundle.step], flow.edges[bundle.step][bundle.places], flow.trace.query.time
    signs = np.sign(step.time[bundle.places] - now)
    kind = sign_of(int(max((-1, 0, 1), key=lambda sign: share[signs == sign].sum())))
    inverse = step.relation[bundle.places] >= flow.graph.num_relations
    dashed = bool(share[inverse].sum() > share[~inverse].sum())
    relations = step.relation[bundle.places] % flow.graph.num_relations
    totals = np.bincount(relations, weights=share)
    best = [names.label(int(place)) for place in np.argsort(-totals, kind="stable")[:2] if totals[place] > 0]
    events = counted(len(bundle.places), "event")
    when = f", {names.date(int(step.time[bundle.places[0]]))}" if len(bundle.places) == 1 else ""
    arrow = f"{names.entity(bundle.subject)} {'←' if dashed else '→'} {names.entity(bundle.object)}"
    details = f"{events}{when} · {percent(bundle.share)} of the answer"
    clause = f"{arrow} ({', '.join(best)}{', …' if len(np.unique(relations)) > len(best) else ''}): {details}"
    return kind, dashed, Key(number, kind, shorten(", ".join(best), _RELATION), details, clause)


def _stays(names: Names, flow: AnswerFlow, grid: _Grid) -> list[Ribbon]:
    """Level lines of what waited."""
    ribbons = []
    for number, (step, share) in enumerate(zip(flow.trace.steps, flow.edges, strict=True)):
        for place in np.flatnonzero((step.relation == flow.graph.loop_relation) & (share >= _LEAST)):
            entity = int(step.subject[place])
            if entity in grid.y:
                y = grid.y[entity]
                left = (grid.x[number] + _radius(flow.entities[number][entity]), y)
                right = (grid.x[number + 1] - _radius(flow.entities[number + 1][entity]), y)
                title = f"waits at {names.entity(entity)}: {percent(float(share[place]))} of the answer"
                curve = level_curve(left, right, 0.0)
                ribbons.append(Ribbon(curve, "stay", None, left, _width(float(share[place])), False, title))
    return ribbons


def flow_drawing(picture: Picture) -> Drawing:
    """Shapes back to front: grid, ribbons, circles, numbers, names, keys, legend."""
    shapes: list[Shape] = [
        Text(16, 28, picture.title, size=16, bold=True),
        Text(16, 50, picture.subtitle, colour=MUTED),
    ]
    bottom = picture.lanes[-1].y + 14
    for x, heading in picture.columns:
        shapes.append(straight((x, 92), (x, bottom)))
        shapes.append(Text(x, 82, heading, anchor="middle", bold=True))
    for ribbon in picture.ribbons:
        dash = "dashed" if ribbon.dashed else "dotted" if ribbon.kind == "stay" else "solid"
        shapes.append(Stroke(ribbon.points, COLOURS[ribbon.kind], ribbon.width, dash, 0.75, ribbon.title))
    for dot in picture.dots:
        edge, width = (ANSWER, 4.0) if dot.answer else (INK, 1.3)
        shapes.append(Ring(dot.x, dot.y, dot.radius, "#FFFFFF", edge, width, dot.title))
        if dot.text:
            shapes.append(Text(dot.x, dot.y + dot.radius + 12, dot.text, size=10, anchor="middle", halo=True))
    for ribbon in picture.ribbons:
        if ribbon.number is not None:
            shapes += badge(ribbon.badge, ribbon.number, ribbon.kind, ribbon.title)
    for lane in picture.lanes:
        colour = ANSWER if lane.role == "answer" else MUTED if lane.role == "rest" else INK
        bold = lane.role in ("answer", "start")
        x = picture.columns[0][0] - 24
        shapes.append(Text(x, lane.y + 4, lane.label, anchor="end", bold=bold, colour=colour, title=lane.title))
    for step, (x, keys) in enumerate(picture.keys, start=1):
        shapes.append(Text(x, picture.keys_top + 14, f"Step {step}", size=11, bold=True))
        for place, key in enumerate(keys):
            shapes += key_lines(x, picture.keys_top + 38 + 34 * place, key)
    return Drawing(picture.width, picture.height, picture.title, (*shapes, *_legend(picture)))


def _legend(picture: Picture) -> list[Shape]:
    y = picture.legend_top + 22
    shapes: list[Shape] = [straight((16, y - 20), (picture.width - 16, y - 20))]
    x = 16.0
    for kind, dashed, words in LEGEND:
        dash = "dashed" if dashed else "dotted" if kind == "stay" else "solid"
        shapes.append(straight((x, y), (x + 40, y), COLOURS[kind], 4, dash))
        shapes.append(Text(x + 47, y + 4, words, size=11))
        x += 66 + 6.2 * len(words)
    words = "Circles and ribbons are as big as their part of this answer; every column adds up to all of it."
    return [*shapes, Text(16, y + 20, words, size=11, colour=MUTED)]
