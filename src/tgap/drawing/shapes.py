"""The shapes that pictures are made of: text, cubic curves and circles, listed back to front.

Pictures are composed once, as a ``Drawing``. ``svg`` writes these shapes as SVG and ``rendering`` draws them with
matplotlib (PNG, PDF); neither knows anything about the pictures. Coordinates are pixels from the upper left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tgap.drawing.palette import COLOURS, GRID, INK, MUTED
from tgap.explain.naming import NamedEdge
from tgap.explain.wording import edge_clause, percent, short_label

Point = tuple[float, float]
Cubic = tuple[Point, ...]  # four points

BADGE = 9  # radius of an edge's number


@dataclass(frozen=True)
class Curve:
    """An edge as it is drawn: its kind (past, present, future, stay) and, if it is spelled out, its number."""

    points: Cubic
    kind: str
    number: int | None
    badge: Point  # where the number stands


@dataclass(frozen=True)
class Key:
    """What a numbered edge is, as two short lines for the picture and as a clause for those who print it."""

    number: int
    kind: str
    relation: str
    details: str
    clause: str

    @classmethod
    def of(cls, number: int, kind: str, edge: NamedEdge, attention: float, most: int) -> Key:
        """Key of an edge whose relation has room for ``most`` letters."""
        share = f"attention {percent(attention)}"
        if kind == "stay":
            return cls(number, kind, edge.relation, share, f"stays at {edge.subject}: {share}")
        relation = short_label(edge.relation, edge.inverse, most)
        details = f"{edge.time} · {edge.relative_time} · {share}"
        if len(details) > most + 5:  # these letters are smaller
            details = f"{edge.time} · {edge.relative_time} · {percent(attention)}"
        return cls(number, kind, relation, details, f"{edge_clause(edge)}: {share}")


def level_curve(left: Point, right: Point, bend: float, ends: float = 0.0) -> Cubic:
    """Curve that leaves and arrives level, pushed up or down by ``bend`` so that parallel edges part.

    ``ends`` is how much of the bend the two ends take part in.
    """
    third = (right[0] - left[0]) * 0.4
    return (
        (left[0], left[1] + bend * ends),
        (left[0] + third, left[1] + bend),
        (right[0] - third, right[1] + bend),
        (right[0], right[1] + bend * ends),
    )


def point_on(points: Cubic, at: float) -> Point:
    """Point of a cubic curve, ``at`` from 0 to 1."""
    weights = ((1 - at) ** 3, 3 * at * (1 - at) ** 2, 3 * at**2 * (1 - at), at**3)
    return (
        sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
        sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
    )


def free_place(points: Cubic, taken: Sequence[Point], tries: Sequence[float]) -> Point:
    """Place for an edge's number on its curve: the first free one of ``tries``, else the freest."""

    def room(place: Point) -> float:
        return min((float(np.hypot(place[0] - x, place[1] - y)) for x, y in taken), default=1e9)

    places = [point_on(points, at) for at in tries]
    free = [place for place in places if room(place) >= 2 * BADGE + 2]
    return free[0] if free else max(places, key=room)


@dataclass(frozen=True)
class Text:
    """One line of text; ``y`` is its baseline, ``anchor`` is start, middle or end."""

    x: float
    y: float
    text: str
    size: float = 12
    anchor: str = "start"
    bold: bool = False
    colour: str = INK
    halo: bool = False  # white around the letters, where they stand on lines
    title: str = ""  # told when the mouse rests on it


@dataclass(frozen=True)
class Stroke:
    """A cubic curve."""

    points: Cubic
    colour: str = GRID
    width: float = 1.0
    dash: str = "solid"  # solid, dashed or dotted
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Ring:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: str
    edge: str
    width: float
    title: str = ""


Shape = Text | Stroke | Ring


@dataclass(frozen=True)
class Drawing:
    """Shapes on white."""

    width: int
    height: int
    title: str
    shapes: tuple[Shape, ...]


def straight(left: Point, right: Point, colour: str = GRID, width: float = 1.0, dash: str = "solid") -> Stroke:
    """A straight line."""
    return Stroke((left, left, right, right), colour, width, dash)


def badge(place: Point, number: int, kind: str, title: str = "") -> list[Shape]:
    """The number of an edge."""
    x, y = place
    ring = Ring(x, y, BADGE, COLOURS[kind], "#FFFFFF", 1.5, title)
    return [ring, Text(x, y + 3.6, str(number), size=10, anchor="middle", bold=True, colour="#FFFFFF", title=title)]


def key_lines(x: float, y: float, key: Key) -> list[Shape]:
    """What a numbered edge is, on two lines."""
    return [
        *badge((x + BADGE, y - 4), key.number, key.kind),
        Text(x + 24, y - 2, key.relation, size=11),
        Text(x + 24, y + 12, key.details, size=10, colour=MUTED),
    ]
